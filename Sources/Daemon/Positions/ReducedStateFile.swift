import Cryptography
import Glibc
import Location
import Platform
import Tracking

/// The file of the last reduced position, in the state directory beside the device key.
///
/// All numbers are little-endian: 8 bytes of magic number, the cell's band and column (4 each), the tick (8), the
/// identifier of the key (8), a byte of flags (1 late, 2 simulated), and 16 bytes of BLAKE2b over all of these. The
/// file contains nothing beyond what clients are shown.
struct ReducedStateFile: Sendable {
    /// The result of loading.
    enum Content: Equatable {
        case none
        case state(ReducedAccuracy.State)
        /// The file cannot be used, with the reason for a person.
        case unusable(String)
    }

    /// The file's name in the state directory.
    static let name = "reduced.state"
    private static let signature = Array("WMRED 1\n".utf8)
    private static let size = signature.count + 25 + Checksum.size

    private let directory: String

    init(stateDirectory: String) {
        directory = stateDirectory
    }

    /// Reads the file.
    func load() throws(SystemError) -> Content {
        do throws(SystemError) {
            return Self.content(of: try BoundedFile.bytes(of: "\(directory)/\(Self.name)", limit: Self.size))
        } catch {
            switch error.code {
            case ENOENT: return .none
            case EFBIG: return Self.damaged
            case EACCES, EPERM, EISDIR, ELOOP, ENXIO: return .unusable("it cannot be read: \(error)")
            default: throw error
            }
        }
    }

    /// Renames an unusable file.
    func setAside(because reason: String) throws(SystemError) -> StateLoss {
        let aside = try SetAside.rename(Self.name, in: directory, noun: "the reduced position")
        return StateLoss(file: Self.name, aside: aside, reason: reason)
    }

    /// Writes a state, which is durable on return.
    func save(_ state: ReducedAccuracy.State) throws(SystemError) {
        try DurableFile.replace(Self.name, in: directory, with: Self.bytes(of: state), noun: "the reduced position")
    }

    static func bytes(of state: ReducedAccuracy.State) -> [UInt8] {
        let latest = state.latest
        var packed = PackedBytes(signature)
        packed.append(latest.cell.band)
        packed.append(latest.cell.column)
        packed.append(latest.tick.number)
        packed.append(state.keyIdentifier)
        packed.append(UInt8((state.isLate ? 1 : 0) | (latest.isSimulated ? 2 : 0)))
        return Checksum.appended(to: Array(packed.bytes))
    }

    static let damaged = Content.unusable("it is damaged or of another release")

    static func content(of bytes: [UInt8]) -> Content {
        guard bytes.count == size, bytes.starts(with: signature), let body = Checksum.removed(from: bytes) else {
            return damaged
        }
        var packed = PackedBytes(Array(body.dropFirst(signature.count)))
        guard let band = packed.next(Int32.self), let column = packed.next(Int32.self),
            let tick = packed.next(Int64.self), let keyIdentifier = packed.next(UInt64.self),
            let flags = packed.next(UInt8.self), flags < 4, let cell = ReducedCell(band: band, column: column)
        else { return damaged }
        return .state(
            ReducedAccuracy.State(
                latest: ReducedFix(cell: cell, tick: ReducedTick(number: tick), isSimulated: flags & 2 != 0),
                isLate: flags & 1 != 0, keyIdentifier: keyIdentifier))
    }
}

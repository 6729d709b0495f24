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
        var bytes = signature
        append(UInt32(bitPattern: latest.cell.band), to: &bytes)
        append(UInt32(bitPattern: latest.cell.column), to: &bytes)
        append(UInt64(bitPattern: latest.tick.number), to: &bytes)
        append(state.keyIdentifier, to: &bytes)
        bytes.append((state.isLate ? 1 : 0) | (latest.isSimulated ? 2 : 0))
        return Checksum.appended(to: bytes)
    }

    static let damaged = Content.unusable("it is damaged or of another release")

    static func content(of bytes: [UInt8]) -> Content {
        guard bytes.count == size, bytes.starts(with: signature), let body = Checksum.removed(from: bytes) else {
            return damaged
        }
        var rest = body.dropFirst(signature.count)
        let band = Int32(bitPattern: read(UInt32.self, from: &rest))
        let column = Int32(bitPattern: read(UInt32.self, from: &rest))
        let tick = ReducedTick(number: Int64(bitPattern: read(UInt64.self, from: &rest)))
        let keyIdentifier = read(UInt64.self, from: &rest)
        let flags = read(UInt8.self, from: &rest)
        guard let cell = ReducedCell(band: band, column: column), flags < 4 else { return damaged }
        return .state(
            ReducedAccuracy.State(
                latest: ReducedFix(cell: cell, tick: tick, isSimulated: flags & 2 != 0), isLate: flags & 1 != 0,
                keyIdentifier: keyIdentifier))
    }

    private static func append<Number: FixedWidthInteger>(_ number: Number, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }

    /// The caller has checked that there are enough bytes.
    private static func read<Number: FixedWidthInteger>(_: Number.Type, from bytes: inout ArraySlice<UInt8>) -> Number {
        let count = Number.bitWidth / 8
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count).reversed().reduce(Number(0)) {
            Number(truncatingIfNeeded: UInt64($0) << 8) | Number($1)
        }
    }
}

import Cryptography
import Glibc
import JSONText
import Platform
import Protection
import RegionStorage

/// The key of the file of regions, in a file of its own in the state directory, sealed with the class
/// `completeUntilFirstUnlock`: regions are monitored while the machine is locked, so a stricter class would protect nothing.
@DaemonActor
final class RegionKey {
    /// The file of the key.
    nonisolated static let file = "regions.key"
    /// The name that is authenticated with the key.
    private static let name = "regions"
    private static let limit = 4_096

    private let directory: String
    private let protection: DataProtection
    private var key: SymmetricKey?

    init(directory: String, protection: DataProtection) {
        self.directory = directory
        self.protection = protection
    }

    /// How regions are stored at present. The key is made when a passphrase was set.
    var sealing: RegionSealing {
        guard protection.isEnding else { return present }
        // A file that is not sealed any more needs no key.
        guard exists(RegionSealing.fileName) else {
            key = nil
            return .plain
        }
        guard case .sealed(let key) = present else { return present }
        return .unsealing(key)
    }

    private var present: RegionSealing {
        if let key { return .sealed(key) }
        guard protection.mayHavePassphrase || exists(Self.file) else { return .plain }
        do throws(SystemError) {
            guard let stored = try read() else { return try make() }
            let path = "\(directory)/\(Self.file)"
            guard let value = SealedValue(stored: stored, name: Self.name) else {
                return .unavailable("\(path) cannot be read: it is damaged, or of a newer release; restore it")
            }
            switch protection.open(value) {
            case .text(let text):
                key = try HexText.bytes(of: text).flatMap { bytes throws(SystemError) in
                    try SymmetricKey(copying: bytes)
                }
                return key.map { .sealed($0) } ?? .unavailable("\(path) has no key; restore it")
            case .locked(let reason): return protection.isNeverUnlocked ? .locked(reason) : .unavailable(reason)
            case .damaged: return .unavailable("\(path) cannot be opened: it was changed; restore it")
            }
        } catch { return .unavailable(error.description) }
    }

    /// Whether sealed regions can be opened.
    var isAvailable: Bool {
        switch sealing {
        case .sealed, .unsealing: true
        case .plain, .locked, .unavailable: false
        }
    }

    private func make() throws(SystemError) -> RegionSealing {
        guard !exists(RegionSealing.fileName) else {
            return .unavailable("the key \(directory)/\(Self.file) of the stored regions is missing; restore it")
        }
        let new = try SymmetricKey.random()
        guard let value = new.withCopy({ protection.seal(HexText.text($0), name: Self.name) }) else {
            return protection.isNeverUnlocked
                ? .locked(ReadingKey.locked.obstacle) : .unavailable("the key cannot be sealed")
        }
        try DurableFile.replace(
            Self.file, in: directory, with: Array(value.stored.utf8), noun: "the key of the regions")
        key = new
        return .sealed(new)
    }

    private func read() throws(SystemError) -> String? {
        do throws(SystemError) {
            return String(
                decoding: try BoundedFile.bytes(of: "\(directory)/\(Self.file)", limit: Self.limit), as: UTF8.self)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    private func exists(_ name: String) -> Bool { access("\(directory)/\(name)", F_OK) == 0 }
}

import Cryptography
import Glibc
import Platform
import RegionStorage
import Storage

/// The key of the file of regions. Regions are monitored while the machine is locked, so a stricter class than that of
/// `StoredKey` would protect nothing.
@DaemonActor
final class RegionKey {
    /// The file of the key.
    nonisolated static let file = "regions.key"

    private let directory: String
    private let protection: DataProtection
    private let stored: StoredKey
    private var key: SymmetricKey?

    init(directory: String, protection: DataProtection) {
        self.directory = directory
        self.protection = protection
        stored = StoredKey(
            directory: directory, file: Self.file, name: "regions", noun: "the regions", protection: protection)
    }

    /// How regions are stored at present. The key is made when a passphrase was set.
    var sealing: DatabaseSealing {
        guard protection.isEnding else { return present }
        // A file that is not sealed any more needs no key.
        guard exists(RegionStore.sealedFileName) else {
            key = nil
            return .plain
        }
        guard case .sealed(let key) = present else { return present }
        return .unsealing(key)
    }

    private var present: DatabaseSealing {
        if let key { return .sealed(key) }
        guard protection.mayHavePassphrase || exists(Self.file) else { return .plain }
        do throws(SystemError) {
            switch try content() {
            case .key(let found):
                key = found
                return .sealed(found)
            case .locked(let reason): return .locked(reason)
            case .unavailable(let reason): return .unavailable(reason)
            }
        } catch { return .unavailable(error.description) }
    }

    private func content() throws(SystemError) -> StoredKey.Content {
        if let text = try stored.read() { return try stored.open(text) }
        guard !exists(RegionStore.sealedFileName) else {
            return .unavailable("the key \(stored.path) of the stored regions is missing; restore it")
        }
        return try stored.make()
    }

    /// Whether sealed regions can be opened.
    var isAvailable: Bool {
        switch sealing {
        case .sealed, .unsealing: true
        case .plain, .locked, .unavailable: false
        }
    }

    private func exists(_ name: String) -> Bool { access("\(directory)/\(name)", F_OK) == 0 }
}

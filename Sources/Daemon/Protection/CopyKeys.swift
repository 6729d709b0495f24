import Cryptography
import Glibc
import JSONText
import Platform
import Protection
import Storage

/// The keys of the copies of records that the programs `waymark-sync` have: one for each user, and one for the machine.
///
/// A copy is in a folder of its user, whom the daemon cannot wait for: when protection is switched off, a person may not have
/// logged in for months. So a key is released then: its file has it plain, as the copy is to be, until `waymark-sync` has
/// replaced the copy by a plain one. A released key never seals again.
@DaemonActor
final class CopyKeys {
    private static let (prefix, suffix) = ("copy-", ".key")
    /// The name of the machine among the owners; the others are numbers of users.
    private static let machine = "machine"
    /// What is before a released key in its file.
    private static let released = "released "

    private let directory: String
    private let protection: DataProtection
    private let changes: Changes
    /// The users with a key; nil until the folder was read.
    private var known: Set<UInt32>?

    init(directory: String, protection: DataProtection, changes: Changes) {
        self.directory = directory
        self.protection = protection
        self.changes = changes
    }

    private func key(named owner: String) -> StoredKey {
        StoredKey(
            directory: directory, file: Self.prefix + owner + Self.suffix, name: "copy \(owner)",
            noun: "the copy of records", protection: protection)
    }

    private func key(of owner: WakeScope) -> StoredKey {
        switch owner {
        case .machine: key(named: Self.machine)
        case .user(let uid): key(named: String(uid))
        }
    }

    /// How a copy is to be stored at present. The key is made when a passphrase was set, unless the copy is sealed already.
    func sealing(of owner: WakeScope, isSealed: Bool) -> DatabaseSealing {
        let stored = key(of: owner)
        do throws(SystemError) {
            let content: StoredKey.Content
            if let text = try stored.read() {
                if let key = try Self.released(text) { return .unsealing(key) }
                content = try stored.open(text)
            } else if isSealed {
                content = .unavailable("its key \(stored.path) is missing; restore it")
            } else {
                guard protection.mayHavePassphrase, !protection.isEnding else { return .plain }
                // The journal stores to which account it belongs first.
                if case .user(let uid) = owner { changes.report(.userSeen(uid, stores: true)) }
                content = try stored.make()
                if case .user(let uid) = owner { known?.insert(uid) }
            }
            switch content {
            case .key(let key): return protection.isEnding ? .unsealing(key) : .sealed(key)
            case .locked(let reason): return .locked(reason)
            case .unavailable(let reason): return .unavailable(reason)
            }
        } catch { return .unavailable(error.description) }
    }

    /// A copy is plain, durably: its key is removed, durably, unless it is one that seals.
    func remove(of owner: WakeScope) throws(SystemError) {
        let stored = key(of: owner)
        guard let text = try stored.read() else { return }
        let isReleased = try Self.released(text) != nil
        guard isReleased || protection.isEnding else { return }
        try remove(stored)
        if case .user(let uid) = owner { known?.remove(uid) }
    }

    private func remove(_ stored: StoredKey) throws(SystemError) {
        try retrying("remove", subject: stored.path) { unlink(stored.path) }
        try DurableFile.synchronize(directory: directory)
    }

    /// The users with a key. The folder is read once, because nobody else makes keys; if it cannot be read, it is tried again.
    var users: Set<UInt32> {
        if let known { return known }
        do throws(SystemError) {
            let users = Set(try FileNames.list(in: directory).compactMap(Self.owner).compactMap { UInt32($0) })
            known = users
            return users
        } catch {
            Log.error("it is not known which users have copies of records that are sealed: \(error)")
            return []
        }
    }

    /// Removes the key of a user whose account was removed, so that an account that gets the number has a key of its own.
    func erase(_ uid: UInt32) throws(SystemError) {
        do throws(SystemError) { try remove(key(of: .user(uid))) } catch {
            guard error.code == ENOENT else { throw error }
            // An earlier removal may not be durable yet.
            try DurableFile.synchronize(directory: directory)
        }
        known?.remove(uid)
    }

    /// Releases the keys that the present file of keys opens, durably, because protection is being switched off. Returns whether
    /// none of them remains sealed.
    func release() -> Bool {
        let owners: [String]
        do throws(SystemError) { owners = try FileNames.list(in: directory).compactMap(Self.owner) } catch {
            Log.warning("the keys of copies cannot be released: \(error)")
            return false
        }
        var isDone = true
        for owner in owners {
            do throws(SystemError) {
                if !(try release(key(named: owner))) { isDone = false }
            } catch {
                Log.warning("a key cannot be released: \(error)")
                isDone = false
            }
        }
        return isDone
    }

    private func release(_ stored: StoredKey) throws(SystemError) -> Bool {
        guard let text = try stored.read(), try Self.released(text) == nil else { return true }
        // What these keys do not open anyway stays as it is.
        guard let value = stored.value(of: text), value.keyFile == protection.file?.id else { return true }
        switch try stored.open(text) {
        case .key(let key):
            try key.withCopy { bytes throws(SystemError) in try stored.store(Self.released + HexText.text(bytes)) }
            return true
        case .locked: return false
        case .unavailable(let reason):
            Log.error("a copy of records remains sealed: \(reason)")
            return true
        }
    }

    private static func released(_ text: String) throws(SystemError) -> SymmetricKey? {
        guard text.hasPrefix(released) else { return nil }
        return try StoredKey.key(in: text.dropFirst(released.count))
    }

    /// The owner of the key in a file of this name; nil for another file.
    private static func owner(_ file: String) -> String? {
        guard file.hasPrefix(prefix), file.hasSuffix(suffix) else { return nil }
        let owner = String(file.dropFirst(prefix.count).dropLast(suffix.count))
        return owner == machine || UInt32(owner).map(String.init) == owner ? owner : nil
    }
}

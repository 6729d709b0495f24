import Cryptography
import Glibc
import Location
import Platform
import Protection

/// The files of data protection in the state directory: the keys, and the record of attempts. Both are replaced atomically. Those of
/// a user are `UID.keys` and `UID.attempts` in the folder `protection`.
struct ProtectionFiles: Sendable {
    /// The folder of users' files.
    private static let folder = "protection"

    /// The user whose files they are; nil for the machine's.
    let user: UInt32?
    /// The folder in which the files are.
    private let directory: String
    private let stateDirectory: String
    /// The file of keys.
    private let keys: String
    /// The record of attempts, and of the newest file of keys.
    private let attempts: String

    init(directory: String, user: UInt32? = nil) {
        stateDirectory = directory
        self.user = user
        self.directory = user == nil ? directory : "\(directory)/\(Self.folder)"
        let name = user.map { "\($0)" } ?? "protection"
        (keys, attempts) = ("\(name).keys", "\(name).attempts")
    }

    /// The files of a user in the same state directory.
    func of(_ user: UInt32) -> ProtectionFiles { ProtectionFiles(directory: stateDirectory, user: user) }

    /// The users who have a file of keys.
    func users() throws(SystemError) -> [UInt32] {
        let path = "\(stateDirectory)/\(Self.folder)"
        guard let folder = opendir(path) else {
            if errno == ENOENT { return [] }
            throw SystemError("open", subject: path)
        }
        defer { closedir(folder) }
        var users: [UInt32] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else {
                if errno != 0 { throw SystemError("read", subject: path) }
                return users.sorted()
            }
            // readdir(3) ends d_name with NUL inside the entry.
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            // Other spellings of a number are no files of this program.
            if name.hasSuffix(".keys"), let uid = UInt32(name.dropLast(5)), "\(uid).keys" == name { users.append(uid) }
        }
    }

    /// Whether there is a file of keys.
    var hasKeys: Bool { access("\(directory)/\(keys)", F_OK) == 0 }

    /// The file of keys; nil if there is none. The problem, for people, if it cannot be used.
    func loadKeys(machine: SymmetricKey, _ record: AttemptRecord) -> Result<KeyFile?, ProtectionProblem> {
        do throws(SystemError) {
            let text = try BoundedFile.bytes(of: "\(directory)/\(keys)", limit: KeyFile.limit)
            do throws(KeyFile.Damage) {
                let file = try KeyFile(text: text, of: user, machine: machine)
                if let objection = record.objection(to: file) { throw objection }
                return .success(file)
            } catch { return .failure(ProtectionProblem("\(directory)/\(keys): \(error)")) }
        } catch {
            return error.code == ENOENT ? .success(nil) : .failure(ProtectionProblem(error.description))
        }
    }

    /// The record of attempts.
    func loadRecord(machine: SymmetricKey, at now: UTCTime) -> AttemptRecord {
        do throws(SystemError) {
            let text = try BoundedFile.bytes(of: "\(directory)/\(attempts)", limit: Self.recordLimit)
            return AttemptRecord(text: text, of: user, machine: machine, at: now)
        } catch {
            return error.code == ENOENT ? AttemptRecord() : AttemptRecord(text: [], of: user, machine: machine, at: now)
        }
    }

    /// Exchanges the machine's secret in both files, as far as they were made with the former one: first in the keys, because an
    /// older record accepts both. Files of another secret, and damaged ones, stay as they are. Returns whether something was
    /// exchanged.
    func exchange(from former: SymmetricKey, to machine: SymmetricKey, at now: UTCTime) throws(SystemError) -> Bool {
        let name = MachineIdentity.name(of: former)
        var hasExchanged = false
        if let text = try text(of: keys, limit: KeyFile.limit), MachineIdentity.name(in: text) == name,
            let carried = try carried(text, from: former, to: machine)
        {
            try DurableFile.replace(
                keys, in: directory, with: carried.text(machine: machine), noun: "the file of keys")
            hasExchanged = true
        }
        if let text = try text(of: attempts, limit: Self.recordLimit), MachineIdentity.name(in: text) == name {
            try store(AttemptRecord(text: text, of: user, machine: former, at: now), machine: machine)
            hasExchanged = true
        }
        return hasExchanged
    }

    private func carried(
        _ text: [UInt8], from former: SymmetricKey, to machine: SymmetricKey
    ) throws(SystemError) -> KeyFile? {
        let file: KeyFile
        do throws(KeyFile.Damage) { file = try KeyFile(text: text, of: user, machine: former) } catch { return nil }
        return try file.carried(from: former, to: machine)
    }

    private func text(of name: String, limit: Int) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) { return try BoundedFile.bytes(of: "\(directory)/\(name)", limit: limit) } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// The most bytes of a record of attempts.
    private static let recordLimit = 4_096

    /// Stores the file of keys, durably, and then that no earlier one is accepted. A crash between the two leaves a record
    /// that accepts both.
    func store(_ file: KeyFile, _ record: inout AttemptRecord, machine: SymmetricKey) throws(SystemError) {
        try makeFolder()
        try DurableFile.replace(
            keys, in: directory, with: file.text(machine: machine), noun: "the file of keys")
        record.use(file)
        try store(record, machine: machine)
    }

    /// Stores the first file of keys. What is left of a record of earlier keys, whose removal was interrupted, is removed before:
    /// after a crash it would refuse the new file.
    func storeFirst(_ file: KeyFile, _ record: inout AttemptRecord, machine: SymmetricKey) throws(SystemError) {
        try remove(attempts)
        try store(file, &record, machine: machine)
    }

    private func makeFolder() throws(SystemError) {
        guard user != nil, mkdir(directory, 0o700) == 0 || errno != EEXIST else { return }
        guard access(directory, F_OK) == 0 else { throw SystemError("make", subject: directory) }
        try DurableFile.synchronize(directory: stateDirectory)
    }

    /// Removes all keys, durably, and the record of attempts. That of the regions, which are the machine's, is not needed any more
    /// before the file of keys is removed.
    func remove() throws(SystemError) {
        for name in (user == nil ? [RegionKey.file] : []) + [keys, attempts] { try remove(name) }
    }

    private func remove(_ name: String) throws(SystemError) {
        let path = "\(directory)/\(name)"
        guard access(path, F_OK) == 0 || errno != ENOENT else { return }
        try retrying("remove", subject: path) { unlink(path) }
        try DurableFile.synchronize(directory: directory)
    }

    /// Stores the record of attempts, durably.
    func store(_ record: AttemptRecord, machine: SymmetricKey) throws(SystemError) {
        try DurableFile.replace(
            attempts, in: directory, with: record.text(of: user, machine: machine), noun: "the record of attempts")
    }
}

/// Why data protection cannot be used, for people.
struct ProtectionProblem: Error, Equatable {
    let text: String

    init(_ text: String) { self.text = text }
}

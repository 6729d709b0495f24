import Cryptography
import Glibc
import Location
import Platform
import Protection

/// The files of data protection in the state directory: the keys, and the record of attempts. Both are replaced atomically.
struct ProtectionFiles: Sendable {
    /// The file of keys.
    static let keys = "protection.keys"
    /// The record of attempts, and of the newest file of keys.
    static let attempts = "protection.attempts"

    let directory: String

    /// Whether there is a file of keys.
    var hasKeys: Bool { access("\(directory)/\(Self.keys)", F_OK) == 0 }

    /// The file of keys; nil if there is none. The problem, for people, if it cannot be used.
    func loadKeys(machine: SymmetricKey, _ record: AttemptRecord) -> Result<KeyFile?, ProtectionProblem> {
        do throws(SystemError) {
            let text = try BoundedFile.bytes(of: "\(directory)/\(Self.keys)", limit: KeyFile.limit)
            do throws(KeyFile.Damage) {
                let file = try KeyFile(text: text, machine: machine)
                if file.generation < record.generation { throw .outdated }
                return .success(file)
            } catch { return .failure(ProtectionProblem("\(directory)/\(Self.keys): \(error)")) }
        } catch {
            return error.code == ENOENT ? .success(nil) : .failure(ProtectionProblem(error.description))
        }
    }

    /// The record of attempts.
    func loadRecord(machine: SymmetricKey, at now: UTCTime) -> AttemptRecord {
        do throws(SystemError) {
            let text = try BoundedFile.bytes(of: "\(directory)/\(Self.attempts)", limit: Self.recordLimit)
            return AttemptRecord(text: text, machine: machine, at: now)
        } catch {
            return error.code == ENOENT ? AttemptRecord() : AttemptRecord(text: [], machine: machine, at: now)
        }
    }

    /// Exchanges the machine's secret in both files, as far as they were made with the former one: first in the keys, because an
    /// older record accepts both. Files of another secret, and damaged ones, stay as they are. Returns whether something was
    /// exchanged.
    func exchange(from former: SymmetricKey, to machine: SymmetricKey, at now: UTCTime) throws(SystemError) -> Bool {
        let name = MachineIdentity.name(of: former)
        var hasExchanged = false
        if let text = try text(of: Self.keys, limit: KeyFile.limit), MachineIdentity.name(in: text) == name,
            let carried = try carried(text, from: former, to: machine)
        {
            try DurableFile.replace(
                Self.keys, in: directory, with: carried.text(machine: machine), noun: "the file of keys")
            hasExchanged = true
        }
        if let text = try text(of: Self.attempts, limit: Self.recordLimit), MachineIdentity.name(in: text) == name {
            try store(AttemptRecord(text: text, machine: former, at: now), machine: machine)
            hasExchanged = true
        }
        return hasExchanged
    }

    private func carried(
        _ text: [UInt8], from former: SymmetricKey, to machine: SymmetricKey
    ) throws(SystemError) -> KeyFile? {
        let file: KeyFile
        do throws(KeyFile.Damage) { file = try KeyFile(text: text, machine: former) } catch { return nil }
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
        try DurableFile.replace(
            Self.keys, in: directory, with: file.text(machine: machine), noun: "the file of keys")
        record.generation = file.generation
        try store(record, machine: machine)
    }

    /// Removes all keys, durably, and the record of attempts. That of the regions is not needed any more before the file of keys
    /// is removed.
    func remove() throws(SystemError) {
        for name in [RegionKey.file, Self.keys, Self.attempts] {
            let path = "\(directory)/\(name)"
            guard access(path, F_OK) == 0 || errno != ENOENT else { continue }
            try retrying("remove", subject: path) { unlink(path) }
            try DurableFile.synchronize(directory: directory)
        }
    }

    /// Stores the record of attempts, durably.
    func store(_ record: AttemptRecord, machine: SymmetricKey) throws(SystemError) {
        try DurableFile.replace(
            Self.attempts, in: directory, with: record.text(machine: machine), noun: "the record of attempts")
    }
}

/// Why data protection cannot be used, for people.
struct ProtectionProblem: Error, Equatable {
    let text: String

    init(_ text: String) { self.text = text }
}

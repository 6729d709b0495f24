import Cryptography
import Glibc
import JSONText
import Platform
import Protection

/// A random key of a database whose pages are sealed, in a file of its own in the state directory. It is sealed with the class
/// `completeUntilFirstUnlock`, because the database is used while the machine is locked.
@DaemonActor
struct StoredKey {
    /// The key, or why there is none at present.
    enum Content {
        case key(SymmetricKey)
        /// Nobody has unlocked the data since the machine was started. The text says so to people.
        case locked(String)
        /// The key cannot be used. The text gives the reason to people.
        case unavailable(String)
    }

    /// The most bytes of a file.
    private static let limit = 4_096

    let directory: String
    /// The name of the file.
    let file: String
    /// The name with which the key is sealed, so that the file of another key is not accepted in its place.
    let name: String
    /// What is sealed with the key, as messages to people name it, such as "the regions".
    let noun: String
    let protection: DataProtection

    /// The path of the file.
    var path: String { "\(directory)/\(file)" }

    /// The text of the file; nil if there is none.
    func read() throws(SystemError) -> String? {
        do throws(SystemError) {
            return String(decoding: try BoundedFile.bytes(of: path, limit: Self.limit), as: UTF8.self)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// The value in the text of a file; nil if it is damaged.
    func value(of text: String) -> SealedValue? { SealedValue(stored: text, name: name) }

    /// The key in the text of the file.
    func open(_ text: String) throws(SystemError) -> Content {
        guard let value = value(of: text) else {
            return .unavailable("\(path) cannot be read: it is damaged, or of a newer release; restore it")
        }
        switch protection.open(value) {
        case .text(let digits):
            guard let key = try Self.key(in: digits) else { return .unavailable("\(path) has no key; restore it") }
            return .key(key)
        case .locked(let reason): return protection.isNeverUnlocked ? .locked(reason) : .unavailable(reason)
        case .damaged: return .unavailable("\(path) cannot be opened: it was changed; restore it")
        }
    }

    /// The key in hexadecimal digits; nil for another text.
    static func key(in digits: some StringProtocol) throws(SystemError) -> SymmetricKey? {
        try HexText.bytes(of: String(digits)).flatMap { bytes throws(SystemError) in
            try SymmetricKey(copying: bytes)
        }
    }

    /// Makes a key and stores it, durably.
    func make() throws(SystemError) -> Content {
        let new = try SymmetricKey.random()
        guard let value = new.withCopy({ protection.seal(HexText.text($0), name: name) }) else {
            return protection.isNeverUnlocked
                ? .locked(ReadingKey.locked.obstacle) : .unavailable("the key of \(noun) cannot be sealed")
        }
        try store(value.stored)
        return .key(new)
    }

    /// Replaces the text of the file, durably.
    func store(_ text: String) throws(SystemError) {
        try DurableFile.replace(file, in: directory, with: Array(text.utf8), noun: "the key of \(noun)")
    }
}

import Cryptography
import JSONText
import Location

// The file's text. The first line is the same in all formats: `waymark keys FORMAT MACHINE CODE`. MACHINE identifies the
// machine's secret without revealing it, and CODE authenticates the rest, which is JSON. A file is written with the first format
// that can express it.

extension KeyFile {
    /// The latest format that this release reads and writes: 1, 2 with slots that were carried to another secret of the machine,
    /// and 3 for the file of a user, which an earlier release would take for that of the machine.
    public static let format = 3
    /// The most bytes of a file.
    public static let limit = 64 << 10

    /// The reason why a file cannot be read.
    public enum Damage: Error, Equatable, CustomStringConvertible {
        /// The text is no file of keys.
        case notAKeyFile
        /// A later release has written it.
        case laterFormat(Int)
        /// The file was made with the secret of another machine.
        case otherMachine
        /// The file belongs to somebody else: to this user, or to the machine.
        case otherUser(UInt32?)
        /// The file was changed after it was written.
        case changed
        /// The file is older than the one that was last used.
        case outdated
        /// The file has other keys than the one that was last used.
        case otherKeys

        /// The reason and what to do, for people.
        public var description: String {
            switch self {
            case .notAKeyFile: "this is no file of keys: restore it from a backup of this machine"
            case .laterFormat(let format):
                "the file of keys has the format \(format), which a later release has written: install that release again"
            case .otherMachine:
                "the file of keys was made with the secret of another machine: restore that machine's secret, or the file of this one"
            case .otherUser(let user):
                "the file of keys belongs to \(user.map { "the user \($0)" } ?? "the machine") and is in the place of another:"
                    + " restore the one that belongs there"
            case .outdated:
                "the file of keys is older than the one that was last used, so that secrets in it may have been removed since:"
                    + " restore the latest one"
            case .otherKeys:
                "the file of keys is not the one that was last used, but has other keys, such as those of an earlier account"
                    + " with this number: restore the one that was last used"
            case .changed: "the file of keys was changed or damaged: restore it from a backup of this machine"
            }
        }
    }

    /// The text for the disk.
    public func text(machine: SymmetricKey) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", HexText.text(id))
            writer.member("generation", generation)
            writer.member("user", user.map { Int($0) })
            if isEnding { writer.member("ending", true) }
            writer.array("slots") { writer in
                for slot in slots {
                    writer.object { writer in
                        writer.member("number", slot.number)
                        writer.member("kind", slot.kind.word)
                        if case .passphrase(let hash) = slot.kind {
                            writer.member("salt", HexText.text(hash.salt))
                            writer.member("passes", hash.passes)
                            writer.member("memory", hash.memory)
                        }
                        writer.member(slot.isCarried ? "carried" : "wrapped", HexText.text(slot.wrapped))
                    }
                }
            }
            writer.array("classes") { writer in
                for key in classes {
                    writer.object { writer in
                        writer.member("class", key.protection.word)
                        writer.member("public", key.publicKey.map { HexText.text($0.bytes) })
                        writer.member("wrapped", HexText.text(key.wrapped))
                    }
                }
            }
        }
        let format = user != nil ? 3 : slots.contains(where: \.isCarried) ? 2 : 1
        return Self.form.text(writer.bytes, machine: machine, format: format)
    }

    /// The file in a text: that of the machine, or of a user.
    public init(text: [UInt8], of user: UInt32? = nil, machine: SymmetricKey) throws(Damage) {
        guard text.count <= Self.limit else { throw .notAKeyFile }
        let body: [UInt8]
        do throws(AuthenticatedText.Flaw) { body = try Self.form.body(of: text, machine: machine) } catch {
            switch error {
            case .other: throw .notAKeyFile
            case .laterFormat(let format): throw .laterFormat(format)
            case .otherMachine: throw .otherMachine
            case .changed: throw .changed
            }
        }
        guard let file = Self.parse(body) else { throw .changed }
        guard file.user == user else { throw .otherUser(file.user) }
        self = file
    }

    private static let form = AuthenticatedText(kind: "keys", purpose: "waymark key file", format: format)

    private static func parse(_ body: [UInt8]) -> KeyFile? {
        let json: JSON
        do throws(JSONError) { json = try JSON.parse(body, maximumDepth: 4) } catch { return nil }
        guard let id = json["id"]?.bytesOfHex, id.count == idSize, let generation = json["generation"]?.integerValue,
            generation > 0, let slots = json["slots"]?.arrayValue, (1...maximumSlots).contains(slots.count),
            let classes = json["classes"]?.arrayValue, classes.count == ProtectionClass.locking.count
        else { return nil }
        let readSlots = slots.compactMap(Keyslot.init(json:))
        let readClasses = classes.compactMap(ClassKey.init(json:))
        guard readSlots.count == slots.count, Set(readSlots.map(\.number)).count == slots.count,
            readClasses.map(\.protection) == ProtectionClass.locking
        else { return nil }
        var user: UInt32?
        if let number = json["user"] {
            guard let uid = number.integerValue.flatMap(UInt32.init(exactly:)) else { return nil }
            user = uid
        }
        return KeyFile(
            user: user, id: id, generation: Int(generation), slots: readSlots, classes: readClasses,
            isEnding: json["ending"]?.boolValue ?? false)
    }
}

extension Keyslot {
    fileprivate init?(json: JSON) {
        let carried = json["carried"]?.bytesOfHex
        guard let number = json["number"]?.integerValue, number > 0, let word = json["kind"]?.stringValue,
            let wrapped = carried ?? json["wrapped"]?.bytesOfHex,
            wrapped.count == (carried == nil ? Self.wrappedSize : Self.carriedSize)
        else { return nil }
        let kind: Kind
        switch word {
        case "recovery": kind = .recovery
        case "credential": kind = .credential
        case "passphrase":
            guard let salt = json["salt"]?.bytesOfHex, let passes = json["passes"]?.integerValue,
                let memory = json["memory"]?.integerValue,
                let hash = PassphraseHash(salt: salt, passes: Int(passes), memory: Int(memory))
            else { return nil }
            kind = .passphrase(hash)
        default: return nil
        }
        self.init(number: Int(number), kind: kind, wrapped: wrapped, isCarried: carried != nil)
    }
}

extension ClassKey {
    fileprivate init?(json: JSON) {
        guard let protection = json["class"]?.stringValue.flatMap(ProtectionClass.init(word:)),
            let wrapped = json["wrapped"]?.bytesOfHex, wrapped.count == Keyslot.wrappedSize
        else { return nil }
        let publicKey = json["public"]?.bytesOfHex.flatMap { SealingKeyPair.PublicKey($0) }
        guard (publicKey != nil) == (protection == .completeUnlessOpen) else { return nil }
        self.init(protection: protection, publicKey: publicKey, wrapped: wrapped)
    }
}

extension JSON {
    fileprivate var bytesOfHex: [UInt8]? { stringValue.flatMap(HexText.bytes(of:)) }
}

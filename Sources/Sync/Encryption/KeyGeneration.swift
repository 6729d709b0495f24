import Cryptography
import JSONText
import Platform
import Records

/// A key of an account, wrapped for each of the machines that may have it. Whenever a machine is trusted or removed, one of those
/// that have the key makes the next generation, with a new key. Documentation/sync.md describes the format, `keys of an account`.
///
/// Whoever opens a generation knows that its maker has made it: each key is wrapped with what only the two machines can compute from
/// their X25519 keys, so that the hub can neither make a generation nor add a machine to one.
struct KeyGeneration: Equatable, Sendable {
    /// A machine that has the key.
    struct Member: Equatable, Sendable {
        let name: DeviceID
        let key: SealingKeyPair.PublicKey

        init(_ name: DeviceID, _ key: SealingKeyPair.PublicKey) {
            self.name = name
            self.key = key
        }
    }

    /// What all members agree on.
    let statement: Statement
    /// The statement as its maker has written it, which is authenticated.
    let text: [UInt8]
    /// The key for each member, in their order.
    let wrapped: [[UInt8]]

    struct Statement: Equatable, Sendable {
        let account: AccountID
        /// 1, and one more with each change of the members.
        let number: Int64
        let maker: DeviceID
        let members: [Member]
        /// The key of the generation before, sealed with the key of this one; nil for the first.
        let previous: [UInt8]?
    }

    /// The most members, as many as an account has devices.
    static let mostMembers = 100
    private static let wrappedSize = SymmetricKey.size + SymmetricKey.overhead

    /// Makes a generation. Nil if a public key is one that libsodium refuses.
    /// - Parameters:
    ///   - members: All members, the maker among them.
    ///   - newcomer: The code of the member that was not in the generation before.
    ///   - previous: The key of the generation before; nil for the first.
    init?(
        _ number: Int64, by maker: DeviceIdentity, for members: [Member], newcomer: (DeviceID, PairingCode)? = nil,
        key: SymmetricKey, previous: SymmetricKey?
    ) throws(SystemError) {
        let account = maker.id.account
        statement = Statement(
            account: account, number: number, maker: maker.id.device, members: members,
            previous: previous.map { key.wrap($0, context: Self.previousContext(account, number)) })
        text = statement.json
        let context = Self.context(text)
        var wrapped: [[UInt8]] = []
        for member in members {
            let code = newcomer.flatMap { $0.0 == member.name ? $0.1 : nil }
            let shared = try Self.shared(
                maker.pair, member.key, maker: maker.pair.publicKey, member: member.key, code)
            guard let shared else { return nil }
            wrapped.append(shared.wrap(key, context: context))
        }
        self.wrapped = wrapped
    }

    /// The generation that a record has; nil for anything else.
    init?(text: [UInt8], wrapped bytes: [UInt8]) {
        guard let statement = Statement(json: text), bytes.count == statement.members.count * Self.wrappedSize else {
            return nil
        }
        self.statement = statement
        self.text = text
        wrapped = stride(from: 0, to: bytes.count, by: Self.wrappedSize).map { start in
            Array(bytes[start..<start + Self.wrappedSize])
        }
    }

    /// The key of a member, the one with this name; nil if there is none.
    func key(of device: DeviceID) -> SealingKeyPair.PublicKey? {
        statement.members.first { $0.name == device }?.key
    }

    /// Whether a machine is a member with its present key.
    func includes(_ member: Member) -> Bool { statement.members.contains(member) }

    /// The key, for a member; nil if it is none, or the generation was not made by the owner of this key.
    /// - Parameters:
    ///   - makerKey: The key by which this machine knows the maker.
    ///   - code: The code of this machine, if it was not a member of the generation before.
    func open(
        by identity: DeviceIdentity, makerKey: SealingKeyPair.PublicKey, code: PairingCode? = nil
    ) throws(SystemError) -> SymmetricKey? {
        guard statement.account == identity.id.account,
            let index = statement.members.firstIndex(of: identity.member)
        else { return nil }
        let shared = try Self.shared(
            identity.pair, makerKey, maker: makerKey, member: identity.pair.publicKey, code)
        return try shared?.unwrap(wrapped[index], context: Self.context(text))
    }

    /// The key of the generation before; nil if there is none, or this is not the key of this generation.
    func openPrevious(with key: SymmetricKey) throws(SystemError) -> SymmetricKey? {
        try statement.previous.flatMap { (sealed) throws(SystemError) in
            try key.unwrap(sealed, context: Self.previousContext(statement.account, statement.number))
        }
    }

    private static func context(_ text: [UInt8]) -> [UInt8] { "waymark wrapped key 1 ".utf8 + Digest.digest(of: text) }

    private static func previousContext(_ account: AccountID, _ number: Int64) -> [UInt8] {
        Array("waymark former key 1 \(account) \(number)".utf8)
    }

    /// What only the maker and the member can compute; for a newcomer only with its code.
    private static func shared(
        _ own: SealingKeyPair, _ other: SealingKeyPair.PublicKey, maker: SealingKeyPair.PublicKey,
        member: SealingKeyPair.PublicKey, _ code: PairingCode?
    ) throws(SystemError) -> SymmetricKey? {
        try own.shared(with: other, for: "waymark key wrap", maker.bytes + member.bytes + (code?.bytes ?? []))
    }
}

extension KeyGeneration.Statement {
    /// The statement as JSON.
    fileprivate var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("account", account.text)
            writer.member("number", number)
            writer.member("maker", maker.text)
            writer.array("members") { writer in
                for member in members {
                    writer.object { writer in
                        writer.member("name", member.name.text)
                        writer.member("key", HexText.text(member.key.bytes))
                    }
                }
            }
            writer.member("previous", previous.map(HexText.text))
        }
        return writer.bytes
    }

    fileprivate init?(json: [UInt8]) {
        guard let json = try? JSON.parse(json, maximumDepth: 4, maximumValues: 1_024),
            let account = json["account"]?.stringValue.flatMap(AccountID.init),
            let number = json["number"]?.integerValue, number > 0,
            let maker = json["maker"]?.stringValue.flatMap(DeviceID.init), let list = json["members"]?.arrayValue,
            (1...KeyGeneration.mostMembers).contains(list.count)
        else { return nil }
        let members = list.compactMap { member -> KeyGeneration.Member? in
            guard let name = member["name"]?.stringValue.flatMap(DeviceID.init),
                let key = member["key"]?.stringValue.flatMap(HexText.bytes(of:)).flatMap(SealingKeyPair.PublicKey.init)
            else { return nil }
            return KeyGeneration.Member(name, key)
        }
        let previous = json["previous"]?.stringValue.flatMap(HexText.bytes(of:))
        guard members.count == list.count, Set(members.map(\.name)).count == members.count,
            members.contains(where: { $0.name == maker }), (previous == nil) == (number == 1)
        else { return nil }
        self.init(account: account, number: number, maker: maker, members: members, previous: previous)
    }
}

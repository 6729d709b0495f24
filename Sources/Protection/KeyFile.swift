import Cryptography
import Location
import Platform

/// The keys of a state directory, each wrapped: what a passphrase unlocks, and nothing that can be read without one.
///
/// A root key is wrapped once for each secret that unlocks (`Keyslot`), and wraps one key for each class (`ClassKey`). A
/// changed passphrase wraps the root key anew and encrypts no data again. A code with the machine's secret covers the whole
/// file, so that a changed one, and one of another machine, is detected before anything in it is used.
public struct KeyFile: Equatable, Sendable {
    /// What belongs to every context: the number of the file, whose it is, and the machine's secret.
    struct Identity: Sendable {
        let id: [UInt8]
        let user: UInt32?
        let machine: SymmetricKey

        /// The part of a context that names the file. That of a user has the user as well, so that not even whoever has the
        /// machine's secret can make the file of another user of it.
        var name: [UInt8] { KeyFile.name(id, user) }
    }

    /// The reason why a file is not used, or a secret does not unlock.
    public enum Failure: Error, Equatable, CustomStringConvertible {
        /// No slot opens with the secret.
        case wrongSecret
        /// The last slot cannot be removed.
        case lastSlot
        /// There is no slot of this number.
        case noSuchSlot(Int)
        /// There are as many slots as there may be.
        case tooManySlots
        /// A call into the system failed.
        case system(SystemError)

        /// The failure and what to do, for people. Never a secret.
        public var description: String {
            switch self {
            case .wrongSecret: "no passphrase, recovery key or credential of this machine is the one that was given"
            case .lastSlot:
                "the last secret cannot be removed, because nothing could unlock afterwards: add another one first"
            case .noSuchSlot(let number): "there is no secret number \(number): `waymark protection status` lists them"
            case .tooManySlots: "there are \(KeyFile.maximumSlots) secrets already: remove one first"
            case .system(let error): error.description
            }
        }
    }

    /// The most secrets of a file.
    public static let maximumSlots = 16
    /// The size of `id`.
    static let idSize = 16

    /// The user whose recordings are sealed with these keys; nil for the keys of the machine.
    public let user: UInt32?
    /// A random number of this file: a part of the context of everything that is sealed with its keys.
    public let id: [UInt8]
    /// Grows with every change. Whoever has seen a later one can refuse an earlier file.
    public let generation: Int
    /// The secrets that unlock, in the order in which they were added.
    public let slots: [Keyslot]
    /// One key for each class that locks.
    let classes: [ClassKey]
    /// Whether protection is being switched off: nothing is sealed with these keys any more, and what was is brought back.
    public let isEnding: Bool

    init(
        user: UInt32? = nil, id: [UInt8], generation: Int, slots: [Keyslot], classes: [ClassKey], isEnding: Bool = false
    ) {
        self.user = user
        self.id = id
        self.generation = generation
        self.slots = slots
        self.classes = classes
        self.isEnding = isEnding
    }

    /// New keys, unlocked by one secret: those of the machine, or of a user.
    public static func make(
        for secret: UnlockSecret, of user: UInt32? = nil, machine: SymmetricKey, cost: PassphraseHash = .moderate()
    ) throws(Failure) -> (file: KeyFile, keys: UnlockedKeys) {
        do throws(SystemError) {
            let root = try SymmetricKey.random()
            let id = RandomBytes.make(idSize)
            var classes: [ClassKey] = []
            for protection in ProtectionClass.locking {
                classes.append(try ClassKey(making: protection, root: root, name(id, user)))
            }
            let slot = try Keyslot(
                root, number: 1, for: secret, cost: cost, Identity(id: id, user: user, machine: machine))
            let file = KeyFile(user: user, id: id, generation: 1, slots: [slot], classes: classes)
            return (file, try file.keys(root))
        } catch { throw .system(error) }
    }

    /// The keys, if a slot opens with the secret. It takes as long as the derivation of a passphrase for each slot of
    /// that kind.
    public func unlock(with secret: UnlockSecret, machine: SymmetricKey) throws(Failure) -> UnlockedKeys {
        try open(with: secret, machine: machine).keys
    }

    /// The same, and the number of the slot that opened.
    public func open(
        with secret: UnlockSecret, machine: SymmetricKey
    ) throws(Failure) -> (keys: UnlockedKeys, slot: Keyslot) {
        do throws(SystemError) {
            for slot in slots {
                guard let root = try slot.open(with: secret, identity(machine)) else { continue }
                return (try keys(root), slot)
            }
        } catch { throw .system(error) }
        throw .wrongSecret
    }

    /// The file with another secret that unlocks it.
    public func adding(
        _ secret: UnlockSecret, _ keys: UnlockedKeys, machine: SymmetricKey, cost: PassphraseHash = .moderate()
    ) throws(Failure) -> KeyFile {
        guard slots.count < Self.maximumSlots else { throw .tooManySlots }
        return changed(slots + [try slot(for: secret, keys, machine, cost)])
    }

    /// The file with another secret in place of one of its secrets.
    public func replacing(
        _ number: Int, by secret: UnlockSecret, _ keys: UnlockedKeys, machine: SymmetricKey,
        cost: PassphraseHash = .moderate()
    ) throws(Failure) -> KeyFile {
        guard slots.contains(where: { $0.number == number }) else { throw .noSuchSlot(number) }
        let slot = try slot(for: secret, keys, machine, cost)
        return changed(slots.map { $0.number == number ? slot : $0 })
    }

    /// The file without one of its secrets.
    public func removing(_ number: Int) throws(Failure) -> KeyFile {
        let rest = slots.filter { $0.number != number }
        guard rest.count < slots.count else { throw .noSuchSlot(number) }
        guard !rest.isEmpty else { throw .lastSlot }
        return changed(rest)
    }

    /// The file of a machine whose protection is being switched off.
    public func ending() -> KeyFile {
        KeyFile(
            user: user, id: id, generation: generation + 1, slots: slots, classes: classes, isEnding: true)
    }

    /// The file for another secret of the machine: every secret that unlocks goes on to do so, although none of them is known here.
    /// Nil if a slot was changed.
    public func carried(from former: SymmetricKey, to machine: SymmetricKey) throws(SystemError) -> KeyFile? {
        var carried: [Keyslot] = []
        for slot in slots {
            guard let slot = try slot.carried(from: identity(former), to: machine) else { return nil }
            carried.append(slot)
        }
        return changed(carried)
    }

    /// The file without anything of a former secret of the machine in the slot that a secret has opened.
    public func settling(
        _ number: Int, with secret: UnlockSecret, _ keys: UnlockedKeys, machine: SymmetricKey
    ) throws(SystemError) -> KeyFile {
        var settled: [Keyslot] = []
        for slot in slots {
            let isOpened = slot.number == number
            settled.append(
                isOpened ? try slot.settled(keys.root, for: secret, identity(machine)) : slot)
        }
        return changed(settled)
    }

    /// The public key of a class that is written while the machine is locked.
    public var sealingKey: SealingKeyPair.PublicKey? { classes.lazy.compactMap(\.publicKey).first }

    private func identity(_ machine: SymmetricKey) -> Identity { Identity(id: id, user: user, machine: machine) }

    /// The part of a context that names a file.
    private static func name(_ id: [UInt8], _ user: UInt32?) -> [UInt8] {
        id + (user.map { Array(" user \($0)".utf8) } ?? [])
    }

    /// A slot with a number that no present one has.
    private func slot(
        for secret: UnlockSecret, _ keys: UnlockedKeys, _ machine: SymmetricKey, _ cost: PassphraseHash
    ) throws(Failure) -> Keyslot {
        let number = (slots.map(\.number).max() ?? 0) + 1
        do throws(SystemError) {
            return try Keyslot(keys.root, number: number, for: secret, cost: cost, identity(machine))
        } catch { throw .system(error) }
    }

    private func changed(_ slots: [Keyslot]) -> KeyFile {
        KeyFile(
            user: user, id: id, generation: generation + 1, slots: slots, classes: classes, isEnding: isEnding)
    }

    private func keys(_ root: SymmetricKey) throws(SystemError) -> UnlockedKeys {
        var keys: [ProtectionClass: SymmetricKey] = [:]
        for key in classes { keys[key.protection] = try key.open(root: root, Self.name(id, user)) }
        return UnlockedKeys(root: root, keys: keys)
    }
}

import Cryptography
import Location

/// The keys with which rows can be sealed and opened at present. A key that is no longer a part of it is zeroed when its last
/// user has let it go.
public struct AvailableKeys: Sendable {
    /// The key of the class `none`, derived from the machine's secret; nil without that secret.
    public let machine: SymmetricKey?
    /// The `id` of the file of keys; nil where no passphrase was set, or the file cannot be used.
    public let keyFile: [UInt8]?
    /// Whether protection with these keys is being switched off: new rows are sealed with other keys, if those can write.
    public let isEnding: Bool
    /// The public key of the class that is written while the machine is locked.
    private let sealingKey: SealingKeyPair.PublicKey?
    /// The keys of the other classes, as far as the state of the machine permits.
    private let unlocked: [ProtectionClass: SymmetricKey]

    /// The keys of a machine in a state. `keys` are those that a passphrase has unlocked; what the state does not permit is not
    /// a part of the value.
    public init(
        machine: SymmetricKey?, file: KeyFile? = nil, keys: UnlockedKeys? = nil, state: LockState = .neverUnlocked
    ) {
        self.machine = machine
        keyFile = file?.id
        isEnding = file?.isEnding ?? false
        sealingKey = file?.sealingKey
        var permitted: [ProtectionClass: SymmetricKey] = [:]
        for protection in ProtectionClass.locking where protection.canBeRead(state) {
            permitted[protection] = keys?[protection]
        }
        unlocked = permitted
    }

    private init(_ other: AvailableKeys, machine: SymmetricKey?, unlocked: [ProtectionClass: SymmetricKey]) {
        self.machine = machine
        (keyFile, isEnding) = (other.keyFile, other.isEnding)
        sealingKey = other.sealingKey
        self.unlocked = unlocked
    }

    /// The same keys with another key of the class `none`.
    public func with(machine: SymmetricKey) -> AvailableKeys {
        AvailableKeys(self, machine: machine, unlocked: unlocked)
    }

    /// The keys of these that a locked machine has.
    public func locked() -> AvailableKeys {
        AvailableKeys(self, machine: machine, unlocked: unlocked.filter { $0.key.canBeRead(.locked) })
    }

    /// What begins a segment of a class; nil if the class cannot be written.
    public func writing(_ protection: ProtectionClass) -> WritingKeys? {
        switch protection {
        case .none: machine.map(WritingKeys.symmetric)
        case .completeUnlessOpen: sealingKey.map(WritingKeys.sealing)
        case .complete, .completeUntilFirstUnlock: unlocked[protection].map(WritingKeys.symmetric)
        }
    }

    /// The `id` of the file of keys in the place of a new segment.
    public func keyFile(of protection: ProtectionClass) -> [UInt8] { protection == .none ? [] : keyFile ?? [] }

    /// The key that opens segments in a place.
    public func reading(_ place: Segment.Place) -> ReadingKey {
        if place.protection == .none { return machine.map(ReadingKey.key) ?? .noMachineSecret }
        guard place.keyFile == keyFile else { return .otherKeyFile }
        return unlocked[place.protection].map(ReadingKey.key) ?? .locked
    }
}

/// The key that opens a segment, or why there is none at present.
public enum ReadingKey: Sendable {
    /// The key.
    case key(SymmetricKey)
    /// The machine is locked, or was not unlocked since it was started.
    case locked
    /// The machine's secret is missing.
    case noMachineSecret
    /// The segment was sealed with the keys of another file than the present one.
    case otherKeyFile

    /// Why a segment cannot be opened, for people; empty if it can.
    public var obstacle: String {
        switch self {
        case .key: ""
        case .locked: "the data is locked: unlock it with `waymark unlock`"
        case .noMachineSecret: "the machine's secret is missing: `waymark protection status` says where it was expected"
        case .otherKeyFile:
            "it was sealed with the keys of another file than the present one: restore the file protection.keys, or that of its"
                + " user below protection, that belongs to it"
        }
    }
}

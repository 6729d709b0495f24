import Cryptography
import Location

/// The keys of all classes, while the machine is unlocked. The keys are zeroed when the last reference to them ends.
public struct UnlockedKeys: Sendable {
    /// The key that wraps the others.
    let root: SymmetricKey
    /// The keys by their classes; those that are damaged are missing.
    let keys: [ProtectionClass: SymmetricKey]

    /// The key of a class; nil if it is damaged, or the class has none in the file.
    public subscript(_ protection: ProtectionClass) -> SymmetricKey? { keys[protection] }

    /// The classes whose keys were damaged in the file.
    public var damaged: [ProtectionClass] { ProtectionClass.locking.filter { keys[$0] == nil } }
}

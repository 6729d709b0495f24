import Cryptography
import Platform

/// The key of the class `none`, which needs nothing but the machine's secret. It belongs to no file of keys, so that it stays
/// the same when a passphrase is set for the first time, changed or removed.
public enum MachineKey {
    /// The key, derived from the machine's secret.
    public static func derived(from machine: SymmetricKey) throws(SystemError) -> SymmetricKey {
        try machine.derived(for: "waymark class no")
    }
}

import Cryptography

/// How a database is stored.
public enum DatabaseSealing: Sendable {
    /// Plain: no passphrase was set.
    case plain
    /// With every page sealed by this key. A plain file is replaced by a sealed one when it is opened next.
    case sealed(SymmetricKey)
    /// Plain again: a file that is sealed by this key is replaced by a plain one when it is opened next.
    case unsealing(SymmetricKey)
    /// The data is locked, for this reason, for people. Nothing is stored or read until it is unlocked.
    case locked(String)
    /// The key cannot be used, for this reason, for people. Nothing is stored or read.
    case unavailable(String)
}

import Interfaces
import TestSupport
import Varlink

/// An operation of data protection that may be interrupted, and the secrets that unlock before and after it.
enum ProtectionOperation: String, CaseIterable, Sendable {
    /// With the sealing of everything that was recorded before.
    case setPassphrase
    case changePassphrase
    case addPassphrase
    case addRecovery
    case removePassphrase
    /// With the return of everything to the class none, or from a user's keys to the machine's.
    case switchOff
    /// While positions are recorded and queued.
    case lock
    /// The same.
    case unlock

    private static let new = "a lamp over the workbench"

    /// Whether a passphrase was set before.
    var isSealedBefore: Bool { self != .setPassphrase }
    /// Whether positions are recorded meanwhile.
    var records: Bool { self == .lock || self == .unlock }

    /// The secrets that unlock before; empty if there is no protection.
    var before: Set<String> { isSealedBefore ? [PreparedProtection.first, PreparedProtection.second] : [] }

    /// Those afterwards, without a recovery key, which is not known before.
    var after: Set<String> {
        switch self {
        case .setPassphrase: [Self.new]
        case .changePassphrase: [Self.new, PreparedProtection.second]
        case .addPassphrase: [PreparedProtection.first, PreparedProtection.second, Self.new]
        case .removePassphrase: [PreparedProtection.first]
        case .switchOff: []
        case .addRecovery, .lock, .unlock: before
        }
    }

    /// Makes the calls. Returns the words of a new recovery key.
    func perform(by owner: Client) throws -> String? {
        let (first, patience) = (PreparedProtection.first, Duration.seconds(60))
        switch self {
        case .setPassphrase:
            _ = try owner.call(ProtectionInterface.SetPassphrase(passphrase: Self.new), timeout: patience)
        case .changePassphrase:
            _ = try owner.call(
                ProtectionInterface.ChangePassphrase(secret: first, passphrase: Self.new), timeout: patience)
        case .addPassphrase:
            _ = try owner.call(
                ProtectionInterface.AddPassphrase(secret: first, passphrase: Self.new), timeout: patience)
        case .addRecovery:
            return try owner.call(ProtectionInterface.AddRecovery(secret: first), timeout: patience).words
        case .removePassphrase:
            _ = try owner.call(ProtectionInterface.Remove(secret: first, number: 2), timeout: patience)
        case .switchOff: _ = try owner.call(ProtectionInterface.SwitchOff(secret: first), timeout: patience)
        case .lock: _ = try owner.call(ProtectionInterface.Lock(), timeout: patience)
        case .unlock: _ = try owner.call(ProtectionInterface.Unlock(secret: first), timeout: patience)
        }
        return nil
    }

    /// Whether everything that the operation begins is done.
    func isDone(_ status: ProtectionInterface.Report) -> Bool {
        switch self {
        case .setPassphrase: status.state == .unlocked && status.rowsToSeal == 0
        case .changePassphrase, .addPassphrase, .addRecovery, .removePassphrase: true
        case .switchOff: status.state == .open
        case .lock: status.state == .locked
        case .unlock: status.state == .unlocked && status.rowsToSeal == 0
        }
    }
}

import Interfaces
import Platform
import Protection

/// Why an operation with a secret was not done.
enum ProtectionFailure: Error, Equatable {
    /// The secret unlocks nothing here.
    case wrongSecret
    /// The next attempt is accepted after so many seconds.
    case tooManyAttempts(Double)
    case noPassphrase
    /// A user has set none.
    case noOwnPassphrase
    case passphraseExists
    /// Why the new secret is none.
    case invalidSecret(String)
    /// Why the slot cannot be changed.
    case invalidSlot(String)
    /// Why the machine's secret cannot be exchanged, with the next step.
    case noNewSecret(String)
    case busy
    /// The data may belong to another account than before.
    case suspended
    /// Nobody may have keys of his own with this user id, and why.
    case noOwnKeys(String)
    /// Protection is being switched off.
    case ending
    /// What cannot be used, for people.
    case unavailable(String)

    init(_ failure: KeyFile.Failure) {
        switch failure {
        case .wrongSecret: self = .wrongSecret
        case .lastSlot, .noSuchSlot, .tooManySlots: self = .invalidSlot(failure.description)
        case .system(let error): self = .unavailable(error.description)
        }
    }
}

extension ProtectionInterface.Failure {
    /// The failure with the next step.
    init(_ failure: ProtectionFailure) {
        switch failure {
        case .wrongSecret:
            self = .wrongSecret(
                message: "This secret does not unlock the data. Nothing was changed. Check its spelling, and try again."
            )
        case .tooManyAttempts(let wait):
            self = .tooManyAttempts(
                wait: wait,
                message: "There were too many wrong secrets. The next attempt is accepted in"
                    + " \(Int(wait.rounded(.up))) seconds.")
        case .noPassphrase:
            self = .noPassphrase(
                message: "No passphrase was set, so nothing is locked. Set one: waymark protection set-passphrase.")
        case .noOwnPassphrase:
            self = .noPassphrase(
                message: "This user has set no passphrase, so that the machine's lock applies. To set one:"
                    + " waymark protection set-passphrase.")
        case .passphraseExists:
            self = .passphraseExists(
                message: "A passphrase was set already. To replace it: waymark protection change.")
        case .invalidSecret(let reason): self = .invalidSecret(message: "The secret cannot be used: \(reason).")
        case .invalidSlot(let reason): self = .invalidSlot(message: "Nothing was changed: \(reason).")
        case .noNewSecret(let reason): self = .invalidSecret(message: "Nothing was exchanged: \(reason).")
        case .suspended:
            self = .unavailable(
                message:
                    "The account of this user was removed or changed, so that its data stays locked. An operator decides:"
                    + " waymark users.")
        case .noOwnKeys(let reason):
            self = .unavailable(message: "This user cannot have a passphrase of its own: \(reason).")
        case .busy:
            self = .busy(message: "Another operation on these keys is in progress. Try again in a second.")
        case .ending:
            self = .unavailable(
                message: "Data protection is being switched off. `waymark protection status` shows when that is done.")
        case .unavailable(let reason):
            self = .unavailable(
                message: "Data protection is unavailable: \(reason). See `waymark protection status`.")
        }
    }
}

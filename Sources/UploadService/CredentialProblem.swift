import Configuration

/// The reason why a credential cannot be used. The text names the credential and the next step, and never contains any
/// of its contents.
public struct CredentialProblem: Error, Equatable, CustomStringConvertible {
    /// The kind of problem.
    public enum Fault: Equatable, Sendable {
        /// The service was started without credentials.
        case noCredentials
        /// The service has no credential of this name.
        case missing
        /// The file cannot be read; the text is the system's error message.
        case unreadable(String)
        /// The file has more bytes than any credential needs.
        case tooLong
        /// The file is empty.
        case empty
        /// The contents are not text on one line.
        case notOneLine
        /// There is no colon between user and password.
        case noColon
        /// A character is not allowed in a header.
        case notAToken
        /// There is no certificate in PEM.
        case noCertificate
        /// There is no private key in PEM.
        case noKey
        /// The private key requires a pass phrase, which cannot be entered.
        case keyIsEncrypted
        /// The contents are no key for OwnTracks' encryption, for this reason.
        case notAKey(String)
        /// A character is not allowed in an address.
        case notForAnAddress
    }

    /// The credential's name.
    public let name: String
    /// The kind of problem.
    public let fault: Fault

    /// A problem with a credential.
    public init(_ name: String, _ fault: Fault) {
        self.name = name
        self.fault = fault
    }

    /// The problem and the next step, including how the corrected credential is loaded.
    public func text(_ renewal: CredentialRenewal) -> String {
        let end = renewal.instruction
        switch fault {
        case .noCredentials, .missing:
            let place = renewal == .reload ? ", or the file \(name) to $CREDENTIALS_DIRECTORY," : ""
            let addition = "add LoadCredential=\(name):FILE to the service (`systemctl edit`)\(place)"
            return "\(description): \(addition) and \(end)"
        default: return "\(description). Correct it, then \(end)"
        }
    }

    private var subject: String { "the credential \(ConfigurationProblem.printable(name))" }

    /// The problem, for people.
    public var description: String {
        switch fault {
        case .noCredentials, .missing: return "\(subject) is missing"
        case .unreadable(let words): return "\(subject) cannot be read: \(words)"
        case .tooLong: return "\(subject) has more than \(CredentialFolder.longest) bytes: is it another file?"
        case .empty: return "\(subject) is empty"
        case .notOneLine: return "\(subject) has to be text on one line"
        case .noColon: return "\(subject) has to be USER:PASSWORD, and has no colon"
        case .notAToken:
            return "\(subject) has a character that is not allowed in a token: use visible ASCII characters only"
        case .noCertificate:
            return "\(subject) has no certificate: put the certificate and its private key in PEM into one file"
        case .noKey:
            return "\(subject) has no private key: put the certificate and its private key in PEM into one file"
        case .keyIsEncrypted:
            return
                "\(subject) has a private key with a pass phrase, for which nobody can be asked: store it without one"
        case .notForAnAddress:
            return
                "\(subject) has a character that is not allowed in an address: write it as % and two digits"
        case .notAKey(let words): return "\(subject) is no key for OwnTracks: \(words)"
        }
    }
}

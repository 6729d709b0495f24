import Configuration

/// Why a credential cannot be used. Its text names it and says what to do; nothing of what is in it is ever said.
public struct CredentialProblem: Error, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Fault: Equatable, Sendable {
        /// The service was started without credentials.
        case noCredentials
        /// The service has no credential of this name.
        case missing
        /// It cannot be read, in the system's words.
        case unreadable(String)
        /// It has more bytes than any credential needs.
        case tooLong
        /// It is empty.
        case empty
        /// It is not text on one line.
        case notOneLine
        /// It has no colon between user and password.
        case noColon
        /// It has a character that cannot stand in a header.
        case notAToken
        /// It has no certificate in PEM.
        case noCertificate
        /// It has no private key in PEM.
        case noKey
        /// Its private key asks for a pass phrase, which nobody is there to type.
        case keyIsEncrypted
        /// It is no key of OwnTracks' encryption, for this reason.
        case notAKey(String)
        /// It cannot stand in an address.
        case notForAnAddress
    }

    /// The credential's name.
    public let name: String
    /// What is wrong.
    public let fault: Fault

    /// That this is wrong with a credential.
    public init(_ name: String, _ fault: Fault) {
        self.name = name
        self.fault = fault
    }

    /// What is wrong, and what to do, with how the correction comes to be used.
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

    /// What is wrong.
    public var description: String {
        switch fault {
        case .noCredentials, .missing: return "\(subject) is missing"
        case .unreadable(let words): return "\(subject) cannot be read: \(words)"
        case .tooLong: return "\(subject) has more than \(CredentialFolder.longest) bytes: is it another file?"
        case .empty: return "\(subject) is empty"
        case .notOneLine: return "\(subject) has to be text on one line"
        case .noColon: return "\(subject) has to be USER:PASSWORD, and has no colon"
        case .notAToken:
            return "\(subject) has a character that no token has: only visible ones of ASCII may stand there"
        case .noCertificate:
            return "\(subject) has no certificate: put the certificate and its private key in PEM into one file"
        case .noKey:
            return "\(subject) has no private key: put the certificate and its private key in PEM into one file"
        case .keyIsEncrypted:
            return
                "\(subject) has a private key with a pass phrase, for which nobody can be asked: store it without one"
        case .notForAnAddress:
            return
                "\(subject) has a character that does not stand in a part of an address: write it as % and two digits"
        case .notAKey(let words): return "\(subject) is no key for OwnTracks: \(words)"
        }
    }
}

import Cryptography
import Glibc
import Platform
import Upload

/// The folder in which systemd stores a service's credentials: files in `$CREDENTIALS_DIRECTORY` that no other user can
/// read (systemd.exec(5)).
public struct CredentialFolder: Sendable {
    /// The most bytes of a credential: a certificate chain has a few thousand.
    public static let longest = 64 << 10

    private let path: String?

    /// The folder at this path; nil for a service without credentials.
    public init(path: String?) {
        self.path = path
    }

    /// The folder that this process received.
    public static var ofThisProcess: CredentialFolder {
        CredentialFolder(path: getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) })
    }

    /// Whether the service has credentials.
    public var exists: Bool { path != nil }

    /// How a corrected credential is loaded.
    public var renewal: CredentialRenewal { CredentialRenewal(folder: path) }

    /// Reads the credentials that a destination needs.
    public func credentials(for configuration: UploadConfiguration) throws(CredentialProblem) -> Credentials {
        var credentials = Credentials()
        let name = configuration.credential.name
        switch configuration.credential.kind {
        case .none: break
        case .basic:
            let secret = try line(of: name)
            guard secret.withBytes({ $0.contains(UInt8(ascii: ":")) }) else { throw CredentialProblem(name, .noColon) }
            credentials.identity = .basic(secret)
        case .bearer:
            let secret = try line(of: name)
            guard secret.withBytes({ $0.allSatisfy { (0x21...0x7E).contains($0) } }) else {
                throw CredentialProblem(name, .notAToken)
            }
            credentials.identity = .bearer(secret)
        case .certificate: credentials.identity = .certificate(try certificate(name))
        }
        if !configuration.credential.secret.isEmpty, let url = configuration.destination.url {
            credentials.url = try self.url(url, with: configuration.credential.secret)
        }
        if !configuration.credential.encryption.isEmpty {
            credentials.box = try box(configuration.credential.encryption)
        }
        return credentials
    }

    private func secret(_ name: String) throws(CredentialProblem) -> Secret {
        guard let path else { throw CredentialProblem(name, .noCredentials) }
        do throws(SystemError) {
            return try Secret(reading: "\(path)/\(name)", limit: Self.longest)
        } catch {
            switch error.code {
            case ENOENT: throw CredentialProblem(name, .missing)
            case EFBIG: throw CredentialProblem(name, .tooLong)
            default: throw CredentialProblem(name, .unreadable(SystemError.text(error.code)))
            }
        }
    }

    /// A credential of one line without its line feed, which editors add.
    private func line(of name: String) throws(CredentialProblem) -> Secret {
        let whole = try secret(name)
        let line: Secret
        do throws(SystemError) {
            line = try Secret(capacity: whole.count) { room throws(SystemError) in
                whole.withBytes { bytes in
                    var count = bytes.count
                    if count > 0, bytes[count - 1] == UInt8(ascii: "\n") { count -= 1 }
                    if count > 0, bytes[count - 1] == UInt8(ascii: "\r") { count -= 1 }
                    room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                    return count
                }
            }
        } catch {
            throw CredentialProblem(name, .unreadable(SystemError.text(error.code)))
        }
        guard line.count > 0 else { throw CredentialProblem(name, .empty) }
        guard line.withBytes({ $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
            throw CredentialProblem(name, .notOneLine)
        }
        return line
    }

    private func certificate(_ name: String) throws(CredentialProblem) -> Secret {
        let secret = try secret(name)
        func has(_ text: String) -> Bool { secret.withBytes { $0.firstRange(of: text.utf8) != nil } }
        guard has("-----BEGIN CERTIFICATE-----") else { throw CredentialProblem(name, .noCertificate) }
        guard !has("-----BEGIN ENCRYPTED PRIVATE KEY-----"), !has("Proc-Type: 4,ENCRYPTED") else {
            throw CredentialProblem(name, .keyIsEncrypted)
        }
        guard has("PRIVATE KEY-----") else { throw CredentialProblem(name, .noKey) }
        return secret
    }

    /// An address whose placeholder is replaced by the text of a credential.
    private func url(_ url: DestinationURL, with name: String) throws(CredentialProblem) -> DestinationURL {
        // Refuse characters that would end the path or form another placeholder; the rest is validated with the whole
        // address.
        let text = try line(of: name).withBytes { String(decoding: $0, as: UTF8.self) }
        guard !text.contains(where: { "{}?#".contains($0) }) else { throw CredentialProblem(name, .notForAnAddress) }
        do throws(DestinationURL.Fault) {
            return try DestinationURL(parsing: url.text.replacing(DestinationURL.placeholder, with: text))
        } catch {
            throw CredentialProblem(name, .notForAnAddress)
        }
    }

    private func box(_ name: String) throws(CredentialProblem) -> SecretBox {
        let key = try line(of: name).withBytes { Array($0) }
        do throws(SecretBox.Failure) { return try SecretBox(zeroPadding: key) } catch {
            throw CredentialProblem(name, .notAKey(error.description))
        }
    }
}

import Cryptography
import Glibc
import Platform
import Upload

/// Where systemd puts a service's credentials: files in `$CREDENTIALS_DIRECTORY`, which nobody else can read,
/// systemd.exec(5).
public struct CredentialFolder: Sendable {
    /// The most bytes of a credential: a chain of certificates has a few thousand.
    public static let longest = 64 << 10

    private let path: String?

    /// The folder of this path; nil where the service has none.
    public init(path: String?) {
        self.path = path
    }

    /// The folder that this process was given.
    public static var ofThisProcess: CredentialFolder {
        CredentialFolder(path: getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) })
    }

    /// Whether the service has credentials at all.
    public var exists: Bool { path != nil }

    /// Reads what a destination needs.
    public func credentials(for configuration: UploadConfiguration) throws(CredentialProblem) -> Credentials {
        var credentials = Credentials()
        let name = configuration.credential.name
        switch configuration.credential.kind {
        case .none: break
        case .basic:
            let line = try line(of: name)
            guard let colon = line.firstIndex(of: ":") else { throw CredentialProblem(name, .noColon) }
            credentials.identity = .basic(
                user: String(line[..<colon]), password: String(line[line.index(after: colon)...]))
        case .bearer:
            let token = try line(of: name)
            guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw CredentialProblem(name, .notAToken)
            }
            credentials.identity = .bearer(token)
        case .certificate: credentials.identity = try certificate(name)
        }
        if !configuration.credential.encryption.isEmpty {
            credentials.box = try box(configuration.credential.encryption)
        }
        return credentials
    }

    private func bytes(of name: String) throws(CredentialProblem) -> [UInt8] {
        guard let path else { throw CredentialProblem(name, .noCredentials) }
        do throws(SystemError) {
            return try BoundedFile.bytes(of: "\(path)/\(name)", limit: Self.longest)
        } catch {
            switch error.code {
            case ENOENT: throw CredentialProblem(name, .missing)
            case EFBIG: throw CredentialProblem(name, .tooLong)
            default: throw CredentialProblem(name, .unreadable(SystemError.text(error.code)))
            }
        }
    }

    /// A credential without the end of its line, which editors add.
    private func trimmed(_ name: String) throws(CredentialProblem) -> ArraySlice<UInt8> {
        var bytes = try bytes(of: name)[...]
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw CredentialProblem(name, .empty) }
        return bytes
    }

    private func line(of name: String) throws(CredentialProblem) -> String {
        let bytes = try trimmed(name)
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }), let text = String(validating: bytes, as: UTF8.self)
        else { throw CredentialProblem(name, .notOneLine) }
        return text
    }

    private func certificate(_ name: String) throws(CredentialProblem) -> Credentials.Identity {
        let contents = try bytes(of: name)
        let text = String(decoding: contents, as: UTF8.self)
        guard text.contains("-----BEGIN CERTIFICATE-----") else { throw CredentialProblem(name, .noCertificate) }
        guard !text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----"), !text.contains("Proc-Type: 4,ENCRYPTED") else {
            throw CredentialProblem(name, .keyIsEncrypted)
        }
        guard text.contains("PRIVATE KEY-----") else { throw CredentialProblem(name, .noKey) }
        return .certificate(path: "\(path ?? "")/\(name)", contents: contents)
    }

    private func box(_ name: String) throws(CredentialProblem) -> SecretBox {
        let key = Array(try trimmed(name))
        do throws(SecretBox.Failure) { return try SecretBox(zeroPadding: key) } catch {
            throw CredentialProblem(name, .notAKey(error.description))
        }
    }
}

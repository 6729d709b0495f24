import Platform

/// An authority for one test and its certificates, created by openssl(1).
public final class TestCertificates {
    /// openssl(1) is missing, or failed.
    public struct Failure: Error, CustomStringConvertible {
        /// Its output.
        public let description: String
    }

    /// A certificate and its key, in files.
    public struct Identity: Sendable {
        /// The certificate, in PEM.
        public let certificate: String
        /// Its key, in PEM.
        public let key: String

        /// An identity of these files.
        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    private let directory: TemporaryDirectory
    private let program: String
    private var count = 0

    /// The authority's certificate, for clients that trust it.
    public let authority: String

    /// Whether they can be made here.
    public static let isPossible = ExecutableSearch.find("openssl") != nil

    /// Makes an authority.
    public init() throws {
        guard let program = ExecutableSearch.find("openssl") else { throw Failure(description: "no openssl in PATH") }
        self.program = program
        directory = try TemporaryDirectory()
        authority = directory.file("authority.pem")
        try makeKey("authority")
        try openssl([
            "req", "-x509", "-new", "-key", directory.file("authority.key"), "-subj", "/CN=Waymark test authority",
            "-days", "2", "-out", authority,
        ])
    }

    /// A certificate for these names, as subjectAltName of openssl-req(1) writes them, valid for `days` from now
    /// on; with a negative number it expired that many days ago.
    public func identity(
        _ names: String = "DNS:localhost,IP:127.0.0.1", called name: String = "waymark-test", days: Int = 2
    ) throws -> Identity {
        count += 1
        let stem = "identity\(count)"
        try makeKey(stem)
        let identity = Identity(certificate: directory.file("\(stem).pem"), key: directory.file("\(stem).key"))
        let request = directory.file("\(stem).csr")
        let extensions = try directory.write("\(stem).ext", "subjectAltName=\(names)\n")
        try openssl(["req", "-new", "-key", identity.key, "-subj", "/CN=\(name)", "-out", request])
        try openssl([
            "x509", "-req", "-in", request, "-CA", authority, "-CAkey", directory.file("authority.key"),
            "-CAcreateserial", "-days", String(days), "-extfile", extensions, "-out", identity.certificate,
        ])
        return identity
    }

    /// A certificate and its key as a credential holds them: one after the other.
    public func credential(_ identity: Identity) throws -> String {
        let (certificate, key) = try (
            BoundedFile.bytes(of: identity.certificate, limit: 65_536),
            BoundedFile.bytes(of: identity.key, limit: 65_536)
        )
        return String(decoding: certificate + key, as: UTF8.self)
    }

    /// The same key, protected by a password.
    public func locked(_ identity: Identity) throws -> Identity {
        count += 1
        let key = directory.file("locked\(count).key")
        try openssl(["pkcs8", "-topk8", "-in", identity.key, "-passout", "pass:\(count)", "-out", key])
        return Identity(certificate: identity.certificate, key: key)
    }

    private func makeKey(_ stem: String) throws {
        try openssl(["ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", directory.file("\(stem).key")])
    }

    private func openssl(_ arguments: [String]) throws {
        let result = try CompletedProcess.run(program, arguments)
        guard result.status.isSuccess else { throw Failure(description: "openssl \(arguments): \(result.error)") }
    }
}

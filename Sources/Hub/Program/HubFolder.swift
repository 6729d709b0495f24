import Certificates
import Cryptography
import Glibc
import Platform

/// The folder with everything that a hub stores: `records.sqlite`, `hub.key`, `certificate.pem` and `control.sock`.
struct HubFolder {
    let path: String

    /// The default: that of the service for root, and one of the user's own for everybody else.
    static var standard: String { OwnFolder.ofProgram("waymark-hub") }

    var controlSocket: String { path + "/control.sock" }

    private static let keyName = "hub.key"
    private static let certificateName = "certificate.pem"

    /// Makes the folder and those above it, for its user only, unless it exists.
    func make() throws(SystemError) { try OwnFolder.make(path) }

    /// The key that signs change tokens, which is made at the first start.
    func key() throws -> SymmetricKey {
        let file = "\(path)/\(Self.keyName)"
        guard access(file, F_OK) == 0 else { return try renewKey() }
        let bytes = try BoundedFile.bytes(of: file, limit: 1_024)
        guard bytes.count == SymmetricKey.size, let key = try SymmetricKey(copying: bytes) else {
            throw HubStartError(
                "\(file) has no key of \(SymmetricKey.size) bytes: replace it by a backup, or make a new one with"
                    + " waymark-hub restored")
        }
        return key
    }

    /// Replaces the key, after which no change token from before is accepted.
    @discardableResult
    func renewKey() throws -> SymmetricKey {
        let bytes = RandomBytes.make(SymmetricKey.size)
        try DurableFile.replace(Self.keyName, in: path, with: bytes, noun: "the hub's key")
        guard let key = try SymmetricKey(copying: bytes) else { preconditionFailure("the size is that of a key") }
        return key
    }

    /// The hub's own certificate, which is made at the first start.
    func certificate(for name: String, at seconds: Int) throws -> String {
        let file = "\(path)/\(Self.certificateName)"
        if access(file, F_OK) == 0 {
            return String(decoding: try BoundedFile.bytes(of: file, limit: 65_536), as: UTF8.self)
        }
        let names = [name, "localhost"].reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let certificate = try OwnCertificate.make(names: names, at: seconds)
        try DurableFile.replace(
            Self.certificateName, in: path, with: Array(certificate.pem.utf8), noun: "the hub's certificate")
        return certificate.pem
    }
}

/// Why a hub does not start.
struct HubStartError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

import CommandLineKit
import Glibc
import Records

/// The command line of `waymark-hub serve`.
struct ServeOptions: Sendable {
    var folder: String
    /// The address to listen at; nil for the default.
    var address: String?
    var port: UInt16
    /// The file with a certificate and its key; nil for the hub's own.
    var certificateFile: String?
    var isPlain: Bool
    /// The name of this machine for clients, and in the hub's own certificate.
    var name: String
    /// The address at which clients reach the hub; nil for that of the name and the port.
    var url: HubURL?
    var quota: Int
    /// The connection string of the database of PostgreSQL; nil for a file in the folder.
    var database: String?

    static let defaultPort: UInt16 = 8_743

    init(_ invocation: Invocation) throws {
        folder = invocation.text("folder") ?? HubFolder.standard
        let place = ListenPlace(invocation.text("listen") ?? "")
        address = place?.address
        port = place?.port ?? Self.defaultPort
        certificateFile = invocation.text("certificate")
        isPlain = invocation.has("without-tls")
        name = invocation.text("name") ?? Self.hostName
        url = invocation.text("url").flatMap { try? HubURL($0) }
        if let url, !url.isEncrypted, !isPlain {
            throw HubStartError("--url begins with http, but the hub serves HTTPS: write https, or add --without-tls")
        }
        quota = invocation.integer("connections") ?? 12_000
        database = try DatabaseAddress.text(invocation)
    }

    /// The name of this machine, gethostname(2).
    private static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "localhost" }
        return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

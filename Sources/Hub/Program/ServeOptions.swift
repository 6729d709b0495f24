import CommandLineKit
import Glibc

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
    var url: PublicURL?
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
        url = invocation.text("url").flatMap { PublicURL($0) }
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

/// The address of a hub for its clients, as `https://hub.example.org`. Machines join without TLS only on the hub's own machine.
struct PublicURL: Sendable {
    /// The address without a slash at its end.
    let text: String
    /// Whether it begins with https.
    let isEncrypted: Bool

    init?(_ text: String) {
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && ![0x23, 0x3F, 0x40].contains($0) })
        else { return nil }
        var text = text
        while text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
        let place = text.dropFirst(scheme.utf8.count).prefix { $0 != "/" }
        guard !place.isEmpty else { return nil }
        isEncrypted = scheme == "https://"
        let isHere = ["localhost", "127.0.0.1", "[::1]"].contains { place == $0 || place.hasPrefix($0 + ":") }
        guard isEncrypted || isHere else { return nil }
        self.text = text
    }
}

/// Where to listen: `PORT`, `ADDRESS:PORT` or `[ADDRESS]:PORT`.
struct ListenPlace {
    var address: String?
    var port: UInt16

    init?(_ text: String) {
        if let port = UInt16(text) {
            self.port = port
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        self.port = port
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        var bytes = in6_addr()
        guard inet_pton(AF_INET, host, &bytes) == 1 || inet_pton(AF_INET6, host, &bytes) == 1 else { return nil }
        address = host
    }
}

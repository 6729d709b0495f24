import Glibc

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

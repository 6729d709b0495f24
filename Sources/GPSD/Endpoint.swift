import NetworkPaths

/// Where gpsd listens.
///
/// No name is looked up: a resolver blocks, and the daemon that uses this has no network to ask. An address is an IP
/// address, `localhost`, or a Unix socket behind which a proxy of systemd leads to gpsd.
public enum Endpoint: Equatable, Sendable, CustomStringConvertible {
    /// A TCP port of one host: its IP addresses, to be tried in this order.
    case tcp(addresses: [IPAddress], port: UInt16)
    /// A Unix stream socket.
    case unix(path: String)

    /// gpsd's port by IANA.
    public static let defaultPort: UInt16 = 2947

    /// This machine's own addresses, version 6 first.
    static let loopback = ["::1", "127.0.0.1"].compactMap { IPAddress($0) }

    /// gpsd on this machine, at its usual port.
    public static let local = Endpoint.tcp(addresses: loopback, port: defaultPort)

    /// An endpoint written as `HOST`, `HOST:PORT`, `[HOST]:PORT` or `unix:PATH`.
    public init(_ text: String) throws(EndpointError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard path.hasPrefix("/") else { throw .path(path) }
            self = .unix(path: path)
            return
        }
        let (host, port) = try Self.split(text)
        if host == "localhost" {
            self = .tcp(addresses: Self.loopback, port: port)
        } else if let address = IPAddress(host) {
            self = .tcp(addresses: [address], port: port)
        } else {
            throw .host(host)
        }
    }

    /// As it is written in the configuration.
    public var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(Self.loopback, let port): "localhost:\(port)"
        case .tcp(let addresses, let port):
            addresses.map { $0.family == .ipv6 ? "[\($0)]:\(port)" : "\($0):\(port)" }.joined(separator: ", ")
        }
    }

    private static func split(_ text: String) throws(EndpointError) -> (host: String, port: UInt16) {
        if text.hasPrefix("["), let end = text.lastIndex(of: "]") {
            let host = String(text[text.index(after: text.startIndex)..<end])
            return (host, try port(text[text.index(after: end)...]))
        }
        // An IPv6 address without brackets has colons of its own, and no port.
        guard let colon = text.lastIndex(of: ":"), text.firstIndex(of: ":") == colon else {
            return (text, defaultPort)
        }
        return (String(text[..<colon]), try port(text[colon...]))
    }

    private static func port(_ text: Substring) throws(EndpointError) -> UInt16 {
        if text.isEmpty { return defaultPort }
        guard text.first == ":", let port = UInt16(text.dropFirst()), port > 0 else { throw .port(String(text)) }
        return port
    }
}

/// What is wrong with a text that should say where gpsd listens.
public enum EndpointError: Error, Equatable, CustomStringConvertible {
    /// Neither an IP address nor localhost.
    case host(String)
    /// No number from 1 to 65535.
    case port(String)
    /// Not a path from the root.
    case path(String)

    /// In words for the person who wrote it.
    public var description: String {
        switch self {
        case .host(let host):
            "\"\(host)\" is neither an IP address nor localhost: host names are not looked up, write the address"
        case .port(let port): "\"\(port)\" is no port: it takes a number from 1 to 65535"
        case .path(let path): "\"\(path)\" is no absolute path of a Unix socket"
        }
    }
}

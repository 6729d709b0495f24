import NetworkPaths

/// The address of gpsd.
///
/// It contains no host name to look up, because a look-up blocks, and because the daemon may have no network. It is an
/// IP address, `localhost`, or a Unix socket of a systemd proxy to gpsd.
public enum Endpoint: Equatable, Sendable, CustomStringConvertible {
    /// A TCP port of one host, with its IP addresses in the order of the attempts.
    case tcp(addresses: [IPAddress], port: UInt16)
    /// A Unix stream socket.
    case unix(path: String)

    /// gpsd's port, assigned by IANA.
    public static let defaultPort: UInt16 = 2947

    /// The loopback addresses, IPv6 first.
    static let loopback = ["::1", "127.0.0.1"].compactMap { IPAddress($0) }

    /// gpsd on this machine, at its default port.
    public static let local = Endpoint.tcp(addresses: loopback, port: defaultPort)

    /// Parses `HOST`, `HOST:PORT`, `[HOST]:PORT` or `unix:PATH`.
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

    /// The notation of the configuration.
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
        // An IPv6 address without brackets contains colons, and has no port.
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

/// Why a text is no endpoint.
public enum EndpointError: Error, Equatable, CustomStringConvertible {
    /// The host is neither an IP address nor `localhost`.
    case host(String)
    /// The port is no number from 1 to 65535.
    case port(String)
    /// The path is not absolute.
    case path(String)

    /// The error as text for the author of the configuration.
    public var description: String {
        switch self {
        case .host(let host):
            "\"\(host)\" is neither an IP address nor localhost: host names are not looked up, write the address"
        case .port(let port): "\"\(port)\" is no port: it takes a number from 1 to 65535"
        case .path(let path): "\"\(path)\" is no absolute path of a Unix socket"
        }
    }
}

import Glibc

/// The address of gpsd.
public enum GPSDAddress: Equatable, Sendable, CustomStringConvertible {
    /// The daemon has no receiver.
    case none
    /// A TCP port; the host is `localhost`, or an address of IPv4 or IPv6 without brackets.
    case tcp(host: String, port: UInt16)
    /// A Unix socket, by its absolute path.
    case unix(path: String)

    /// gpsd's own port on this machine.
    public static let standard = GPSDAddress.tcp(host: "localhost", port: 2947)
    /// The address for the system's daemon, which has no network access: the socket of `waymark-gpsd.socket`.
    public static let throughSystemUnit = GPSDAddress.unix(path: "/run/waymarkd/gpsd.sock")

    /// Reads `HOST:PORT`, `[IPV6]:PORT`, `unix:PATH` or `none`.
    public init(parsing text: String) throws(ValueError) {
        if text == "none" {
            self = .none
        } else if text.hasPrefix("unix:") {
            self = .unix(path: try ValueType.socketPath.parse(String(text.dropFirst(5))))
        } else {
            self = try Self.tcp(parsing: text)
        }
    }

    /// The text that reads back as the same address.
    public var description: String {
        switch self {
        case .none: "none"
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    private static func tcp(parsing text: String) throws(ValueError) -> GPSDAddress {
        guard let colon = text.lastIndex(of: ":") else {
            throw ValueError("has no port; gpsd's own is 2947")
        }
        let host = text[..<colon]
        guard let port = UInt16(decimal: text[text.index(after: colon)...]), port > 0 else {
            throw ValueError("has no port from 1 to 65535 after its last colon")
        }
        if host.first == "[", host.last == "]" {
            let address = String(host.dropFirst().dropLast())
            guard isIPv6(address) else { throw ValueError("has no IPv6 address between its brackets") }
            return .tcp(host: address, port: port)
        }
        if host.contains(":") { throw ValueError("has an IPv6 address that is not in brackets, as in [::1]:2947") }
        guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy(isHostByte) else {
            throw ValueError("has no address before its colon")
        }
        guard host == "localhost" || isIPv4(String(host)) else {
            throw ValueError("names a host, and names are not resolved: write its IP address, or localhost")
        }
        return .tcp(host: String(host), port: port)
    }

    /// Whether inet_pton(3) accepts it, without a zone such as `%eth0`.
    private static func isIPv6(_ text: String) -> Bool {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, parts[1].isEmpty || !parts[1].utf8.allSatisfy(isHostByte) { return false }
        var address = in6_addr()
        return inet_pton(AF_INET6, String(parts[0]), &address) == 1
    }

    private static func isIPv4(_ text: String) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, text, &address) == 1
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension FixedWidthInteger {
    /// The number in these ASCII digits; nil for other text or too large a number.
    init?(decimal digits: some StringProtocol, radix: Int = 10) {
        // The standard library's initializer also accepts a sign.
        guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else { return nil }
        self.init(digits, radix: radix)
    }
}

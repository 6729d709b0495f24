import NetworkPaths

/// The address that positions are sent to: an HTTP URL or an MQTT broker, without credentials.
public struct DestinationURL: Equatable, Sendable {
    /// The protocol of the connection.
    public enum Scheme: String, CaseIterable, Sendable {
        case https, http, mqtts, mqtt

        /// Whether all traffic is encrypted with TLS.
        public var isEncrypted: Bool { self == .https || self == .mqtts }
        /// Whether the address is that of a broker.
        public var isBroker: Bool { self == .mqtt || self == .mqtts }

        var usualPort: UInt16 {
            switch self {
            case .https: 443
            case .http: 80
            case .mqtts: 8_883
            case .mqtt: 1_883
            }
        }
    }

    /// The reason why a text is not a valid address: the rest of a sentence that begins with the text.
    public struct Fault: Error, Equatable, CustomStringConvertible {
        /// The problem with the text.
        public let description: String
    }

    /// The protocol of the connection.
    public let scheme: Scheme
    /// The host.
    public let host: TargetHost
    /// The port.
    public let port: UInt16
    /// The part after the port: a path, which begins with a slash, and possibly a query; empty for a broker.
    public let resource: String

    /// The placeholder in the address for a secret that is not stored in the configuration file.
    public static let placeholder = "{secret}"

    /// The greatest length of an address in bytes.
    public static let longest = 2_048

    /// Parses a URL (RFC 3986).
    public init(parsing text: String) throws(Fault) {
        guard text.utf8.count <= Self.longest else { throw Fault(description: "is too long for an address") }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) else {
            throw Fault(description: "has a character that no URL may contain; write it as % and two digits")
        }
        guard let separator = text.firstRange(of: "://"),
            let scheme = Scheme(rawValue: text[..<separator.lowerBound].lowercased())
        else { throw Fault(description: "does not begin with https://, http://, mqtts:// or mqtt://") }
        guard !text.utf8.contains(UInt8(ascii: "#")) else {
            throw Fault(description: "has a fragment, which is never sent")
        }
        let rest = text[separator.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard !rest[..<end].contains("@") else {
            throw Fault(description: "has a user or a password in it; put them into a credential")
        }
        let (host, port) = try Self.authority(rest[..<end])
        self.scheme = scheme
        self.host = host
        self.port = port ?? scheme.usualPort
        let resource = String(rest[end...])
        guard !scheme.isBroker || resource.isEmpty || resource == "/" else {
            throw Fault(description: "has a path, which is not used for brokers; set Topic= for the topic")
        }
        self.resource = scheme.isBroker ? "" : resource.hasPrefix("/") ? resource : "/" + resource
    }

    private static func authority(_ text: Substring) throws(Fault) -> (TargetHost, UInt16?) {
        var name = text
        var port: UInt16?
        if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]"),
            text.first == "[" || text.firstIndex(of: ":") == colon
        {
            let digits = text[text.index(after: colon)...]
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(digits), number > 0 else {
                throw Fault(description: "has no port from 1 to 65535 after its colon")
            }
            port = number
            name = text[..<colon]
        }
        if name.first == "[", name.last == "]" {
            name = name.dropFirst().dropLast()
        } else if name.contains(":") {
            throw Fault(description: "has an IPv6 address that is not in brackets, as in https://[2001:db8::1]/")
        }
        guard let host = TargetHost(String(name)) else { throw Fault(description: "names no host") }
        return (host, port)
    }

    /// Whether the host is this machine, so that the positions pass no network.
    public var isOwnMachine: Bool {
        switch host {
        case .address(let address, _): address.isLoopback
        case .name(let name): name.lowercased() == "localhost"
        }
    }

    /// The whole address, which may contain a secret: not for logs.
    public var text: String { origin + resource }

    /// Whether a secret is inserted into the address.
    public var hasPlaceholder: Bool { resource.contains(Self.placeholder) }

    /// Whether the path is that of a webhook of Home Assistant.
    var isWebhook: Bool { resource.hasPrefix("/api/webhook/") }

    /// The scheme, the host, and the port if it is not the default of the scheme.
    public var origin: String {
        let name =
            switch host {
            case .address(let address, _) where address.family == .ipv6: "[\(host)]"
            default: host.description
            }
        return "\(scheme.rawValue)://\(name)" + (port == scheme.usualPort ? "" : ":\(port)")
    }
}

extension DestinationURL: CustomStringConvertible {
    /// The address without its query, for people and logs.
    public var description: String { origin + resource.prefix { $0 != "?" } }
}

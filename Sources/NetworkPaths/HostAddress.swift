/// An IP address and, for an address that is only valid on one link, that link.
public struct HostAddress: Hashable, Sendable {
    /// The address.
    public var address: IPAddress
    /// The interface of a link-local address, by name or index: the text after the `%`.
    public var zone: String?

    /// An address in a zone.
    public init(_ address: IPAddress, zone: String? = nil) {
        self.address = address
        self.zone = zone
    }

    /// Parses `192.0.2.1`, `2001:db8::1` or `fe80::1%eth0`; nil for anything else. Only a link-local address may have
    /// an interface after a percent sign, RFC 4007 section 11.
    public init?(_ text: String) {
        if let address = IPAddress(text) {
            self.init(address)
            return
        }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(String(parts[0])), address.family == .ipv6,
            address.isLinkLocal, Self.isInterfaceName(parts[1])
        else { return nil }
        self.init(address, zone: String(parts[1]))
    }

    /// Whether the kernel accepts the text as an interface's name: at most 15 bytes, without slash, colon and white
    /// space.
    private static func isInterfaceName(_ text: Substring) -> Bool {
        (1...15).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && ![0x2F, 0x3A, 0x25].contains($0) }
    }
}

extension HostAddress: CustomStringConvertible {
    /// The usual notation.
    public var description: String { zone.map { "\(address)%\($0)" } ?? "\(address)" }
}

/// An address and, where it means something on one link only, that link.
public struct HostAddress: Hashable, Sendable {
    /// The address.
    public var address: IPAddress
    /// The interface of a link-local address, by name or number: what stands after the `%`.
    public var zone: String?

    /// An address in a zone.
    public init(_ address: IPAddress, zone: String? = nil) {
        self.address = address
        self.zone = zone
    }

    /// The address that is written so: `192.0.2.1`, `2001:db8::1`, `fe80::1%eth0`; nil for anything else. Only an address
    /// of one link has that link's interface behind a percent sign, RFC 4007 section 11.
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

    /// What the kernel takes for an interface's name: at most 15 bytes, without slash, colon and white space.
    private static func isInterfaceName(_ text: Substring) -> Bool {
        (1...15).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && ![0x2F, 0x3A, 0x25].contains($0) }
    }
}

extension HostAddress: CustomStringConvertible {
    /// As it is usually written.
    public var description: String { zone.map { "\(address)%\($0)" } ?? "\(address)" }
}

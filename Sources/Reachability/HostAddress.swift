import Location

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

    /// The address that is written so, with or without a zone: `192.0.2.1`, `fe80::1%eth0` (RFC 4007). Nil for anything
    /// else; a zone is no longer than an interface's name can be, 15 bytes.
    public init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        guard parts.count == 2 else {
            self.init(address)
            return
        }
        let zone = String(parts[1])
        guard address.family == .ipv6, !zone.isEmpty, zone.utf8.count <= 15,
            zone.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "%") })
        else { return nil }
        self.init(address, zone: zone)
    }
}

extension HostAddress: CustomStringConvertible {
    /// As it is usually written.
    public var description: String { zone.map { "\(address)%\($0)" } ?? "\(address)" }
}

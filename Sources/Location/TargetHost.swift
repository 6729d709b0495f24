/// A host as a person or a program names it: by a name that is to be looked up, or by an address.
public enum TargetHost: Hashable, Sendable {
    /// A name, as it was written.
    case name(String)
    /// An address; with the interface that a link-local one is meant on, by name or number.
    case address(IPAddress, zone: String?)

    /// How long a host may be, in bytes.
    public static let longest = 255

    /// The host that is written so: `tracker.example.org`, `192.0.2.1`, `2001:db8::1`, `fe80::1%eth0`; nil for what is
    /// neither a name nor an address.
    public init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count) else { return nil }
        if let address = IPAddress(text) {
            self = .address(address, zone: nil)
        } else if let (address, zone) = Self.zoned(text) {
            self = .address(address, zone: zone)
        } else if Self.isName(text) {
            self = .name(text)
        } else {
            return nil
        }
    }

    /// An address of one link with that link's interface behind a percent sign, RFC 4007 section 11.
    private static func zoned(_ text: String) -> (IPAddress, String)? {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(String(parts[0])), address.family == .ipv6,
            address.isLinkLocal, isInterfaceName(parts[1])
        else { return nil }
        return (address, String(parts[1]))
    }

    /// What the kernel takes for an interface's name: at most 15 bytes, without slash, colon and white space.
    private static func isInterfaceName(_ text: Substring) -> Bool {
        (1...15).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && ![0x2F, 0x3A, 0x25].contains($0) }
    }

    /// A host's name, RFC 1123 section 2.1, with the underscores that are in use. Its last label must not be a number:
    /// such a text is a mistyped address, which inet_aton(3) would make something of.
    private static func isName(_ text: String) -> Bool {
        var labels = text.split(separator: ".", omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        guard labels.allSatisfy(isLabel), let last = labels.last?.lowercased() else { return false }
        let isDecimal = last.utf8.allSatisfy { (0x30...0x39).contains($0) }
        let isHexadecimal = last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit)
        return !isDecimal && !isHexadecimal
    }

    private static func isLabel(_ text: Substring) -> Bool {
        (1...63).contains(text.utf8.count) && text.utf8.first != 0x2D && text.utf8.last != 0x2D
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }
}

extension TargetHost: CustomStringConvertible {
    /// As it is written.
    public var description: String {
        switch self {
        case .name(let name): name
        case .address(let address, let zone): zone.map { "\(address)%\($0)" } ?? address.description
        }
    }
}

import Location

/// A host as somebody asked for it.
public enum Host: Hashable, Sendable {
    /// By address.
    case address(HostAddress)
    /// By name, in lower case.
    case name(String)

    /// The host that is written so; nil for what is neither an address nor a name that could be looked up: labels of
    /// letters, digits, hyphens and underscores, of at most 63 bytes each and 253 together (RFC 1035).
    public init?(_ text: String) {
        if let address = HostAddress(text) {
            self = .address(address)
            return
        }
        guard (1...253).contains(text.utf8.count) else { return nil }
        var labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        let fits = labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.allSatisfy(Self.isAllowed)
        }
        guard fits else { return nil }
        self = .name(text.lowercased())
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

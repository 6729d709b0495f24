/// The name of a host, as passed to a resolver: labels separated by dots.
///
/// Names that differ only in case are equal.
public struct HostName: Sendable, CustomStringConvertible {
    /// The most bytes of a name without a dot at its end: 255 with the overhead in a DNS query, RFC 1035.
    public static let mostBytes = 253

    /// The name as it was written.
    public let description: String
    /// The name in lower case, which is the same for equal names.
    public let folded: String

    /// Checks a name; nil if it cannot be one, such as an address, a blank or a text with an empty label.
    ///
    /// A label consists of at most 63 letters, digits, hyphens and underscores, RFC 1123 section 2.1 and common
    /// practice. Visible characters outside ASCII are left to getaddrinfo(3). The last label must not be a number: such
    /// a text is a mistyped address, which inet_aton(3) would nevertheless interpret.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.mostBytes + 1 else { return nil }
        // A dot at the end means that no search domain is appended to the name.
        let name = text.utf8.last == UInt8(ascii: ".") ? text.dropLast() : text[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= Self.mostBytes, labels.allSatisfy(Self.isLabel), let last = labels.last,
            !Self.isNumber(last)
        else { return nil }
        description = text
        folded = text.lowercased()
    }

    /// Whether DNS queries for the name need the encoding of RFC 5890.
    public var isInternational: Bool { description.utf8.contains { $0 >= 0x80 } }

    private static func isLabel(_ label: Substring) -> Bool {
        let hyphen = UInt8(ascii: "-")
        guard let first = label.utf8.first, first != hyphen, label.utf8.last != hyphen else { return false }
        guard label.utf8.count <= 63 || label.utf8.contains(where: { $0 >= 0x80 }) else { return false }
        return label.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
            default: scalar.value >= 0x80 && !scalar.properties.isWhitespace && !isControl(scalar)
            }
        }
    }

    private static func isNumber(_ label: Substring) -> Bool {
        label.utf8.allSatisfy { (0x30...0x39).contains($0) }
            || label.lowercased().hasPrefix("0x") && label.dropFirst(2).allSatisfy(\.isHexDigit)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}

extension HostName: Hashable {
    /// Whether two names are equal apart from case.
    public static func == (left: HostName, right: HostName) -> Bool { left.folded == right.folded }

    /// Hashes the name without regard to case.
    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

/// The name of a host as a resolver is asked for it: labels with dots between.
///
/// Two that differ in capitals only are the same.
public struct HostName: Sendable, CustomStringConvertible {
    /// The most bytes it may have, a dot at its end aside: 255 with what questions to name servers add, RFC 1035.
    public static let mostBytes = 253

    /// As it was written.
    public let description: String
    /// The same in lower case: equal for names that are the same.
    public let folded: String

    /// Checks a name; nil where it cannot be one: an address, a blank, an empty label.
    ///
    /// Letters, digits, hyphens and underscores make a label of at most 63 bytes, RFC 1123 section 2.1 and what is in
    /// use. What is not ASCII is left to getaddrinfo(3) to judge, but for what cannot be seen. The last label must not be
    /// a number: such a text is a mistyped address, which inet_aton(3) would make something of.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.mostBytes + 1 else { return nil }
        // One dot at the end says that nothing is to be added to the name.
        let name = text.utf8.last == UInt8(ascii: ".") ? text.dropLast() : text[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= Self.mostBytes, labels.allSatisfy(Self.isLabel), let last = labels.last,
            !Self.isNumber(last)
        else { return nil }
        description = text
        folded = text.lowercased()
    }

    /// Whether it takes an encoding of its own to ask name servers for it, RFC 5890.
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
    /// Whether two names are the same, capitals aside.
    public static func == (left: HostName, right: HostName) -> Bool { left.folded == right.folded }

    /// Hashes the name without its capitals.
    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

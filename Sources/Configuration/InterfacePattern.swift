/// A checked pattern for names of network interfaces, such as `wwan*`: `*` stands for any characters or none, `?` for
/// one.
public struct InterfacePattern: Equatable, Sendable, CustomStringConvertible {
    /// The pattern as it was written.
    public let description: String

    /// The limit of a name and of a pattern in bytes: IFNAMSIZ of netdevice(7), less the terminating zero.
    private static let mostBytes = 15

    /// Reads one pattern.
    public init(parsing text: String) throws(ValueError) {
        guard !text.isEmpty else { throw ValueError("is no name of an interface") }
        guard text.utf8.count <= Self.mostBytes else {
            throw ValueError("has more than the \(Self.mostBytes) bytes that names of interfaces have")
        }
        // The characters that the kernel refuses in a name, dev_valid_name(), and the comma, which is no separator
        // here.
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f && !"/:,".utf8.contains($0) }) else {
            throw ValueError("has a character that names of interfaces cannot have")
        }
        description = text
    }
}

extension ValueType where Value == [InterfacePattern] {
    private static let most = 16

    /// A list of patterns.
    static var interfacePatterns: Self {
        Self(
            allowed: "up to \(most) names of interfaces, in which * stands for anything and ? for one character, with"
                + " spaces between",
            parse: { text throws(ValueError) in
                let items = text.split { $0 == " " || $0 == "\t" }.map(String.init)
                guard items.count <= most else { throw ValueError("names too many") }
                var patterns: [InterfacePattern] = []
                for item in items { patterns.append(try InterfacePattern(parsing: item)) }
                return patterns
            },
            text: { $0.map(\.description).joined(separator: " ") })
    }
}

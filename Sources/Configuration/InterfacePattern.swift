/// Names of network interfaces, `wwan*`: `*` stands for any characters or none, `?` for one.
public struct InterfacePattern: Equatable, Sendable, CustomStringConvertible {
    /// As it was written.
    public let description: String

    /// The bytes that a name may have, and a pattern too: IFNAMSIZ of netdevice(7), less the zero at the end.
    private static let mostBytes = 15

    /// Reads one pattern.
    public init(parsing text: String) throws(ValueError) {
        guard !text.isEmpty else { throw ValueError("is no name of an interface") }
        guard text.utf8.count <= Self.mostBytes else {
            throw ValueError("has more than the \(Self.mostBytes) bytes that names of interfaces have")
        }
        // What the kernel refuses in a name, dev_valid_name(), and the comma, which does not separate them here.
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f && !"/:,".utf8.contains($0) }) else {
            throw ValueError("has a character that names of interfaces cannot have")
        }
        description = text
    }

    /// Whether an interface of this name is meant.
    public func matches(_ name: String) -> Bool {
        let pattern = Array(description.utf8)
        // Which lengths of the pattern fit what of the name was read so far.
        var fitting = [Bool](repeating: false, count: pattern.count + 1)
        fitting[0] = true
        Self.skipStars(pattern, &fitting)
        for byte in name.utf8 {
            var next = [Bool](repeating: false, count: pattern.count + 1)
            for (index, wanted) in pattern.enumerated() where fitting[index] {
                switch wanted {
                case UInt8(ascii: "*"): next[index] = true
                case UInt8(ascii: "?"), byte: next[index + 1] = true
                default: break
                }
            }
            Self.skipStars(pattern, &next)
            fitting = next
        }
        return fitting[pattern.count]
    }

    /// A star stands for nothing, too.
    private static func skipStars(_ pattern: [UInt8], _ fitting: inout [Bool]) {
        for (index, wanted) in pattern.enumerated() where fitting[index] && wanted == UInt8(ascii: "*") {
            fitting[index + 1] = true
        }
    }
}

extension ValueType where Value == [InterfacePattern] {
    private static let most = 16

    /// Some interfaces.
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

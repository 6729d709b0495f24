/// A pattern for names of interfaces: `wwan*`, `usb?`.
public struct NamePattern: Hashable, Sendable {
    private let pattern: [UInt8]

    /// `*` matches any number of characters, `?` matches one, any other character matches itself.
    public init(_ pattern: String) {
        self.pattern = Array(pattern.utf8)
    }

    /// Whether the whole name matches.
    public func fits(_ name: String) -> Bool {
        let name = Array(name.utf8)
        var at = 0
        var position = 0
        // Where to resume when a star has matched too few characters, and how many it has matched.
        var resume: (pattern: Int, name: Int)?
        while position < name.count {
            if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
                resume = (at + 1, position)
                at += 1
            } else if at < pattern.count, pattern[at] == UInt8(ascii: "?") || pattern[at] == name[position] {
                at += 1
                position += 1
            } else if let last = resume {
                resume = (last.pattern, last.name + 1)
                at = last.pattern
                position = last.name + 1
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

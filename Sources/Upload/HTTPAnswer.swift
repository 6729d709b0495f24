/// What a destination has answered to a request, RFC 9110.
public struct HTTPAnswer: Equatable, Sendable {
    /// The most bytes of a body that are looked at.
    public static let longestBody = 64 * 1_024

    /// One line of the head.
    public struct Header: Equatable, Sendable {
        /// Its name, in whatever letters.
        public var name: String
        /// What it says.
        public var value: String

        /// A line of these two.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The status code.
    public var status: Int
    /// The head's lines; nearly no answer is one whose head has to be read.
    private let head: HTTPHead
    /// The beginning of the body, no longer than `longestBody`.
    public var body: [UInt8]

    /// An answer of these parts.
    public init(status: Int, headers: [Header] = [], body: [UInt8] = []) {
        self.init(status: status, head: HTTPHead(headers), body: body)
    }

    /// An answer of these parts.
    public init(status: Int, head: HTTPHead, body: [UInt8]) {
        self.status = status
        self.head = head
        self.body = body
    }

    /// The head. Made anew with each use.
    public var headers: [Header] { head.headers }

    /// What the head says under a name; the first where it says it twice.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Whether the body is a page for people: its first sign is the one that begins markup. Its content type does not
    /// tell, as much that answers JSON calls it `text/html`.
    var isMarkup: Bool {
        var rest = body[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        return rest.first { $0 != 0x20 && !(0x09...0x0D).contains($0) } == UInt8(ascii: "<")
    }

    /// The beginning of the body on one line, for a person.
    var excerpt: String {
        let text = String(decoding: body.prefix(400), as: UTF8.self)
        return printable(text, limit: 160)
    }
}

/// A text of a stranger's without what could steer a terminal, on one line and not too long.
func printable(_ text: String, limit: Int) -> String {
    var result = ""
    for (count, scalar) in text.unicodeScalars.enumerated() {
        if count == limit { return result + "…" }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: result += " "
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// The response of a destination to a request (RFC 9110).
public struct HTTPAnswer: Equatable, Sendable {
    /// The most bytes of a body that are evaluated.
    public static let longestBody = 64 * 1_024

    /// One header field.
    public struct Header: Equatable, Sendable {
        /// The name of the field, in any letter case.
        public var name: String
        /// The value of the field.
        public var value: String

        /// A header field with this name and value.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The status code.
    public var status: Int
    /// The header fields as bytes. They are parsed on use, because nearly no response needs its fields read.
    private let head: HTTPHead
    /// The beginning of the body, no longer than `longestBody`.
    public var body: [UInt8]

    /// A response of these parts.
    public init(status: Int, headers: [Header] = [], body: [UInt8] = []) {
        self.init(status: status, head: HTTPHead(headers), body: body)
    }

    /// A response of these parts.
    public init(status: Int, head: HTTPHead, body: [UInt8]) {
        self.status = status
        self.head = head
        self.body = body
    }

    /// The header fields. Parsed again with each use.
    public var headers: [Header] { head.headers }

    /// The value of the first header field with this name.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Whether the body is markup for people, which is decided by its first character. The content type is no evidence,
    /// because many servers label JSON as `text/html`.
    var isMarkup: Bool {
        var rest = body[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        return rest.first { $0 != 0x20 && !(0x09...0x0D).contains($0) } == UInt8(ascii: "<")
    }

    /// The beginning of the body on one line, for display.
    var excerpt: String {
        let text = String(decoding: body.prefix(400), as: UTF8.self)
        return printable(text, limit: 160)
    }
}

/// A text of foreign origin on one line, shortened, and without characters that could control a terminal.
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

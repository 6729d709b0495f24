import Netlink
import Platform
import Reachability

/// The announcements and replies of one machine's kernel in one situation, as lines of text: `about` with notes for
/// people, `event` with an announcement, and `exchange` with a request and the datagrams of its reply, in hexadecimal
/// digits. A line before an exchange describes the query after `#`.
///
/// Sequence numbers and ports are replaced by 0. Numbers have the byte order of the recording machine, which is
/// little-endian.
public struct NetlinkRecording: Equatable {
    /// A query and its reply.
    public struct Exchange: Equatable {
        /// A description of the query, for people.
        public var comment: String
        /// The request.
        public var request: [UInt8]
        /// The datagrams of the reply; empty if there was none.
        public var answer: [[UInt8]]
    }

    /// A malformed line.
    public struct Malformed: Error, CustomStringConvertible {
        /// The number of the line, and the error.
        public let description: String
    }

    /// Notes about the situation for people, line by line.
    public var about: [String] = []
    /// The announcements in order, each a datagram.
    public var events: [[UInt8]] = []
    /// The queries and replies after the announcements.
    public var exchanges: [Exchange] = []

    /// An empty recording.
    public init() {}

    /// Reads a recording from a file.
    public init(file path: String) throws {
        let bytes = try BoundedFile.bytes(of: path, limit: 16 << 20)
        try self.init(String(decoding: bytes, as: UTF8.self))
    }

    /// Parses a recording.
    public init(_ text: String) throws(Malformed) {
        var comment = ""
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(separator: " ")
            switch words.first {
            case nil:
                continue
            case "#":
                comment = String(line.dropFirst(2))
            case "about":
                about.append(String(line.dropFirst("about ".count)))
            case "event" where words.count == 2:
                events.append(try Self.bytes(words[1], line: index + 1))
            case "exchange" where words.count > 1:
                var datagrams: [[UInt8]] = []
                for word in words.dropFirst() { datagrams.append(try Self.bytes(word, line: index + 1)) }
                let answer = Array(datagrams.dropFirst())
                exchanges.append(Exchange(comment: comment, request: datagrams[0], answer: answer))
            default:
                throw Malformed(description: "line \(index + 1) begins with an unknown word")
            }
        }
    }

    /// The recording as text.
    public var text: String {
        var lines = about.map { "about \($0)" }
        for event in events { lines.append("event \(Self.digits(event))") }
        for exchange in exchanges {
            lines.append("# \(exchange.comment)")
            lines.append(
                (["exchange"] + ([exchange.request] + exchange.answer).map(Self.digits)).joined(separator: " "))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A kernel that gives the recorded replies, and no others.
    public var kernel: KernelInquiry { RecordedExchange(self).kernel }

    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func bytes(_ word: Substring, line: Int) throws(Malformed) -> [UInt8] {
        let digits = Array(word.utf8)
        let values = stride(from: 0, to: digits.count, by: 2).compactMap { start in
            UInt8(String(decoding: digits[start..<min(start + 2, digits.count)], as: UTF8.self), radix: 16)
        }
        guard digits.count.isMultiple(of: 2), values.count == digits.count / 2 else {
            throw Malformed(description: "line \(line) contains something other than pairs of hexadecimal digits")
        }
        return values
    }
}

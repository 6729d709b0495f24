import Netlink
import Platform
import Reachability

/// What the kernel of one machine announced and answered in one situation, as lines of text: `about` and what a person has
/// to know, `event` and an announcement, or `exchange`, a request and the datagrams that answered it, in hexadecimal
/// digits. A line before an exchange says after `#` what was asked.
///
/// Sequence numbers and ports are 0 in it. Numbers are in the order of bytes of the machine that recorded it, which is
/// the one that is least significant first.
public struct NetlinkRecording: Equatable {
    /// One question and its answer.
    public struct Exchange: Equatable {
        /// What was asked, for a person.
        public var comment: String
        /// The request.
        public var request: [UInt8]
        /// The datagrams that answered it; none where nothing did.
        public var answer: [[UInt8]]
    }

    /// What a line has to be and is not.
    public struct Malformed: Error, CustomStringConvertible {
        /// The line's number and what is wrong.
        public let description: String
    }

    /// What a person has to know of the situation, line by line.
    public var about: [String] = []
    /// What was announced, in order, each a datagram.
    public var events: [[UInt8]] = []
    /// What was asked then.
    public var exchanges: [Exchange] = []

    /// Nothing yet.
    public init() {}

    /// The recording of a file.
    public init(file path: String) throws {
        let bytes = try BoundedFile.bytes(of: path, limit: 16 << 20)
        try self.init(String(decoding: bytes, as: UTF8.self))
    }

    /// The recording that a text is.
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
                throw Malformed(description: "line \(index + 1) has no word that is known")
            }
        }
    }

    /// The text that it is.
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

    /// A kernel that answers what this one answered, and nothing else.
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
            throw Malformed(description: "line \(line) has something else than pairs of hexadecimal digits")
        }
        return values
    }
}

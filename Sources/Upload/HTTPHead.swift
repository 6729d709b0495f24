/// The lines of an answer's head as bytes: each is the name, a colon, the value without the space around it, and a line
/// feed. They become texts only when somebody reads them.
public struct HTTPHead: Equatable, Sendable {
    private static let colon = UInt8(ascii: ":")
    private static let lineFeed = UInt8(ascii: "\n")

    private var bytes: [UInt8] = []
    /// How many lines there are.
    public private(set) var count = 0

    /// A head without lines.
    public init() {}

    /// A head of these lines, none of which holds a line feed.
    public init(_ headers: [HTTPAnswer.Header]) {
        for header in headers {
            bytes += header.name.utf8
            bytes.append(Self.colon)
            bytes += header.value.utf8
            bytes.append(Self.lineFeed)
        }
        count = headers.count
    }

    /// Adds a line whose name holds no colon and which holds no line feed.
    public mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        bytes.reserveCapacity(256)
        bytes.append(contentsOf: name)
        bytes.append(Self.colon)
        bytes.append(contentsOf: value)
        bytes.append(Self.lineFeed)
        count += 1
    }

    /// Lets go of all lines, and keeps their room.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        count = 0
    }

    /// The lines. What is no UTF-8 is repaired.
    public var headers: [HTTPAnswer.Header] {
        bytes.split(separator: Self.lineFeed).compactMap { line in
            line.firstIndex(of: Self.colon).map { colon in
                HTTPAnswer.Header(
                    String(decoding: line[..<colon], as: UTF8.self),
                    String(decoding: line[(colon + 1)...], as: UTF8.self))
            }
        }
    }
}

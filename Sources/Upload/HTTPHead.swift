/// The header fields of a response as bytes: for each the name, a colon, the trimmed value and a line feed. They are
/// converted to strings only on use.
public struct HTTPHead: Equatable, Sendable {
    private static let colon = UInt8(ascii: ":")
    private static let lineFeed = UInt8(ascii: "\n")

    private var bytes: [UInt8] = []
    /// The number of header fields.
    public private(set) var count = 0

    /// A head without header fields.
    public init() {}

    /// A head of these fields, none of which contains a line feed.
    public init(_ headers: [HTTPAnswer.Header]) {
        for header in headers {
            bytes += header.name.utf8
            bytes.append(Self.colon)
            bytes += header.value.utf8
            bytes.append(Self.lineFeed)
        }
        count = headers.count
    }

    /// Appends a field. The name contains no colon, and neither part contains a line feed.
    public mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        bytes.reserveCapacity(256)
        bytes.append(contentsOf: name)
        bytes.append(Self.colon)
        bytes.append(contentsOf: value)
        bytes.append(Self.lineFeed)
        count += 1
    }

    /// Removes all fields and retains the allocated capacity.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        count = 0
    }

    /// The header fields as strings. Invalid UTF-8 is repaired.
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

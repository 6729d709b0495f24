/// The events of a stream of pushes, in the format of server-sent events (html.spec.whatwg.org, section 9.2): the `data` of an event
/// is a list of pushes as JSON, on one line. A line that begins with a colon is a comment.
public enum PushEvents {
    /// The media type.
    public static let type = "text/event-stream"
    /// What the hub sends first: a client that does not get it is behind a proxy that waits for the end of a response.
    public static let beginning = Array(": waiting\n\n".utf8)

    /// An event with this text, which has no line break.
    public static func event(_ json: [UInt8]) -> [UInt8] { "data: ".utf8 + json + "\n\n".utf8 }
}

/// Reads a stream of events, in whatever pieces it arrives.
public struct PushEventReader: Sendable {
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var isAfterReturn = false
    /// Whether an event is longer than a list of pushes can be.
    public private(set) var isTooLong = false

    private static let mostBytes = 4 << 20

    /// A reader at the beginning of a stream.
    public init() {}

    /// The data of the events that are complete with these bytes.
    public mutating func events(after bytes: [UInt8]) -> [[UInt8]] {
        var events: [[UInt8]] = []
        for byte in bytes where !isTooLong {
            switch byte {
            case UInt8(ascii: "\r"): endLine(&events)
            case UInt8(ascii: "\n"): if !isAfterReturn { endLine(&events) }
            default:
                line.append(byte)
                isTooLong = line.count + data.count > Self.mostBytes
            }
            isAfterReturn = byte == UInt8(ascii: "\r")
        }
        return events
    }

    private mutating func endLine(_ events: inout [[UInt8]]) {
        defer { line = [] }
        guard !line.isEmpty else {
            if !data.isEmpty { events.append(data) }
            data = []
            return
        }
        let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].elementsEqual("data".utf8) else { return }
        if !data.isEmpty { data.append(UInt8(ascii: "\n")) }
        data += parts[1].first == UInt8(ascii: " ") ? parts[1].dropFirst() : parts[1]
    }
}

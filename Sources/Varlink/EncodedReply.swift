import JSONText

/// An encoded reply. One that is sent over many connections is encoded once.
public struct EncodedReply: Equatable, Sendable {
    /// The message with its NUL.
    public let bytes: [UInt8]
    /// Whether more replies to the same call follow.
    public let continues: Bool

    /// A reply whose parameters are the members that the body writes.
    public init<Failure: Error>(
        continues: Bool = false, _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        var writer = JSONWriter(continuing: Self.head)
        // Enough for most replies, so that the buffer is not moved repeatedly while it grows.
        writer.reserveCapacity(512)
        try writer.object(body)
        writer.append(Self.tail(continues))
        bytes = writer.bytes
        self.continues = continues
    }

    /// A reply with parameters that are already encoded as a JSON object.
    public init(parameters: [UInt8], continues: Bool = false) {
        bytes = Self.head + parameters + Self.tail(continues)
        self.continues = continues
    }

    /// A reply with these parameters.
    public init(_ parameters: JSON, continues: Bool = false) {
        self.init(parameters: parameters.bytes, continues: continues)
    }

    /// A reply that reports an error by its full name.
    public init(error name: String, parameters: JSON = .emptyObject) {
        self.init(error: name, writingParameters: { $0.value(parameters) })
    }

    /// A reply that reports an error by its full name, with parameters that the body writes as one object.
    init(error name: String, writingParameters write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("error", name)
            writer.key("parameters")
            write(&writer)
        }
        bytes = writer.bytes + [0]
        continues = false
    }

    /// The beginning of a reply that is written in steps, on any thread, and completed with `init(ending:continues:)`.
    /// The members of its parameters follow.
    public static func begun() -> JSONWriter {
        var writer = JSONWriter(continuing: head)
        writer.beginObject()
        return writer
    }

    /// The reply that `begun()` began, once all members are written. The bytes are not copied.
    public init(ending writer: consuming JSONWriter, continues: Bool) {
        writer.endObject()
        writer.append(Self.tail(continues))
        bytes = writer.bytes
        self.continues = continues
    }

    /// Several replies of one call that continues, which are sent together.
    public init(joining replies: [EncodedReply]) {
        bytes = Array(replies.map(\.bytes).joined())
        continues = true
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        continues = false
    }

    /// The same reply without `continues`, for a caller that does not accept more than one.
    public var final: EncodedReply {
        guard continues else { return self }
        return EncodedReply(bytes: bytes.dropLast(Self.tail(true).count) + Self.tail(false))
    }

    private static let head = Array(#"{"parameters":"#.utf8)

    private static func tail(_ continues: Bool) -> [UInt8] { continues ? tailBeforeMore : lastTail }
    private static let tailBeforeMore = Array(#","continues":true}"#.utf8) + [0]
    private static let lastTail = Array("}".utf8) + [0]
}

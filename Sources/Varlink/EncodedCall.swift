import JSONText

/// An encoded call, made without a JSON tree.
public struct EncodedCall: Equatable, Sendable {
    /// The message with its NUL.
    public let bytes: [UInt8]
    /// Whether the caller accepts more than one reply.
    public let more: Bool

    /// A call of a method whose parameters are the object that the body writes.
    public init<Failure: Error>(
        _ method: String, more: Bool = false, _ writeParameters: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        var writer = JSONWriter()
        writer.reserveCapacity(256)
        try writer.object { (writer) throws(Failure) in
            writer.member("method", method)
            writer.key("parameters")
            try writeParameters(&writer)
            if more { writer.member("more", true) }
        }
        bytes = writer.bytes + [0]
        self.more = more
    }

    /// The call of a request that expects a reply.
    public init(_ request: CallRequest) {
        bytes = request.encoded
        more = request.more
    }
}

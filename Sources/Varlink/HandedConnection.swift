import Platform

/// The state of a connection at the orderly end of its process. The next process can continue exactly there, without
/// losing, repeating or truncating a message.
public struct HandedConnection: Equatable, Sendable {
    /// A call in progress.
    public struct PendingCall: Equatable, Sendable {
        /// The message with which the call is repeated, without its NUL; without parameters if it is not repeated.
        public var message: [UInt8]
        /// Its latest replies, the newest last, as many as its method needs; empty if there was none. A reply that is
        /// not compared with later ones is an empty array.
        public var replies: [[UInt8]]
    }

    /// The name of the listener to which the client connected.
    public var listenerName = ""
    /// The daemon's own data about the client, opaque to this module.
    public var note: [UInt8] = []
    /// Received bytes that have not become a call yet: complete messages, the beginning of one, or nothing.
    public var input: [UInt8] = []
    /// Whether the client has closed its direction.
    public var hasInputEnded = false
    /// The bytes still to be sent: the rest of a reply and further replies, or nothing.
    public var output: [UInt8] = []
    /// The call in progress; nil if there is none.
    public var call: PendingCall?

    /// An idle connection.
    public init() {}

    private static let inputEnded: UInt8 = 1
    private static let hasCall: UInt8 = 2

    /// The encoded state.
    public var encoded: ArraySlice<UInt8> {
        var packed = PackedBytes()
        packed.append((hasInputEnded ? Self.inputEnded : 0) | (call == nil ? 0 : Self.hasCall))
        packed.append(listenerName.utf8)
        packed.append(note)
        packed.append(input)
        packed.append(output)
        if let call {
            packed.append(call.message)
            packed.append(UInt32(clamping: call.replies.count))
            for reply in call.replies { packed.append(reply) }
        }
        return packed.bytes
    }

    /// Decodes `encoded`; nil for anything else.
    public init?(decoding bytes: [UInt8]) {
        var packed = PackedBytes(bytes)
        guard let flags = packed.next(UInt8.self), flags & ~(Self.inputEnded | Self.hasCall) == 0,
            let name = packed.nextString().flatMap({ String(validating: $0, as: UTF8.self) }),
            let note = packed.nextString(), let input = packed.nextString(), let output = packed.nextString()
        else { return nil }
        (listenerName, self.note, self.input, self.output) = (name, note, input, output)
        hasInputEnded = flags & Self.inputEnded != 0
        if flags & Self.hasCall != 0 {
            guard let message = packed.nextString(), let count = packed.next(UInt32.self) else { return nil }
            var replies: [[UInt8]] = []
            for _ in 0..<count {
                guard let reply = packed.nextString() else { return nil }
                replies.append(reply)
            }
            call = PendingCall(message: message, replies: replies)
        }
        guard packed.bytes.isEmpty else { return nil }
    }
}

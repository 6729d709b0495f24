import Platform

/// What was going on over a connection when its process ended in order: enough for the next process to continue exactly
/// there, without losing, repeating or tearing a message.
public struct HandedConnection: Equatable, Sendable {
    /// A call in progress.
    public struct PendingCall: Equatable, Sendable {
        /// The message by which it is to be made again, without its NUL.
        public var message: [UInt8]
        /// Its latest replies, the newest last, as far as its method needs them; empty where there was none. One that is too
        /// long to be remembered is an empty array.
        public var replies: [[UInt8]]
    }

    /// The name of the listener that the client connected to.
    public var listenerName = ""
    /// What the daemon noted of the client; only the daemon knows what that means.
    public var note: [UInt8] = []
    /// What was received and not yet taken as a call: complete messages, the beginning of one, or nothing.
    public var input: [UInt8] = []
    /// Whether the client has said that it sends no more.
    public var hasInputEnded = false
    /// What is still to be sent: the rest of a reply, replies that follow it, or nothing.
    public var output: [UInt8] = []
    /// The call in progress; nil where there is none.
    public var call: PendingCall?

    /// A connection over which nothing is going on.
    public init() {}

    private static let inputEnded: UInt8 = 1
    private static let hasCall: UInt8 = 2

    /// The bytes by which it is written down.
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

    /// Reads what `encoded` made; nil where it is anything else.
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

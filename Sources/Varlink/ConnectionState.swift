import Durations
import Platform

/// The receiving half of a connection: bytes and time in, calls out, one at a time and in order.
///
/// It has no descriptor and no clock. Its owner reads while `wantsInput`, takes calls with `nextCall` until there is
/// none, and says when one is over.
struct ConnectionState {
    /// Whether bytes may still come.
    private enum Input {
        case open
        /// Reading rests since complete messages wait; time meanwhile is not held against the client.
        case resting
        /// The client has said that it sends no more.
        case ended
    }

    private enum Activity {
        case idle, calling
    }

    private let limits: ServerLimits
    private var framer: MessageFramer
    private var input = Input.open
    private var activity = Activity.idle

    init(limits: ServerLimits) {
        self.limits = limits
        framer = MessageFramer(limit: limits.maximumMessageBytes)
    }

    /// The state of a connection that an earlier process left.
    init(limits: ServerLimits, continuing handed: HandedConnection, at now: UInt64) throws(MessageFramer.TooLong) {
        self.init(limits: limits)
        try receive(handed.input, at: now)
        if handed.hasInputEnded { receiveEnd() }
    }

    /// What was received and not yet taken as a call.
    var rest: ArraySlice<UInt8> { framer.rest }

    /// Whether the client has said that it sends no more.
    var hasInputEnded: Bool {
        if case .ended = input { true } else { false }
    }

    /// A call that was in progress before a restart is so again.
    mutating func resumeCall() {
        activity = .calling
    }

    /// Whether its owner should read.
    var wantsInput: Bool {
        if case .open = input { true } else { false }
    }

    /// Whether nothing more will come of it: no input, no call, no message that waits.
    var isFinished: Bool {
        if case .ended = input, case .idle = activity { !framer.hasMessage } else { false }
    }

    /// When the message that has begun must have ended, in nanoseconds of the monotonic clock; nil where none has or
    /// where the client is not being read.
    var deadline: UInt64? {
        guard wantsInput, let since = framer.unfinishedSince else { return nil }
        return since.after(limits.unfinishedMessage)
    }

    /// Takes in what was received.
    mutating func receive(_ bytes: some Collection<UInt8>, at now: UInt64) throws(MessageFramer.TooLong) {
        try framer.append(bytes, at: now)
        if framer.hasMessage, framer.bufferedBytes >= limits.maximumPipelinedBytes, wantsInput { input = .resting }
    }

    /// The client will send no more. What it has sent is still answered; half a message is forgotten.
    mutating func receiveEnd() {
        input = .ended
    }

    /// The next call where none is in progress, which there is then; nil where there is none to take.
    mutating func nextCall(at now: UInt64) throws(MalformedMessage) -> CallRequest? {
        guard case .idle = activity, let message = framer.next() else { return nil }
        if case .resting = input, !framer.hasMessage || framer.bufferedBytes < limits.maximumPipelinedBytes {
            input = .open
            framer.restartWait(at: now)
        }
        let request = try CallRequest(parsing: message, maximumDepth: limits.maximumDepth)
        activity = .calling
        return request
    }

    /// The call in progress has had its last reply.
    mutating func finishCall() {
        activity = .idle
    }
}

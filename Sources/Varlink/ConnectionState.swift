import Durations
import Platform

/// The receiving half of a connection: a state machine that turns received bytes into calls, one at a time and in
/// order.
///
/// It has no descriptor and no clock. Its owner reads while `wantsInput`, calls `nextCall` until it returns nil, and
/// reports the end of each call.
struct ConnectionState {
    /// The state of the input.
    private enum Input {
        case open
        /// Reading is paused because complete messages are pending; the time until it continues does not count against
        /// the client.
        case resting
        /// The client has closed its direction.
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

    /// The state of a connection that an earlier process handed over.
    init(limits: ServerLimits, continuing handed: HandedConnection, at now: UInt64) throws(MessageFramer.TooLong) {
        self.init(limits: limits)
        try receive(handed.input, at: now)
        if handed.hasInputEnded { receiveEnd() }
    }

    /// The received bytes that have not become a call yet.
    var rest: ArraySlice<UInt8> { framer.rest }

    /// Whether the client has closed its direction.
    var hasInputEnded: Bool {
        if case .ended = input { true } else { false }
    }

    /// A call that was in progress before a restart is in progress again.
    mutating func resumeCall() {
        activity = .calling
    }

    /// Whether the owner should read.
    var wantsInput: Bool {
        if case .open = input { true } else { false }
    }

    /// Whether nothing more can happen: there is no input, no call, and no pending message.
    var isFinished: Bool {
        if case .ended = input, case .idle = activity { !framer.hasMessage } else { false }
    }

    /// When a message that has begun must be complete, in nanoseconds of the monotonic clock; nil if none has begun or
    /// reading is paused.
    var deadline: UInt64? {
        guard wantsInput, let since = framer.unfinishedSince else { return nil }
        return since.after(limits.unfinishedMessage)
    }

    /// Handles received bytes.
    mutating func receive(_ bytes: some Collection<UInt8>, at now: UInt64) throws(MessageFramer.TooLong) {
        try framer.append(bytes, at: now)
        if framer.hasMessage, framer.bufferedBytes >= limits.maximumPipelinedBytes, wantsInput { input = .resting }
    }

    /// The client has closed its direction. Complete messages are still answered; an incomplete one is discarded.
    mutating func receiveEnd() {
        input = .ended
    }

    /// The next call, which is then in progress; nil if a call is in progress or none is pending.
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

    /// The last reply of the call in progress was given.
    mutating func finishCall() {
        activity = .idle
    }
}

import Durations
import Platform
import Varlink

/// A stream of the daemon's that is opened anew where the daemon goes away, for ever or until a moment: for commands that
/// go on or wait. Whoever looks on is told once each time.
///
/// The first attempt is the only one that may fail for want of a daemon. Its first reply, which comes at once, is taken also
/// where the time is over.
final class PatientStream<Method: VarlinkMethod> {
    /// What came.
    enum Event {
        case reply(MethodReply<Method>)
        /// Nothing, for as long as was to be waited.
        case nothing
        /// The daemon went away; it is waited for.
        case lost
        /// The time is over.
        case expired
    }

    private let daemon: DaemonLink
    /// With what it is opened when it is opened anew.
    var method: Method
    private let session: Session
    private let interruption: Interruption
    private let clock: any TimeSource
    /// Nanoseconds of the monotonic clock; nil for ever.
    private let end: UInt64?
    /// Until when the first reply may come in any case; nil once it has, or the connection has ended.
    private var firstReplyEnd: UInt64?
    private let comesBack: Bool
    private var stream: DaemonStream?
    private var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(2))

    /// Opens the stream. Without `comesBack` the daemon's end is a failure, as for other commands.
    init(
        _ session: Session, _ method: Method, for time: Duration? = nil, comesBack: Bool,
        until interruption: Interruption
    ) throws(CommandFailure) {
        daemon = session.daemon
        self.session = session
        self.method = method
        self.interruption = interruption
        clock = session.clock
        end = time.map { session.clock.monotonicNanoseconds.after($0) }
        self.comesBack = comesBack
        stream = try daemon.stream(method, until: interruption)
        firstReplyEnd = clock.monotonicNanoseconds.after(.seconds(DaemonLink.answerTime))
    }

    /// Waits for what comes next, so long or as long as there is time.
    func next(timeout: Duration? = nil) throws(CommandFailure) -> Event {
        while true {
            let left = remaining
            if left == .zero { return .expired }
            let remaining = [left, timeout].compactMap(\.self).min()
            guard let stream else {
                try reopen(within: remaining)
                if self.stream == nil, timeout != nil { return .nothing }
                continue
            }
            switch try stream.next(timeout: remaining) {
            case .reply(let reply):
                pause.reset()
                firstReplyEnd = nil
                return .reply(try reply.read(as: Method.self))
            case .nothing:
                if timeout != nil { return .nothing }
            case .ended where !comesBack:
                throw .failed("Disconnected", "The Waymark daemon ended the connection.", .notRunning)
            case .ended:
                self.stream = nil
                firstReplyEnd = nil
                session.remarks.say("The Waymark daemon closed the connection. Reconnecting.")
                return .lost
            }
        }
    }

    /// How much time is left; nil where it never ends.
    private var remaining: Duration? {
        end.map { end in
            let (end, now) = (max(end, firstReplyEnd ?? end), clock.monotonicNanoseconds)
            return .nanoseconds(Int64(clamping: end - min(end, now)))
        }
    }

    /// Tries once more to find the daemon, after a pause. Only that nobody is there, or nobody answers, is waited out.
    private func reopen(within remaining: Duration?) throws(CommandFailure) {
        let pause = pause.nextAtRandom()
        try interruption.pause(min(pause, remaining ?? pause))
        do throws(VarlinkError) {
            stream = try daemon.attemptStream(method, within: .seconds(1), until: interruption)
        } catch .closed, .timedOut {
            return
        } catch {
            if !error.isNobodyThere { throw CommandFailure(error, socketPath: daemon.socketPath) }
        }
    }
}

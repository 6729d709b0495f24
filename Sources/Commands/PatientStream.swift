import Durations
import Platform
import Varlink

/// A stream of the daemon's that is opened again when the daemon was lost, without end or until an instant: for
/// commands that continue or wait. Each loss is reported once.
///
/// Only the first attempt may fail because no daemon listens. The first reply, which the daemon sends at once, is
/// accepted even after the end of the time.
final class PatientStream<Method: VarlinkMethod> {
    /// An event of the stream.
    enum Event {
        case reply(MethodReply<Method>)
        /// No event within the time limit.
        case nothing
        /// The connection to the daemon was lost; it is opened again.
        case lost
        /// The time is over.
        case expired
    }

    private let daemon: DaemonLink
    /// The call that opens the stream.
    var method: Method
    private let session: Session
    private let interruption: Interruption
    private let clock: any TimeSource
    /// The end, in nanoseconds of the monotonic clock; nil for none.
    private let end: UInt64?
    /// The time limit for the first reply; nil once it was received, or the connection has ended.
    private var firstReplyEnd: UInt64?
    private let comesBack: Bool
    private var stream: DaemonStream?
    private var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(2))

    /// Opens the stream. Without `comesBack` the end of the connection is a failure, as for other commands.
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

    /// The connection, to be polled together with others; nil while there is none.
    var descriptor: Int32? { stream?.descriptor }

    /// Waits for the next event, within this time and the remaining time.
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
                throw .failed("Disconnected", "The Waymark daemon closed the connection.", .notRunning)
            case .ended:
                self.stream = nil
                firstReplyEnd = nil
                session.remarks.say("The Waymark daemon closed the connection. Reconnecting.")
                return .lost
            }
        }
    }

    /// The remaining time; nil without an end.
    private var remaining: Duration? {
        end.map { end in
            let (end, now) = (max(end, firstReplyEnd ?? end), clock.monotonicNanoseconds)
            return .nanoseconds(Int64(clamping: end - min(end, now)))
        }
    }

    /// Tries once more to reach the daemon, after a pause. Only errors that mean that it does not listen or reply are
    /// retried.
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

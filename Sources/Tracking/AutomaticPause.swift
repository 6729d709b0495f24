import Location

/// Pauses a stream of positions while the machine is stationary, and resumes it when the machine moves.
///
/// The pause begins after the machine was stationary for the delay. The client is notified of both: by the position at which
/// the pause begins, and by the first position after it.
public struct AutomaticPause: Equatable, Sendable {
    /// What to do with a position.
    public enum Effect: Equatable, Sendable {
        /// Deliver it if it is due.
        case deliver
        /// Deliver it, due or not, with the information that the stream pauses.
        case pause
        /// Do not deliver it.
        case withhold
        /// Deliver it, due or not: the stream goes on.
        case resume
    }

    private enum State: Equatable {
        case running
        case paused(isReported: Bool)
    }

    /// Seconds of being stationary after which the stream pauses.
    public let delay: Double
    private var state = State.running

    /// A stream that runs.
    public init(after delay: Double) {
        self.delay = delay
    }

    /// Whether the stream is paused.
    public var isPaused: Bool { state != .running }

    /// Evaluates a position of this time of the receiver, under the state of motion.
    public mutating func receive(_ motion: MotionDetector.State, at time: UTCTime) -> Effect {
        guard case .stationary(let since) = motion, time.seconds(since: since) >= delay else {
            defer { state = .running }
            return isPaused ? .resume : .deliver
        }
        defer { state = .paused(isReported: true) }
        return state == .paused(isReported: true) ? .withhold : .pause
    }

    /// The client was notified of something else meanwhile, such as that there is no position: the pause is reported again.
    public mutating func interrupt() {
        if isPaused { state = .paused(isReported: false) }
    }
}

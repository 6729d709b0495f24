/// The speed of a replay.
public enum Pace: Equatable, Sendable {
    /// A multiple of the original speed, more than 0.
    case times(Double)
    /// As fast as the reader accepts the data.
    case unlimited

    /// Parses a number more than 0, or `0` or `max` for unlimited; nil for anything else.
    public init?(_ text: String) {
        if text == "max" {
            self = .unlimited
            return
        }
        guard let number = Double(text), number.isFinite, number >= 0, number <= 1_000_000 else { return nil }
        self = number == 0 ? .unlimited : .times(number)
    }
}

/// Decides when each part of a recording is due. It is pure: the time is a parameter.
///
/// After a delay, overdue parts are sent at once, so nothing is omitted and the schedule is unchanged.
public struct Pacing: Sendable {
    /// The next action.
    public enum Step: Equatable, Sendable {
        /// Send the part of this number, then call `sent()`.
        case send(Int)
        /// Nothing is due before this time, nanoseconds of CLOCK_MONOTONIC.
        case wait(until: UInt64)
        /// All was sent.
        case finished
    }

    /// The index of the next part; the number of parts when all were sent.
    public private(set) var next = 0
    /// The number of completed passes.
    public private(set) var passes = 0
    private let offsets: [UInt64]
    private let pace: Pace
    private let loops: Bool
    private var startedAt: UInt64?

    /// The pause between the end of a recording and its next pass: one second, as between two fixes.
    private static let pauseNanoseconds: UInt64 = 1_000_000_000

    /// A schedule of parts that are due at these offsets in nanoseconds, in order.
    public init(offsets: [UInt64], pace: Pace, loops: Bool) {
        self.offsets = offsets
        self.pace = pace
        self.loops = loops && !offsets.isEmpty
    }

    /// The action at this time, nanoseconds of CLOCK_MONOTONIC. The first call starts the schedule.
    public mutating func step(now: UInt64) -> Step {
        if next == offsets.count {
            guard loops else { return .finished }
            next = 0
        }
        guard case .times(let factor) = pace else { return .send(next) }
        let start = startedAt ?? now
        startedAt = start
        let pass = Double(passes) * Double((offsets.last ?? 0) + Self.pauseNanoseconds)
        let due = start + UInt64((pass + Double(offsets[next])) / factor)
        return due <= now ? .send(next) : .wait(until: due)
    }

    /// Confirms that the part was sent.
    public mutating func sent() {
        guard next < offsets.count else { return }
        next += 1
        if next == offsets.count { passes += 1 }
    }
}

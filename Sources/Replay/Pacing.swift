/// How fast a recording is played.
public enum Pace: Equatable, Sendable {
    /// So many times as fast as the receiver was, more than 0.
    case times(Double)
    /// As fast as the reader takes it.
    case unlimited

    /// The pace that a person asks for: a number more than 0, or `0` or `max` for unlimited; nil for anything else.
    public init?(_ text: String) {
        if text == "max" {
            self = .unlimited
            return
        }
        guard let number = Double(text), number.isFinite, number >= 0, number <= 1_000_000 else { return nil }
        self = number == 0 ? .unlimited : .times(number)
    }
}

/// Which part of a recording is due when: pure, the time is given.
///
/// A reader that lags gets what is overdue at once: nothing is left out, and the schedule is kept.
public struct Pacing: Sendable {
    /// What to do now.
    public enum Step: Equatable, Sendable {
        /// Send the part of this number, then call `sent()`.
        case send(Int)
        /// Nothing is due before this time, nanoseconds of CLOCK_MONOTONIC.
        case wait(until: UInt64)
        /// All was sent.
        case finished
    }

    /// The part that is next; as many as there are when all was sent.
    public private(set) var next = 0
    /// How many times the whole recording was sent.
    public private(set) var passes = 0
    private let offsets: [UInt64]
    private let pace: Pace
    private let loops: Bool
    private var startedAt: UInt64?

    /// The pause between the end of a recording and its beginning, of its own time: one second as between two fixes.
    private static let pauseNanoseconds: UInt64 = 1_000_000_000

    /// A pacing over parts that are due at these nanoseconds after the start, in order.
    public init(offsets: [UInt64], pace: Pace, loops: Bool) {
        self.offsets = offsets
        self.pace = pace
        self.loops = loops && !offsets.isEmpty
    }

    /// What to do at this time, nanoseconds of CLOCK_MONOTONIC. The first call starts the clock.
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

    /// The part that was to be sent has been.
    public mutating func sent() {
        guard next < offsets.count else { return }
        next += 1
        if next == offsets.count { passes += 1 }
    }
}

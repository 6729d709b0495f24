/// How long to wait before the next attempt: exponential, with full jitter.
///
/// | attempt that failed | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 and more |
/// | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
/// | longest wait (s) | 1 | 2 | 4 | 8 | 16 | 32 | 64 | 128 | 256 | 300 |
///
/// The wait is drawn evenly from 0 to the longest, so that clients of a server that comes back do not all arrive at once.
struct RetryPolicy: Equatable, Sendable {
    /// The longest wait after the first attempt that failed.
    static let first = Duration.seconds(1)
    /// The longest wait at all, also where the destination asks for a longer one.
    static let longest = Duration.seconds(300)
    /// How long to wait where something has to be changed first.
    static let blocked = Duration.seconds(900)

    /// How long to wait after a destination has refused everything so many times in a row, from 1: such a destination is
    /// often being updated. 1, 2, 4, 8 and then 15 minutes.
    static func delay(afterRefusals count: Int) -> Duration {
        min(blocked, .seconds(60) * (1 << max(0, min(count - 1, 20))))
    }

    /// The longest wait after so many attempts that failed, from 1.
    static func ceiling(after attempts: Int) -> Duration {
        min(longest, first * (1 << max(0, min(attempts - 1, 20))))
    }

    /// The wait after so many attempts that failed, for a random number from 0 up to but not including 1, and not less
    /// than the destination has asked for, up to the longest.
    static func delay(after attempts: Int, random: Double, requested: Duration? = nil) -> Duration {
        let drawn = ceiling(after: attempts) * min(1, max(0, random))
        return max(drawn, min(requested ?? .zero, longest))
    }
}

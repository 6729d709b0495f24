/// The wait before the next attempt: exponential backoff with full jitter.
///
/// | attempt that failed | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 and more |
/// | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
/// | longest wait (s) | 1 | 2 | 4 | 8 | 16 | 32 | 64 | 128 | 256 | 300 |
///
/// The wait is drawn uniformly from 0 to the longest wait, so that the clients of a recovering server do not all return
/// at once.
package struct RetryPolicy: Equatable, Sendable {
    /// The longest wait after the first failed attempt.
    static let first = Duration.seconds(1)
    /// The longest wait after any number of attempts, even if the destination requests a longer one.
    static let longest = Duration.seconds(300)
    /// The wait if something has to be changed before an attempt can succeed.
    static let blocked = Duration.seconds(900)

    /// The wait after a destination has refused everything `count` times in a row, from 1; such a destination is often
    /// being updated. 1, 2, 4, 8 and then 15 minutes.
    static func delay(afterRefusals count: Int) -> Duration {
        min(blocked, .seconds(60) * (1 << max(0, min(count - 1, 20))))
    }

    /// The longest wait after so many failed attempts, from 1.
    static func ceiling(after attempts: Int) -> Duration {
        min(longest, first * (1 << max(0, min(attempts - 1, 20))))
    }

    /// The wait after so many failed attempts, for a random number from 0 up to but not including 1. It is at least the
    /// wait that the destination requested (`requested`), and at most `longest`.
    package static func delay(after attempts: Int, random: Double, requested: Duration? = nil) -> Duration {
        let drawn = ceiling(after: attempts) * min(1, max(0, random))
        return max(drawn, min(requested ?? .zero, longest))
    }
}

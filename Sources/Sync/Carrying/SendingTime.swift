import Durations

/// When pending changes of programs are sent: after a time without further ones, but not long after the first one. Without the second
/// rule a program that changes something again and again would postpone the changes of all apps without end.
struct SendingTime: Equatable {
    /// How long after a change a further one is waited for.
    static let quiet = Duration.seconds(1)
    /// How long after the first change all of them are sent at the latest.
    static let longestQuiet = Duration.seconds(10)

    /// When they are to be sent, in nanoseconds of CLOCK_MONOTONIC; nil if none are pending.
    private(set) var due: UInt64?
    /// When the first change was noted since nothing was left to send.
    private var first: UInt64?

    /// A program has changed something.
    mutating func noteChange(at now: UInt64) {
        let first = first ?? now
        self.first = first
        due = min(now.after(Self.quiet), first.after(Self.longestQuiet))
    }

    /// What is pending is sent at once.
    mutating func hurry(at now: UInt64) { due = now }

    /// Nothing is left to send.
    mutating func end() { self = SendingTime() }
}

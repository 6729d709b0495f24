import Durations
import Location
import NetworkPaths

/// What is to be done, for the program around an uploader, in this order.
public enum UploadEffect: Equatable, Sendable {
    /// Read from the recording; `read` or `readFailed` follows.
    case read(ReadRequest)
    /// Read dead letters with larger numbers than this, at most so many; `readRejected` follows.
    case readRejected(after: Int64, limit: Int)
    /// Connect to the broker; `connected`, `connectionRefused` or `failed` follows.
    case connect
    /// Leave the broker; what is under way stays in the session.
    case disconnect
    /// Send these; `answered`, `published` or `failed` follows, or `cancel`.
    case send(Transfer)
    /// This is probably sent next: what it takes may be written in advance, where there is time. Nil forgets that.
    case prepare(Transfer?)
    /// Give up a transfer; nothing follows.
    case cancel(UInt64)
    /// Everything up to this number is settled: tell the recording, and call `acknowledged`.
    case acknowledge(upTo: Int64)
    /// The destination does not take this position: mark it as a dead letter, and call `rejected` when that is durable.
    case reject(Int64, DeadLetter)
    /// The destination has taken what was a dead letter: it is none any more.
    case revive(Int64)
    /// Call `timerFired` at this time, nanoseconds of CLOCK_MONOTONIC, and at no other.
    case armTimer(at: UInt64)
    /// Do not call it.
    case disarmTimer
    /// Tell the daemon what came of trying.
    case reportOutcome(ReportedOutcome)
    /// Tell how it stands.
    case publish(UploadReport)
}

/// A time by both clocks.
public struct UploadTime: Equatable, Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC, for everything that is waited for.
    public var monotonic: UInt64
    /// By the system's clock, for the age of positions and for dates in answers.
    public var utc: UTCTime

    /// A time by these clocks.
    public init(monotonic: UInt64, utc: UTCTime) {
        self.monotonic = monotonic
        self.utc = utc
    }

    /// So much later, in nanoseconds of CLOCK_MONOTONIC.
    func later(by duration: Duration) -> UInt64 { monotonic.after(duration) }
}

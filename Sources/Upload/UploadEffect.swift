import Durations
import Location
import NetworkPaths

/// An action for the program that runs an uploader. Effects are performed in the order of the array.
public enum UploadEffect: Equatable, Sendable {
    /// Read from the recording; `read` or `readFailed` follows.
    case read(ReadRequest)
    /// Read at most `limit` dead letters with numbers above `after`; `readRejected` follows.
    case readRejected(after: Int64, limit: Int)
    /// Connect to the broker; `connected`, `connectionRefused` or `failed` follows.
    case connect
    /// Disconnect from the broker; messages in flight remain in the session.
    case disconnect
    /// Send this transfer; `answered`, `published` or `failed` follows, unless it is cancelled.
    case send(Transfer)
    /// The probable next transfer: its request may be written in advance when there is time. Nil withdraws the last
    /// one.
    case prepare(Transfer?)
    /// Cancel a transfer; nothing follows.
    case cancel(UInt64)
    /// Acknowledge these numbers to the recording, then call `acknowledged`.
    case acknowledge(Acknowledgement)
    /// The destination refuses this position: mark it as a dead letter, and call `rejected` when the mark is durable.
    case reject(Int64, DestinationRefusal)
    /// The destination has accepted a dead letter: remove its mark, then call `revived` unless there was none.
    case revive(Int64)
    /// Acknowledge the events of the regions up to this number to the daemon, then call `regionsAcknowledged`.
    case acknowledgeRegions(upTo: Int64)
    /// Read the events of the regions after this number in place of those that are being read.
    case readRegions(after: Int64)
    /// The destination has refused a message about a region for good.
    case regionMessageRefused(status: Int)
    /// Call `timerFired` at this time (nanoseconds of CLOCK_MONOTONIC) instead of any earlier one.
    case armTimer(at: UInt64)
    /// Disarm the timer.
    case disarmTimer
    /// Report the outcome of an attempt to the daemon.
    case reportOutcome(ReportedOutcome)
    /// Publish the status of the uploader.
    case publish(UploadReport)
}

extension Instant {
    /// This instant plus a duration, in nanoseconds of CLOCK_MONOTONIC.
    func later(by duration: Duration) -> UInt64 { monotonicNanoseconds.after(duration) }
}

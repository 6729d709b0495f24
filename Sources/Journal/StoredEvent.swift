import Events

/// An event in the form in which the journal stores it.
public struct StoredEvent: Equatable, Sendable {
    /// The sequence number: 1, 2, 3 … without gaps.
    public var sequence: Int64
    /// The time of the system clock, in microseconds since 1970-01-01T00:00:00Z.
    public var timeMicroseconds: Int64
    /// The instant, in nanoseconds of CLOCK_MONOTONIC of that boot.
    public var monotonicNanoseconds: UInt64
    /// The boot ID of the kernel (`/proc/sys/kernel/random/boot_id`).
    public var bootID: String
    /// The kind as stored; a newer release may have written one that `EventKind` does not know.
    public var kind: String
    /// The app that the event is about.
    public var app: String?
    /// The user that the event is about.
    public var uid: UInt32?
    /// Further details, as one compact JSON object.
    public var details: String
    /// The number among the events about its app, each greater than the one before, by which the app knows it. Nil if
    /// the event is not about an app.
    public var appSequence: Int64?

    /// The kind, nil for one that this release does not know.
    public var eventKind: EventKind? { EventKind(rawValue: kind) }
}

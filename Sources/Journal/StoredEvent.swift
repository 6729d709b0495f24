/// An event as the journal holds it.
public struct StoredEvent: Equatable, Sendable {
    /// Its place in the order: 1, 2, 3 … without gaps.
    public var sequence: Int64
    /// When, in microseconds since 1970-01-01T00:00:00Z, as the system's clock had it then.
    public var timeMicroseconds: Int64
    /// When, in nanoseconds of CLOCK_MONOTONIC of that boot.
    public var monotonicNanoseconds: UInt64
    /// The boot, as the kernel names it (`/proc/sys/kernel/random/boot_id`).
    public var bootID: String
    /// The kind as stored; a newer release may have written one that `EventKind` does not know.
    public var kind: String
    /// The app it is about.
    public var app: String?
    /// The user it is about.
    public var uid: UInt32?
    /// The rest, as one compact JSON object.
    public var details: String
    /// Its place among the events about its app, each one more than the one before: the number by which the app knows it. Nil
    /// where it is not about an app.
    public var appSequence: Int64?

    /// The kind, nil for one that this release does not know.
    public var eventKind: EventKind? { EventKind(rawValue: kind) }
}

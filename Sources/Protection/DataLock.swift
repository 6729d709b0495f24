import Location

/// When the data of a machine is locked and unlocked. A pure state machine: its owner passes what happens and the time, and
/// performs the effects.
///
///     state           unlock      lock                time passes
///     open                                                            no passphrase was set
///     neverUnlocked   unlocked
///     locked          unlocked
///     unlocked        unlocked    locking for 10 s    locking, when it is to lock by itself
///     locking         unlocked                        locked
public struct DataLock: Equatable, Sendable {
    /// Whether the data can be read. Instants are nanoseconds of CLOCK_MONOTONIC.
    public enum State: Equatable, Sendable {
        /// No passphrase was set, so that nothing is locked.
        case open
        /// A passphrase was set, and nobody has unlocked the data since the daemon started.
        case neverUnlocked
        /// Locked, after it was unlocked.
        case locked
        /// Unlocked since an instant.
        case unlocked(since: UInt64)
        /// Still unlocked, and locked at an instant.
        case locking(at: UInt64)
    }

    /// Why the data is locked by itself; the words of the event.
    public enum Cause: String, Sendable {
        /// It was unlocked for as long as the configuration permits.
        case time
        /// Nobody has used the machine for as long as the configuration permits.
        case idle
    }

    /// What the owner has to do.
    public enum Effect: Equatable, Sendable {
        /// Notify apps that the data will be locked.
        case announce
        /// Drop the keys that a locked machine does not have, and notify apps when they are erased.
        case dropKeys
        /// Use the keys that were just unlocked, and notify apps.
        case useKeys
    }

    /// The time between the announcement and the lock, in nanoseconds: iOS has the same 10 s.
    public static let grace: UInt64 = 10_000_000_000

    /// The present state.
    public private(set) var state = State.open
    /// The time after an unlock at which the data is locked again, in nanoseconds; 0 for never.
    public var lockAfter: UInt64 = 0
    /// The time without use of the machine after which the data is locked, in nanoseconds; 0 for never.
    public var lockWhenIdle: UInt64 = 0
    /// Since when nobody uses the machine; nil if somebody does, or it is not known.
    public var idleSince: UInt64?

    /// A machine without a passphrase.
    public init() {}

    /// The state by which classes are written and read.
    public var access: LockState {
        switch state {
        case .open, .unlocked, .locking: .unlocked
        case .neverUnlocked: .neverUnlocked
        case .locked: .locked
        }
    }

    /// The next instant at which `timePassed` has to be called; nil if there is none.
    public var deadline: UInt64? {
        switch state {
        case .locking(let instant): instant
        case .unlocked: due?.instant
        default: nil
        }
    }

    /// When and why unlocked data will be locked by itself. Whoever unlocks it uses the machine, if only from elsewhere.
    ///
    ///     unlocked at    idle since    lockAfter    lockWhenIdle    locked at
    ///     100 s                        60 s         30 s            160 s by time
    ///     100 s          120 s         60 s         30 s            150 s by idle
    ///     100 s          20 s          60 s         30 s            130 s by idle
    public var due: (instant: UInt64, cause: Cause)? {
        guard case .unlocked(let since) = state else { return nil }
        var due: (instant: UInt64, cause: Cause)?
        if lockAfter > 0 { due = (since.addingReportingOverflow(lockAfter).partialValue, .time) }
        if lockWhenIdle > 0, let idleSince {
            let instant = max(since, idleSince).addingReportingOverflow(lockWhenIdle).partialValue
            if due.map({ instant < $0.instant }) ?? true { due = (instant, .idle) }
        }
        return due
    }

    /// A file of keys was found at the start.
    public mutating func found() {
        if state == .open { state = .neverUnlocked }
    }

    /// The data is closed at once, also to what needs one unlock only: it may belong to somebody else than whoever unlocked it.
    public mutating func close() -> [Effect] {
        switch state {
        case .open, .neverUnlocked: return []
        case .locked, .unlocked, .locking:
            state = .neverUnlocked
            return [.dropKeys]
        }
    }

    /// Protection was switched off: nothing is locked any more.
    public mutating func end() { state = .open }

    /// A secret has unlocked the data, or a passphrase was set for the first time.
    public mutating func unlock(at now: UInt64) -> [Effect] {
        state = .unlocked(since: now)
        return [.useKeys]
    }

    /// The data is to be locked.
    public mutating func lock(at now: UInt64) -> [Effect] {
        guard case .unlocked = state else { return [] }
        state = .locking(at: now + Self.grace)
        return [.announce]
    }

    /// Time has passed.
    public mutating func timePassed(at now: UInt64) -> [Effect] {
        guard let deadline, now >= deadline else { return [] }
        guard case .locking = state else { return lock(at: now) }
        state = .locked
        return [.dropKeys]
    }
}

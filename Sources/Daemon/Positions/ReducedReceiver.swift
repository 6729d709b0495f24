import Cryptography
import Location
import Platform
import Tracking

/// The machine's only reduced position, for every app that may have no better one: a receiver that reports three times
/// an hour.
///
/// It needs fixes only from a tick to the first fix after it, and has one timer, armed only while reduced positions are
/// needed. `ReducedSchedule` decides what is due when. Clients learn nothing of the fixes behind it: a reduced position
/// exists or does not, and that changes only at whole minutes.
@DaemonActor
final class ReducedReceiver {
    /// Why no key was rotated.
    enum RotationFailure: Error {
        /// Another rotation is in progress.
        case inProgress
        /// The new key could not be made durable; the old one stays in use.
        case key(DeviceKeyError)
    }

    private enum Key {
        /// The key was not requested yet.
        case none
        case opening
        case open(ReducedSchedule)
        /// There is no key. The next attempt follows after this time of CLOCK_MONOTONIC in nanoseconds.
        case failed(DeviceKeyError, retryAt: UInt64)
        case stopped
    }

    /// Failures to save a position before it was shown, since the start.
    private(set) var unsaved = 0
    /// The present problem for a person, such as a missing key or a full disk; nil if there is none.
    private(set) var problem: String? {
        didSet { if problem != oldValue { changes.report(.statusChanged) } }
    }

    /// The position shown before the daemon started, and shown again.
    private(set) var restored: ReducedFix?
    /// Whether a position is being saved.
    private(set) var isSaving = false
    /// When the timer fires, in nanoseconds of CLOCK_MONOTONIC; nil while it is not armed.
    private(set) var timerDeadline: UInt64?

    private let store: ReducedStore
    private let changes: Changes
    private let clock: any TimeSource
    private let source: any FixSource
    private var key = Key.none
    private var timer: TimerSource?
    private var needs = 0
    private var isRotating = false
    /// A rotation, or the end of one, that waits until the key is loaded.
    private var afterOpening: (@DaemonActor () -> Void)?

    /// Nanoseconds until another attempt to load a missing key, if it is needed.
    private static let patience: UInt64 = 60_000_000_000
    /// The longest delay in seconds between a fix and its reduced position.
    static let showingDelay = Double(ReducedSchedule.minute) / 1e9

    init(directory: String, changes: Changes, clock: any TimeSource, source: any FixSource) throws(SystemError) {
        self.changes = changes
        store = ReducedStore(directory: directory)
        self.clock = clock
        self.source = source
        timer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.timerFired() }
    }

    /// Loads the key and the last position. To be called when the state directory is known to be this daemon's.
    func open() {
        switch key {
        case .none: break
        case .failed(_, let retryAt):
            guard clock.monotonicNanoseconds >= retryAt else { return }
        case .opening, .open, .stopped: return
        }
        key = .opening
        store.open { [weak self] result in self?.opened(result) }
    }

    /// Ends all work: no timer, no thread, no more fixes.
    func stop() {
        update { $0.setNeeded(false, at: $1) }
        key = .stopped
        timerDeadline = nil
        timer?.cancel()
    }

    private var now: Instant {
        Instant(
            monotonicNanoseconds: clock.monotonicNanoseconds, utc: UTCTime(microseconds: clock.utcMicroseconds),
            isSynchronised: clock.isSynchronised)
    }
}

// Clients

extension ReducedReceiver {
    /// How to handle a client's request for one position.
    enum Answer: Equatable {
        /// Reply with this position.
        case now(ReducedFix)
        /// Wait for the next `Change.reducedFix`, for the client's time limit plus `showingDelay`.
        case wait
        /// Reply that there will be none.
        case never(PositionUnavailable)
    }

    /// The position of every reply between two ticks; nil if there is none yet.
    var current: ReducedFix? {
        guard case .open(let schedule) = key else { return nil }
        return schedule.current
    }

    /// Why there is no position; nil if there is one. This does not follow the receiver: whether the receiver has a fix
    /// at present would reveal more than the grid cell.
    var unavailable: PositionUnavailable? {
        guard current == nil else { return nil }
        switch key {
        case .failed, .stopped: return .reducedUnavailable
        case .none, .opening, .open: return source.hopeless ?? .noFix
        }
    }

    /// How to reply to a client that accepts no position older than so many seconds. The current position suffices if
    /// it is new enough, or if no newer one is due before the next tick.
    func answer(maximumAge: Double) -> Answer {
        if case .open(let schedule) = key {
            if let current = schedule.current, !schedule.hasToWait(maximumAge: maximumAge, at: now) {
                return .now(current)
            }
            return source.hopeless.map(Answer.never) ?? .wait
        }
        guard let unavailable, unavailable != .noFix else { return .wait }
        return .never(unavailable)
    }

    /// Adds a user of reduced positions.
    func need() {
        needs += 1
        if case .failed = key { open() }
        if needs == 1 { update { $0.setNeeded(true, at: $1) } }
    }

    /// Removes a user of reduced positions.
    func release() {
        guard needs > 0 else { return }
        needs -= 1
        if needs == 0 { update { $0.setNeeded(false, at: $1) } }
    }

    /// Replaces the key once the state directory is known to be this daemon's. The new key is durable when the
    /// completion is called. The current position stays until the end of its tick.
    func rotate(_ completion: @escaping @Sendable @DaemonActor (Result<Void, RotationFailure>) -> Void) {
        guard !isRotating else { return completion(.failure(.inProgress)) }
        isRotating = true
        if case .none = key { open() }
        let rotation: @DaemonActor () -> Void = { [weak self] in
            self?.store.rotate { [weak self] result in
                self?.rotated(result)
                completion(result.map { _ in }.mapError(RotationFailure.key))
            }
        }
        // Opening creates a missing key, and would continue with the key that it read.
        if case .opening = key { afterOpening = rotation } else { rotation() }
    }
}

// Events

extension ReducedReceiver {
    /// Handles a fix.
    func receive(_ fix: Fix) {
        update { $0.receive(fix, at: $1) }
    }

    /// Handles a change of the wall clock.
    func clockWasSet() {
        update { $0.clockWasSet(at: $1) }
    }

    /// Handles the timer.
    func timerFired() {
        timerDeadline = nil
        update { $0.timerFired(at: $1) }
    }

    private func update(_ change: (inout ReducedSchedule, Instant) -> [ReducedSchedule.Effect]) {
        guard case .open(var schedule) = key else { return }
        let effects = change(&schedule, now)
        key = .open(schedule)
        for effect in effects { perform(effect) }
    }

    private func perform(_ effect: ReducedSchedule.Effect) {
        switch effect {
        case .wantFixes: source.need()
        case .unwantFixes: source.release()
        case .arm(let instant):
            timerDeadline = instant
            timer?.arm(at: instant)
        case .disarm:
            timerDeadline = nil
            timer?.disarm()
        case .save(let state):
            isSaving = true
            store.save(state) { [weak self] result in self?.saved(result) }
        case .show(let reduced): changes.report(.reducedFix(reduced))
        }
    }

    private func opened(_ result: Result<ReducedStore.Opened, DeviceKeyError>) {
        guard case .opening = key else { return }
        defer {
            afterOpening?()
            afterOpening = nil
        }
        switch result {
        case .success(let opened):
            for remark in opened.remarks { Log.notice(remark) }
            for loss in opened.losses { changes.report(.stateLost(loss)) }
            begin(ReducedSchedule(field: opened.field, restoring: opened.state, at: now))
        case .failure(let error):
            Log.error("reduced positions are unavailable: \(error)")
            key = .failed(error, retryAt: clock.monotonicNanoseconds + Self.patience)
            problem = "Reduced positions are unavailable: \(error)."
            changes.report(.positionUnavailable(.reducedUnavailable, .reduced))
        }
    }

    private func begin(_ schedule: ReducedSchedule) {
        key = .open(schedule)
        problem = nil
        restored = schedule.current
        // Clients that requested a position before the key was loaded also receive the saved one.
        if needs > 0, let current = schedule.current { changes.report(.reducedFix(current)) }
        if needs > 0 { update { $0.setNeeded(true, at: $1) } }
    }

    /// Shows the position even if it could not be saved, so that a full disk does not stop reduced positions. A
    /// position that was not saved is lost at a restart.
    private func saved(_ result: Result<Void, DeviceKeyError>) {
        isSaving = false
        switch result {
        case .success: problem = nil
        case .failure(let error):
            unsaved += 1
            if problem == nil { Log.error("the reduced position is shown but could not be saved: \(error)") }
            problem = "The reduced position cannot be saved: \(error)."
        }
        update { $0.saved(at: $1) }
    }

    /// Handles the end of a rotation.
    func rotated(_ result: Result<OffsetField, DeviceKeyError>) {
        // An opening that began after the rotation may have read the old key.
        if case .opening = key { return afterOpening = { [weak self] in self?.rotated(result) } }
        isRotating = false
        guard case .success(let field) = result else { return }
        Log.notice("made a new device key; reduced positions change with the next tick")
        switch key {
        case .open(var schedule):
            schedule.use(field)
            key = .open(schedule)
        // Loads key and state again.
        case .failed(let error, _):
            key = .failed(error, retryAt: 0)
            open()
        case .none, .opening, .stopped: break
        }
    }
}

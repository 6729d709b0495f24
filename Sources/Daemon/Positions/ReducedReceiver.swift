import Cryptography
import Location
import Platform
import Tracking

/// The machine's one reduced position, for every app that may have no better: a receiver that reports three times an
/// hour.
///
/// It needs fixes only from a tick to the first one after it, has one timer, and that only while somebody needs reduced
/// positions. What is due when is decided by `ReducedSchedule`. Nothing here tells anybody how a fix came about: there is
/// a reduced position or there is none, and that changes only at whole minutes.
@DaemonActor
final class ReducedReceiver {
    /// Why no key was rotated.
    enum RotationFailure: Error {
        /// Another rotation is under way.
        case inProgress
        /// The new key could not be made durable: the old one stays.
        case key(DeviceKeyError)
    }

    /// Where fixes come from.
    struct Source {
        /// Fixes are needed from now on.
        var need: @DaemonActor () -> Void
        /// They are needed no longer.
        var release: @DaemonActor () -> Void
        /// Why none will come, by the configuration alone; nil where one may.
        var hopeless: @DaemonActor () -> PositionUnavailable?
    }

    private enum Key {
        /// Not asked for.
        case none
        case opening
        case open(ReducedSchedule)
        /// There is none; asked for again once this moment of CLOCK_MONOTONIC has passed.
        case failed(DeviceKeyError, retryAt: UInt64)
        case stopped
    }

    /// Times that the last position could not be saved before it was shown, since the start.
    private(set) var unsaved = 0
    /// What is wrong, for a person: no key, or a disk that is full; nil where nothing is.
    private(set) var problem: String? {
        didSet { if problem != oldValue { changes.report(.statusChanged) } }
    }

    /// What was shown before the daemon started, and is shown again.
    private(set) var restored: ReducedFix?
    /// Whether a position waits for the disk.
    private(set) var isSaving = false
    /// When the timer goes off, in nanoseconds of CLOCK_MONOTONIC; nil while it is not armed.
    private(set) var timerDeadline: UInt64?

    private let store: ReducedStore
    private let changes: Changes
    private let clock: any TimeSource
    private let source: Source
    private var key = Key.none
    private var timer: TimerSource?
    private var needs = 0
    private var isRotating = false
    /// A rotation that waits for the key.
    private var afterOpening: (@DaemonActor () -> Void)?

    /// Nanoseconds after which a key that could not be had is asked for again, where somebody needs it.
    private static let patience: UInt64 = 60_000_000_000
    /// Seconds that a reduced position may take from the fix to the answer.
    static let showingDelay = Double(ReducedSchedule.minute) / 1e9

    init(directory: String, changes: Changes, clock: any TimeSource, source: Source) throws(SystemError) {
        self.changes = changes
        store = ReducedStore(directory: directory)
        self.clock = clock
        self.source = source
        timer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.timerFired() }
    }

    /// Reads the key and the last position. To be called when the state directory is known to be this daemon's.
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

    /// Ends it: no timer, no thread, no more fixes.
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

// What clients get

extension ReducedReceiver {
    /// What to do for a client that asks for a position.
    enum Answer: Equatable {
        /// This is the answer.
        case now(ReducedFix)
        /// Wait for the next `Change.reducedFix`, as long as the client wants and `showingDelay` longer.
        case wait
        /// There will be none.
        case never(PositionUnavailable)
    }

    /// What every answer between ticks repeats; nil where there is none yet.
    var current: ReducedFix? {
        guard case .open(let schedule) = key else { return nil }
        return schedule.current
    }

    /// Why there is none, nil where there is one. It does not follow the receiver: whether that has a fix at the moment
    /// would tell more than a cell.
    var unavailable: PositionUnavailable? {
        guard current == nil else { return nil }
        switch key {
        case .failed, .stopped: return .reducedUnavailable
        case .none, .opening, .open: return source.hopeless() ?? .noFix
        }
    }

    /// What a client gets that wants nothing older than so many seconds: what there is, where it is that new or nothing
    /// newer is due before the next tick.
    func answer(maximumAge: Double) -> Answer {
        if case .open(let schedule) = key {
            if let current = schedule.current, !schedule.hasToWait(maximumAge: maximumAge, at: now) {
                return .now(current)
            }
            return source.hopeless().map(Answer.never) ?? .wait
        }
        guard let unavailable, unavailable != .noFix else { return .wait }
        return .never(unavailable)
    }

    /// Somebody needs reduced positions from now on.
    func need() {
        needs += 1
        if case .failed = key { open() }
        if needs == 1 { update { $0.setNeeded(true, at: $1) } }
    }

    /// Somebody needs them no longer.
    func release() {
        guard needs > 0 else { return }
        needs -= 1
        if needs == 0 { update { $0.setNeeded(false, at: $1) } }
    }

    /// Makes a new key in place of the present one, once the state directory is known to be this daemon's; it is durable
    /// when the completion is called. The position that is shown stays until its tick is over.
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
        // Opening makes a key where there is none, and would go on with the one that it read.
        if case .opening = key { afterOpening = rotation } else { rotation() }
    }
}

// What happens

extension ReducedReceiver {
    /// A fix came.
    func receive(_ fix: Fix) {
        update { $0.receive(fix, at: $1) }
    }

    /// The wall clock was set.
    func clockWasSet() {
        update { $0.clockWasSet(at: $1) }
    }

    /// The timer has run out.
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
            Log.error("there are no reduced positions: \(error)")
            key = .failed(error, retryAt: clock.monotonicNanoseconds + Self.patience)
            problem = "There are no reduced positions: \(error)."
            changes.report(.positionUnavailable(.reducedUnavailable, .reduced))
        }
    }

    private func begin(_ schedule: ReducedSchedule) {
        key = .open(schedule)
        problem = nil
        restored = schedule.current
        // Who asked before the key was there waits for what was saved too.
        if needs > 0, let current = schedule.current { changes.report(.reducedFix(current)) }
        if needs > 0 { update { $0.setNeeded(true, at: $1) } }
    }

    /// Saved or not, it is shown: a full disk takes nobody's positions. Unsaved, it is forgotten by a restart.
    private func saved(_ result: Result<Void, DeviceKeyError>) {
        isSaving = false
        switch result {
        case .success: problem = nil
        case .failure(let error):
            unsaved += 1
            if problem == nil { Log.error("the reduced position is shown and not saved: \(error)") }
            problem = "The reduced position cannot be saved: \(error)."
        }
        update { $0.saved(at: $1) }
    }

    private func rotated(_ result: Result<OffsetField, DeviceKeyError>) {
        isRotating = false
        guard case .success(let field) = result else { return }
        Log.notice("made a new device key: reduced positions move from the next tick on")
        switch key {
        case .open(var schedule):
            schedule.use(field)
            key = .open(schedule)
        // Read anew, with what was saved, by who can.
        case .failed(let error, _):
            key = .failed(error, retryAt: 0)
            open()
        case .none, .opening, .stopped: break
        }
    }
}

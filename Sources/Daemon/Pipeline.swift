import Configuration
import Durations
import GPSD
import Journal
import Location
import Platform
import Tracking

/// The path of a position through the daemon: from gpsd's reports to accepted fixes, in one direction.
///
/// The connection to gpsd is open only while positions are needed, see `ReceiverDemand`.
@DaemonActor
final class Pipeline: FixSource {
    private let changes: Changes
    private let recorder: ReceiverEvents
    private let clock: any TimeSource
    var settings: Settings.Receiver
    private let clockStatus: ClockStatus
    var connection: Connection?
    /// Limits the delay until a connection of an earlier process is read; nil without a delay.
    private var rest: TimerSource?
    /// The arrival times of reports that were buffered while no daemon read them; nil when all of these are read.
    private var backlog: Backlog?
    var filter: FixFilter
    var tracker: Tracker
    var compass = Compass()
    private var demand: ReceiverDemand
    /// Needs positions for those that do not need them all the time.
    private(set) var sleep: ReceiverSleep?
    private var releaseTimer: TimerSource?
    private var staleTimer: TimerSource?
    /// Ends the hold of an epoch's first report.
    private var holdTimer: TimerSource?
    /// When a position without a date was last rejected.
    var undatedAt: UInt64?
    private var lastUnavailable: PositionUnavailable?
    /// Whether gpsd has listed its receivers since the connection was established.
    var knowsReceivers = false
    /// Whether gpsd was connected at its last change of state, to this process or to the one before it.
    private var isConnected = false
    /// Reports since the start, by gpsd's class.
    private(set) var reportCounts: [String: Int] = [:]
    /// The number of connections to gpsd since the start.
    private(set) var connectionCount = 0

    /// A day in microseconds: smaller differences of a date are not evaluated, see `DateValidator`.
    private static let muchAhead: Int64 = 86_400_000_000

    /// How long buffered positions are delayed, after the decisions are known, until all apps that may receive them are
    /// identified: an unresponsive home must not delay them longer.
    private static let longestRest = Duration.seconds(5)

    init(
        settings: Settings, changes: Changes, recorder: EventRecorder, clock: any TimeSource
    ) throws {
        self.changes = changes
        clockStatus = ClockStatus(clock: clock)
        self.recorder = try ReceiverEvents(recorder: recorder, clock: clock)
        self.clock = clock
        self.settings = settings.receiver
        filter = FixFilter(limits: FixFilter.Limits(settings.receiver))
        tracker = Tracker(patience: settings.receiver.staleAfter.nanoseconds)
        compass.patience = tracker.patience
        demand = ReceiverDemand(release: settings.receiver.releaseAfter.nanoseconds)
        releaseTimer = try TimerSource(accuracy: .milliseconds(500)) { [weak self] in
            guard let self else { return }
            perform(demand.timerFired(at: now))
        }
        staleTimer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.staleTimerFired() }
        holdTimer = try TimerSource(accuracy: .milliseconds(2)) { [weak self] in
            guard let self else { return }
            for fix in filter.release(at: now) { deliver(fix) }
            rearmHoldTimer()
        }
        connection = try makeConnection()
        lastUnavailable = unavailable
        sleep = try ReceiverSleep(power: settings.receiver.power, clock: clock) { [weak self] in
            self?.isWanted ?? false
        } onChange: { [weak self] change in
            guard let self else { return }
            switch change {
            case .need: need()
            case .sleep: perform(demand.remove(at: now, atOnce: true))
            case .release: release()
            case .wakingEnded: settle()
            }
        }
    }

    /// Applies new settings: from the next report on, and with a new connection if gpsd's address has changed.
    func apply(_ settings: Settings.Receiver) {
        let old = self.settings
        self.settings = settings
        demand.release = settings.releaseAfter.nanoseconds
        filter.limits = FixFilter.Limits(settings)
        tracker.patience = settings.staleAfter.nanoseconds
        compass.patience = tracker.patience
        sleep?.power = settings.power
        guard settings.gpsd != old.gpsd || settings.staleAfter != old.staleAfter else { return }
        releaseHeld()
        connection?.unwant()
        (rest, backlog) = (nil, nil)
        do {
            connection = try makeConnection()
        } catch {
            connection = nil
            Log.error("no connection to gpsd at \(settings.gpsd): \(error)")
        }
        if demand.isWanted { connection?.want() }
        settle()
    }

    private func makeConnection() throws -> Connection? {
        try settings.gpsd.connection(settings, clock: clock) { [weak self] in self?.handle($0) }
    }

    /// Stops everything. Returns the connection to gpsd for the next process of the service, if positions are needed.
    func stop() -> LeftConnection? {
        releaseHeld()
        if !isNeeded, rest == nil { connection?.unwant() }
        let left = connection?.leave()
        (connection, rest, releaseTimer, staleTimer, holdTimer) = (nil, nil, nil, nil, nil)
        sleep?.stop()
        recorder.stop()
        return left
    }

    var now: UInt64 { clock.monotonicNanoseconds }
}

// The connection of an earlier process

extension Pipeline {
    /// Adopts the connection of an earlier process. It is read after `goOn`, or after a delay that `decisionsAreKnown`
    /// starts.
    func takeOver(_ left: consuming LeftConnection) throws(SystemError) {
        let lastRead = left.lastRead
        guard let connection, connection.takeOver(left) else { return }
        backlog = Backlog(since: lastRead)
        rest = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.goOn() }
    }

    /// The decisions about apps are known. Until then no client can need positions, however long the journal takes.
    func decisionsAreKnown() { rest?.arm(after: Self.longestRest, clock: clock) }

    /// All apps that may receive the buffered positions are identified. The positions are read, or the connection is
    /// closed if none are needed.
    func goOn() {
        guard rest != nil else { return }
        rest = nil
        if demand.isWanted { connection?.want() } else { connection?.unwant() }
    }
}

// The need for positions

extension Pipeline {
    /// Positions are needed by one more client.
    func need() {
        perform(demand.add())
    }

    /// Positions are needed by one client fewer.
    func release() {
        perform(demand.remove(at: now))
    }

    /// The machine was suspended, so the connection may be dead.
    func machineResumed() {
        connection?.inquire()
        sleep?.machineResumed()
    }

    /// Whether positions are needed.
    var isNeeded: Bool { demand.count > 0 }

    /// Until when nothing needs positions that needs them later, in nanoseconds of CLOCK_MONOTONIC; nil if the receiver
    /// does not sleep.
    var asleepUntil: UInt64? { isNeeded || sessionState != .idle ? nil : sleep?.asleepUntil }

    /// Whether the lack of a position is no news: the receiver sleeps or is just waking, and nothing else needs it.
    var isResting: Bool {
        guard let sleep, sleep.isResting else { return false }
        return demand.count <= (sleep.isHolding ? 1 : 0)
    }

    private var isWanted: Bool { demand.isWanted }

    private func perform(_ effects: [ReceiverDemand.Effect]) {
        for effect in effects {
            switch effect {
            case .want: if rest == nil { connection?.want() }
            case .unwant:
                if rest == nil { connection?.unwant() }
                ResidentMemory.releaseCleanPages()
            case .armTimer(let instant): releaseTimer?.arm(at: instant)
            case .disarmTimer: releaseTimer?.disarm()
            }
        }
    }
}

// Reports of gpsd

extension Pipeline {
    private func handle(_ effect: Connection.Event) {
        switch effect {
        case .report(let report): handle(report)
        case .receiver(let path, let change): receiver(path, change)
        case .stateChanged(let state): stateChanged(state)
        }
    }

    /// Handles a report.
    func handle(_ report: Report) {
        reportCounts[report.className, default: 0] += 1
        let instant = instant(of: report)
        switch report {
        case .tpv(let tpv): consider(tpv, at: instant)
        case .sky(var sky):
            filter.note(sky, at: instant)
            sky.receivedAt = instant.monotonicNanoseconds
            tracker.receive(sky)
            if let current = currentSky, current.receiver == sky.receiver, isNew(current) {
                changes.report(.sky(current))
            }
        case .gst(let gst): filter.note(gst, at: instant)
        case .att(let att): consider(att, at: instant)
        case .devices:
            knowsReceivers = true
            settle()
        case .error(let text): Log.warning("gpsd does not like a request: \(text)")
        case .device, .version, .watch, .toff, .pps, .other: break
        }
    }

    /// The arrival time of a report. All reports of one read from gpsd have the instant of that read: otherwise a report
    /// would seem late if the daemon is not scheduled for some time between two of them.
    private func instant(of report: Report) -> Instant {
        let now = now
        var time: UTCTime?
        if case .tpv(let tpv) = report { time = tpv.time }
        let read = min(now, connection?.arrival ?? now)
        let arrival = backlog?.arrival(of: time, at: read) ?? read
        let utc = clock.utcMicroseconds - Int64((now - arrival) / 1_000)
        return Instant(
            monotonicNanoseconds: arrival, utc: UTCTime(microseconds: utc),
            isSynchronised: isSynchronised(for: report, utc))
    }

    /// Whether the system clock is synchronized. Queried only if that has an effect: for a date ahead of the clock, and
    /// for a position without a date, which needs a positive answer.
    private func isSynchronised(for report: Report, _ utc: Int64) -> Bool {
        guard case .tpv(let tpv) = report, tpv.mode >= 2 else { return false }
        guard let time = tpv.time else { return tpv.latitude != nil && clockStatus.isKnownToBeSynchronised }
        return time.microseconds - utc > Self.muchAhead && clockStatus.isSynchronised
    }

    private func consider(_ tpv: TPV, at instant: Instant) {
        if let fix = filter.releaseEarlier(than: tpv) { deliver(fix) }
        let verdict = filter.consider(tpv, at: instant)
        if case .rejected = verdict {} else if tpv.receiver == filter.chosenReceiver { compass.note(tpv, at: instant) }
        switch verdict {
        case .fix(let fix): deliver(fix)
        case .first(let fix): if backlog == nil { changes.report(.firstReport(fix)) }
        case .held: break
        case .rejected(let reason):
            if reason == .noTime { undatedAt = now }
            // The receiver reports again, although without a fix, so the reason is updated. Not for `noReceiver`: its
            // removal was read together with this report, and is reported when it is handled itself.
            let isNews = lastUnavailable == .stale || reason == .noTime && lastUnavailable == .noFix
            if isNews, unavailable != .noReceiver { settle() }
        }
        rearmHoldTimer()
    }

    private func consider(_ att: ATT, at instant: Instant) {
        // A heading that arrived while no daemon ran is not current.
        guard backlog == nil else { return }
        let isSimulated = settings.isSimulated || filter.isSimulated(att.receiver)
        guard let heading = compass.receive(att, isSimulated: isSimulated, at: instant) else { return }
        changes.report(.heading(heading))
    }

    private func deliver(_ fix: Fix) {
        // The fix arrived while no daemon ran. Streams receive it only if it is still valid; recordings receive all of
        // them.
        if backlog != nil, now - min(now, fix.receivedAt) >= tracker.patience {
            changes.report(.pastFix(fix))
            return
        }
        let events = tracker.receive(fix)
        rearmStaleTimer()
        record(events, receiver: fix.receiver)
        (lastUnavailable, undatedAt) = (nil, nil)
        // A reduced position needs the first fix after its tick; a buffered one may be from before.
        if backlog == nil { changes.report(.reducibleFix(fix)) }
        changes.report(.fix(fix))
    }

    /// No further report of this receiver, or of any, will come: delivers the held fixes as they are.
    private func releaseHeld(of receiver: String? = nil) {
        for fix in filter.release(of: receiver) { deliver(fix) }
        rearmHoldTimer()
    }

    private func rearmHoldTimer() {
        if let until = filter.heldUntil {
            holdTimer?.arm(at: until)
        } else {
            holdTimer?.disarm()
        }
    }

    private func receiver(_ path: String, _ change: Session.ReceiverChange) {
        if change != .appeared || !isResting { recorder.record(change, of: path) }
        if change == .removed {
            releaseHeld(of: path)
            filter.forget(receiver: path)
            compass.forget(device: path)
            record(tracker.receiverRemoved(path, at: now), receiver: path)
        }
        settle()
    }

    private func stateChanged(_ state: Session.State) {
        knowsReceivers = false
        releaseHeld()
        switch state {
        case .resuming:
            isConnected = true
            return settle()
        case .watching(let version, _, _):
            connectionCount += 1
            if !isConnected { filter.connectionRestarted() }
            isConnected = true
            var details: EventDetails = ["gpsd": .text(settings.gpsd.description), "version": .text(version.release)]
            if backlog != nil { details.append("after", "restart") }
            if !isResting { recorder.record(.receiverConnected, details) }
        case .waiting(_, let attempt, let failure):
            let events = tracker.disconnected(at: now)
            // Recorded once for each loss, not for further failed attempts.
            if attempt == 1 || isConnected {
                recorder.record(
                    .receiverLost,
                    ["gpsd": .text(settings.gpsd.description), "reason": .text(failure.description)])
            }
            isConnected = false
            record(events, receiver: nil)
        case .idle:
            isConnected = false
            compass.forget()
            record(tracker.disconnected(.unwatched, at: now), receiver: nil)
        case .connecting, .greeting: break
        }
        backlog = nil
        rearmStaleTimer()
        settle()
    }

    private func record(_ events: [Tracker.Event], receiver: String?) {
        for event in events {
            if !isResting { recorder.record(event, receiver: receiver) }
            changes.report(.statusChanged)
        }
    }

    private func staleTimerFired() {
        record(tracker.timerFired(at: now), receiver: nil)
        rearmStaleTimer()
        settle()
    }

    private func rearmStaleTimer() {
        guard let deadline = tracker.deadline else {
            staleTimer?.disarm()
            return
        }
        // A timer that expires too early is armed again; moving it with every fix would cost a system call each time.
        if staleTimer?.isArmed != true { staleTimer?.arm(at: deadline) }
    }

    /// A fix has reached all that need it: decides whether the receiver may sleep.
    func planSleep(after fix: Fix) { sleep?.receive(fix) }

    /// Reports a change of the reason why there is no position. While the receiver sleeps there is none, which is no news.
    private func settle() {
        changes.report(.statusChanged)
        guard !isResting else { return }
        let reason = unavailable
        guard reason != lastUnavailable else { return }
        lastUnavailable = reason
        if let reason { changes.report(.positionUnavailable(reason, .full)) }
    }
}

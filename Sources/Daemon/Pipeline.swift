import Configuration
import GPSD
import Journal
import Location
import Platform
import Tracking

/// The way of a position through the daemon: gpsd's reports in, believed fixes out, in one direction.
///
/// The connection to gpsd is open only while something needs positions, see `ReceiverDemand`.
@DaemonActor
final class Pipeline {
    /// Called with every fix that the filter believed, before `onFix`: reduced positions are made of these.
    var onReducibleFix: (@DaemonActor (Fix) -> Void)?
    /// Called with every fix that the filter believed.
    var onFix: (@DaemonActor (Fix) -> Void)?
    /// Called with what a receiver sees of the sky.
    var onSky: (@DaemonActor (SkyView) -> Void)?
    /// Called when there is no longer a position, and when the reason changes.
    var onUnavailable: (@DaemonActor (PositionUnavailable) -> Void)?
    /// Called when anything that status tells has changed but counters.
    var onChange: (@DaemonActor () -> Void)?

    private let recorder: EventRecorder
    private let clock: any TimeSource
    private var settings: Settings.Receiver
    private var connection: Connection?
    private var filter: FixFilter
    private var tracker: Tracker
    private var demand: ReceiverDemand
    private var releaseTimer: TimerSource?
    private var staleTimer: TimerSource?
    private var lastUnavailable: PositionUnavailable?
    /// Whether gpsd has told which receivers it has since the connection came about.
    private var knowsReceivers = false
    /// Whether gpsd was connected when its state changed last.
    private var isConnected = false
    /// Reports handed on since the start, by gpsd's class.
    private(set) var reportCounts: [String: Int] = [:]
    /// Times that gpsd was connected since the start.
    private(set) var connectionCount = 0

    init(settings: Settings, recorder: EventRecorder, clock: any TimeSource) throws {
        self.recorder = recorder
        self.clock = clock
        self.settings = settings.receiver
        filter = FixFilter(limits: Self.limits(settings.receiver))
        tracker = Tracker(patience: settings.receiver.staleAfter.nanoseconds)
        demand = ReceiverDemand(release: settings.receiver.releaseAfter.nanoseconds)
        releaseTimer = try TimerSource(accuracy: .milliseconds(500)) { [unowned self] in
            perform(demand.timerFired(at: now))
        }
        staleTimer = try TimerSource(accuracy: .milliseconds(50)) { [unowned self] in staleTimerFired() }
        connection = try makeConnection()
        lastUnavailable = unavailable
    }

    /// Applies new settings: from the next report on, and by connecting anew where gpsd is another.
    func apply(_ settings: Settings.Receiver) {
        let old = self.settings
        self.settings = settings
        demand.release = settings.releaseAfter.nanoseconds
        filter.limits = Self.limits(settings)
        tracker.patience = settings.staleAfter.nanoseconds
        guard settings.gpsd != old.gpsd || settings.staleAfter != old.staleAfter else { return }
        connection?.unwant()
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
        try settings.gpsd.connection(settings, clock: clock) { [unowned self] in take($0) }
    }

    /// Ends the connection to gpsd.
    func stop() {
        connection?.unwant()
        releaseTimer?.cancel()
        staleTimer?.cancel()
    }

    private var now: UInt64 { clock.monotonicNanoseconds }

    private static func limits(_ receiver: Settings.Receiver) -> FixFilter.Limits {
        var limits = FixFilter.Limits()
        limits.isSimulated = receiver.isSimulated
        limits.speed = receiver.maximumSpeed
        return limits
    }
}

// Who needs positions

extension Pipeline {
    /// Somebody needs positions from now on.
    func need() {
        perform(demand.add())
    }

    /// Somebody needs them no longer.
    func release() {
        perform(demand.remove(at: now))
    }

    /// Whether anybody needs positions.
    var isNeeded: Bool { demand.count > 0 }

    private func perform(_ effects: [ReceiverDemand.Effect]) {
        for effect in effects {
            switch effect {
            case .want: connection?.want()
            case .unwant:
                connection?.unwant()
                ResidentMemory.releaseCleanPages()
            case .armTimer(let moment): releaseTimer?.arm(at: moment)
            case .disarmTimer: releaseTimer?.disarm()
            }
        }
    }
}

// What is known

extension Pipeline {
    /// The fix that holds now.
    var currentFix: Fix? { tracker.currentFix }

    /// The newest fix, whether it still holds or not.
    var latestFix: Fix? { tracker.latestFix }

    /// Why there is no position now; nil where there is one.
    var unavailable: PositionUnavailable? {
        guard currentFix == nil else { return nil }
        guard settings.gpsd != .none else { return .noReceiver }
        switch sessionState {
        case .waiting: return .receiverLost
        // What was lost stays lost until it is back: an attempt to connect alone is no news.
        case .connecting(let attempt, _), .greeting(let attempt, _): return attempt > 1 ? .receiverLost : .noFix
        case .idle: return .noFix
        case .watching:
            if receivers.isEmpty { return knowsReceivers ? .noReceiver : .noFix }
            return receivers.values.allSatisfy(isSilent) ? .stale : .noFix
        }
    }

    /// Whether a receiver is stale, or has said nothing at all since the last fix: a receiver that reports seldom is
    /// given more time until it counts as stale than the fix is.
    private func isSilent(_ receiver: ReceiverRegister.Receiver) -> Bool {
        receiver.isStale || latestFix.map { receiver.heardAt <= $0.receivedAt } ?? false
    }

    /// Why waiting for a position has no sense; nil where it has.
    var hopeless: PositionUnavailable? { settings.gpsd == .none ? .noReceiver : nil }

    /// What the receiver in use sees of the sky, where that is known.
    var currentSky: SkyView? {
        if let receiver = filter.chosenReceiver, let sky = tracker.skyViews[receiver] { return sky }
        return tracker.skyViews.max { $0.value.satellites.count < $1.value.satellites.count }?.value
    }

    /// Where the conversation with gpsd is.
    var sessionState: Session.State { connection?.state ?? .idle }
    /// Where gpsd is.
    var gpsd: GPSDAddress { settings.gpsd }
    /// Why the last connection to gpsd ended.
    var lastFailure: SessionFailure? { connection?.lastFailure }
    /// The receivers gpsd has, by its names for them.
    var receivers: [String: ReceiverRegister.Receiver] { connection?.receivers.byPath ?? [:] }
    /// Lines of gpsd's that could not be read.
    var malformedLines: Int {
        guard let connection else { return 0 }
        return connection.counters.faults.values.reduce(connection.droppedLines, +)
    }
    /// Reports that were no fix, by reason.
    var rejected: [Rejection: Int] { filter.rejected }
    /// Fixes believed.
    var accepted: Int { filter.accepted }
}

// What gpsd says

extension Pipeline {
    private func take(_ effect: Connection.Event) {
        switch effect {
        case .report(let report): take(report)
        case .receiver(let path, let change): receiver(path, change)
        case .stateChanged(let state): stateChanged(state)
        }
    }

    private func take(_ report: Report) {
        reportCounts[report.className, default: 0] += 1
        let moment = Moment(
            monotonicNanoseconds: now, utc: UTCTime(microseconds: clock.utcMicroseconds),
            isSynchronised: clock.isSynchronised)
        switch report {
        case .tpv(let tpv): consider(tpv, at: moment)
        case .sky(let sky):
            filter.note(sky, at: moment)
            tracker.take(sky)
            if let current = currentSky, current.receiver == sky.receiver { onSky?(current) }
        case .gst(let gst): filter.note(gst, at: moment)
        case .devices:
            knowsReceivers = true
            settle()
        case .error(let text): Log.warning("gpsd does not like a request: \(text)")
        case .att, .device, .version, .watch, .toff, .pps, .other: break
        }
    }

    private func consider(_ tpv: TPV, at moment: Moment) {
        switch filter.consider(tpv, at: moment) {
        case .fix(let fix):
            let events = tracker.take(fix)
            rearmStaleTimer()
            record(events, receiver: fix.receiver)
            lastUnavailable = nil
            onReducibleFix?(fix)
            onFix?(fix)
        case .rejected:
            // It speaks again, if only to say that it has no fix.
            if lastUnavailable == .stale { settle() }
        }
    }

    private func receiver(_ path: String, _ change: Session.ReceiverChange) {
        switch change {
        case .appeared:
            recorder.record(Event(.receiverConnected, details: ["receiver": .text(path)]))
        case .recovered:
            recorder.record(Event(.receiverConnected, details: ["receiver": .text(path), "after": "silence"]))
        case .becameStale:
            recorder.record(Event(.receiverStale, details: ["receiver": .text(path)]))
        case .removed:
            filter.forget(receiver: path)
            recorder.record(Event(.receiverLost, details: ["receiver": .text(path), "reason": "gpsd let it go"]))
            record(tracker.receiverRemoved(path, at: now), receiver: path)
        }
        settle()
    }

    private func stateChanged(_ state: Session.State) {
        knowsReceivers = false
        switch state {
        case .watching(let version, _, _):
            connectionCount += 1
            isConnected = true
            filter.connectionRestarted()
            recorder.record(
                Event(
                    .receiverConnected,
                    details: ["gpsd": .text(settings.gpsd.description), "version": .text(version.release)]))
        case .waiting(_, let attempt, let failure):
            let events = tracker.disconnected(at: now)
            // Once for each loss: what is tried in vain after that is no news.
            if attempt == 1 || isConnected {
                recorder.record(
                    Event(
                        .receiverLost,
                        details: ["gpsd": .text(settings.gpsd.description), "reason": .text(failure.description)]))
            }
            isConnected = false
            record(events, receiver: nil)
        case .idle:
            isConnected = false
            record(tracker.disconnected(.unwatched, at: now), receiver: nil)
        case .connecting, .greeting: break
        }
        rearmStaleTimer()
        settle()
    }

    private func record(_ events: [Tracker.Event], receiver: String?) {
        for event in events {
            var details: EventDetails = [:]
            if let receiver { details.append("receiver", .text(receiver)) }
            switch event {
            case .acquired(let seconds):
                if let seconds { details.append("afterSeconds", .real(seconds)) }
                recorder.record(Event(.fixAcquired, details: details))
            case .lost(let loss):
                details.append("reason", .text(loss.rawValue))
                recorder.record(Event(.fixLost, details: details))
            }
            onChange?()
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
        // A timer that goes off early looks again; moving it with every fix would cost a system call each time.
        if staleTimer?.isArmed != true { staleTimer?.arm(at: deadline) }
    }

    /// Tells whoever waits when the reason has changed why there is no position.
    private func settle() {
        onChange?()
        let reason = unavailable
        guard reason != lastUnavailable else { return }
        lastUnavailable = reason
        if let reason { onUnavailable?(reason) }
    }
}

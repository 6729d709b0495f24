import Configuration
import GPSD
import Location
import Tracking

// The state of gpsd, its receivers and the fix.

extension Pipeline {
    /// The fix that is valid now.
    var currentFix: Fix? { tracker.currentFix }

    /// The latest fix, whether or not it is still valid.
    var latestFix: Fix? { tracker.latestFix }

    /// Why there is no position now; nil if there is one.
    var unavailable: PositionUnavailable? {
        guard currentFix == nil else { return nil }
        guard settings.gpsd != .none else { return .noReceiver }
        switch sessionState {
        case .waiting: return .receiverLost
        // A loss remains the reason until the connection works again; a first attempt to connect is not reported as a
        // loss.
        case .connecting(let attempt, _), .greeting(let attempt, _): return attempt > 1 ? .receiverLost : .noFix
        case .idle, .resuming: return .noFix
        case .watching:
            if receivers.isEmpty { return knowsReceivers ? .noReceiver : .noFix }
            if let undatedAt, now - min(now, undatedAt) < tracker.patience { return .noTime }
            return receivers.values.allSatisfy(isSilent) ? .stale : .noFix
        }
    }

    /// Why there is no position although one could be there; nil also while the receiver sleeps.
    var absence: PositionUnavailable? { isResting ? nil : unavailable }

    /// Whether a receiver is stale, or has reported nothing since the last fix: a slow receiver has more time until it
    /// counts as stale than the fix has. Reports of satellites and errors directly after a fix belong to that fix.
    private func isSilent(_ receiver: ReceiverRegister.Receiver) -> Bool {
        if receiver.isStale { return true }
        guard let fix = latestFix, let reportedAt = receiver.positionReportedAt else { return false }
        return reportedAt <= fix.receivedAt && receiver.heardAt < reportedAt + tracker.patience / 2
    }

    /// Why it is useless to wait for a position; nil if it is not.
    var hopeless: PositionUnavailable? { settings.gpsd == .none ? .noReceiver : nil }

    /// The satellites in view of the chosen receiver, if they are known.
    var currentSky: SkyView? {
        if let receiver = filter.chosenReceiver, let sky = tracker.skyViews[receiver] { return sky }
        return tracker.skyViews.max { $0.value.satellites.count < $1.value.satellites.count }?.value
    }

    /// The heading that is valid now.
    var currentHeading: Heading? { compass.current(at: now) }

    /// Whether satellites are recent enough for the validity of a fix.
    func isNew(_ sky: SkyView) -> Bool { now - min(now, sky.receivedAt) < tracker.patience }

    /// Discards a fix that is no longer valid, and the heading.
    func forgetPast() {
        tracker.forgetPast()
        compass.forget()
    }

    /// The state of the connection to gpsd.
    var sessionState: Session.State { connection?.state ?? .idle }
    /// The address of gpsd.
    var gpsd: GPSDAddress { settings.gpsd }
    /// Why the last connection to gpsd ended.
    var lastFailure: SessionFailure? { connection?.lastFailure }
    /// The number of reconnections because gpsd was silent and did not reply, since the start.
    var reconnectsAfterSilence: Int { connection?.counters.reconnectsAfterSilence ?? 0 }
    /// Seconds since gpsd last sent data; nil if it is not watched.
    var silentSeconds: Double? { connection?.silentSeconds }
    /// Whether gpsd was queried because of its silence, and has not replied yet.
    var awaitsAnswer: Bool { connection?.awaitsAnswer ?? false }
    /// The receivers of gpsd, by gpsd's names.
    var receivers: [String: ReceiverRegister.Receiver] { connection?.receivers.byPath ?? [:] }
    /// The number of lines from gpsd that could not be decoded.
    var malformedLines: Int {
        guard let connection else { return 0 }
        return connection.counters.faults.values.reduce(connection.droppedLines, +)
    }
    /// The rejected reports, by reason.
    var rejected: [Rejection: Int] { filter.rejected }
    /// The number of accepted fixes.
    var accepted: Int { filter.accepted }
    /// How positions of receivers without a date are handled.
    var undatedState: UndatedState { filter.undatedState }
}

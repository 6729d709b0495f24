import Configuration
import GPSD
import Location
import Tracking

// What is known of gpsd, its receivers and the fix.

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
        case .idle, .resuming: return .noFix
        case .watching:
            if receivers.isEmpty { return knowsReceivers ? .noReceiver : .noFix }
            if let undatedAt, now - min(now, undatedAt) < tracker.patience { return .noTime }
            return receivers.values.allSatisfy(isSilent) ? .stale : .noFix
        }
    }

    /// Whether a receiver is stale, or has said nothing at all since the last fix: a receiver that reports seldom is
    /// given more time until it counts as stale than the fix is. What it says right after a fix, of satellites and errors,
    /// still belongs to that.
    private func isSilent(_ receiver: ReceiverRegister.Receiver) -> Bool {
        if receiver.isStale { return true }
        guard let fix = latestFix, let reportedAt = receiver.positionReportedAt else { return false }
        return reportedAt <= fix.receivedAt && receiver.heardAt < reportedAt + tracker.patience / 2
    }

    /// Why waiting for a position has no sense; nil where it has.
    var hopeless: PositionUnavailable? { settings.gpsd == .none ? .noReceiver : nil }

    /// What the receiver in use sees of the sky, where that is known.
    var currentSky: SkyView? {
        if let receiver = filter.chosenReceiver, let sky = tracker.skyViews[receiver] { return sky }
        return tracker.skyViews.max { $0.value.satellites.count < $1.value.satellites.count }?.value
    }

    /// Whether a view of the sky is as new as a fix has to be to hold.
    func isNew(_ sky: SkyView) -> Bool { now - min(now, sky.receivedAt) < tracker.patience }

    /// Forgets the fix that was, where it holds no longer.
    func forgetPast() { tracker.forgetPast() }

    /// Where the conversation with gpsd is.
    var sessionState: Session.State { connection?.state ?? .idle }
    /// Where gpsd is.
    var gpsd: GPSDAddress { settings.gpsd }
    /// Why the last connection to gpsd ended.
    var lastFailure: SessionFailure? { connection?.lastFailure }
    /// Times that a connection was made anew because gpsd was silent and did not answer, since the start.
    var reconnectsAfterSilence: Int { connection?.counters.reconnectsAfterSilence ?? 0 }
    /// Seconds since gpsd sent anything, where it is watched.
    var silentSeconds: Double? { connection?.silentSeconds }
    /// Whether gpsd was asked because it is silent, and has not answered yet.
    var awaitsAnswer: Bool { connection?.awaitsAnswer ?? false }
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
    /// What becomes of positions of receivers that report no date.
    var undatedState: UndatedState { filter.undatedState }
}

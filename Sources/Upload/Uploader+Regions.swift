import Durations
import Location

extension Uploader {
    /// The regions of the destination are these. Those that are new or have changed are sent as waypoints; at the start all
    /// are new.
    public mutating func replaceWaypoints(_ waypoints: [Waypoint], at now: Instant) -> [UploadEffect] {
        regions.replaceWaypoints(waypoints, at: now.utc)
        return conclude(at: now)
    }

    /// Home Assistant has started, and has none of the waypoints: all are sent again. Whoever may publish that message can
    /// repeat it, so it has this effect as often as a command. Starts that follow sooner have it together, at the end
    /// of the interval.
    public mutating func consumerStarted(at now: Instant) -> [UploadEffect] {
        waypointsDue = consumerStartedAt?.after(Self.commandInterval) ?? now.monotonicNanoseconds
        return conclude(at: now)
    }

    /// Queues all waypoints once they are due because Home Assistant has started.
    mutating func queueDueWaypoints(at now: Instant) {
        guard let due = waypointsDue, due <= now.monotonicNanoseconds else { return }
        waypointsDue = nil
        consumerStartedAt = now.monotonicNanoseconds
        regions.queueAllWaypoints(at: now.utc)
    }

    /// The daemon is about to send the events of the regions that are not acknowledged. Those of a new monitor are numbered
    /// from 1. `known` contains the present states of regions.
    public mutating func regionsOpened(
        isNew: Bool, _ known: [String: KnownSide], at now: Instant
    ) -> [UploadEffect] {
        areRegionsOpen = true
        if isNew { cancelTransition() }
        regions.open(isNew: isNew, known)
        return conclude(at: now)
    }

    /// Handles an event of the regions.
    public mutating func receive(_ event: BorderEvent, at now: Instant) -> [UploadEffect] {
        guard areRegionsOpen else { return conclude(at: now) }
        regions.append(event)
        return conclude(at: now)
    }

    /// The daemon sends no events. If those that are pending may not be sent either (`isWithdrawn`), they are discarded at
    /// once.
    public mutating func regionsLost(isWithdrawn: Bool, at now: Instant) -> [UploadEffect] {
        areRegionsOpen = false
        if isWithdrawn {
            cancelTransition()
            regions.withdrawEvents()
        }
        return conclude(at: now)
    }

    /// The daemon has stored that all events up to this number are settled.
    public mutating func regionsAcknowledged(upTo number: Int64, at now: Instant) -> [UploadEffect] {
        regions.acknowledge(upTo: number)
        return conclude(at: now)
    }

    /// Gives up a transition in flight.
    private mutating func cancelTransition() {
        guard case .transition = regions.inFlight,
            let index = transfers.firstIndex(where: { $0.transfer.lane == .region })
        else { return }
        effects.append(.cancel(transfers.remove(at: index).transfer.id))
        regions.putBack()
    }

    // Sending.

    /// Whether a message about a region can be sent now.
    func hasRegionMessage(at now: Instant) -> Bool { regions.hasSomethingToSend(at: now.monotonicNanoseconds) }

    /// The next message about a region. One is in flight at a time, which preserves their order, and after each one
    /// positions have their turn.
    mutating func nextRegionMessage(at now: Instant) -> Transfer? {
        guard let recording = outbox?.recording, let message = regions.begin(at: now.monotonicNanoseconds) else {
            return nil
        }
        sendsPositionsNext = true
        defer { nextTransferID += 1 }
        return Transfer(id: nextTransferID, message: message, recording: recording)
    }

    /// Applies the classification of the response to a message about a region.
    ///
    /// A destination may accept positions and nothing else, as a broker whose rules permit only their topic. So a refusal of
    /// whatever kind blocks nothing: whether the destination accepts anything is found out with positions.
    mutating func applyToRegion(_ verdict: Verdict, for done: InProgress, at now: Instant) {
        switch verdict {
        case .acknowledged:
            noteAnswer()
            regions.settle()
            regions.noteAcceptance(of: done.transfer.id)
            report.regionMessages += 1
        case .rejected(let letter), .tooLarge(let letter):
            noteAnswer()
            refuseRegionMessage(of: done.transfer, letter.status, at: now)
        case .blocked(let reason): refuseRegionMessage(of: done.transfer, reason.status ?? 0, at: now)
        case .later(let failure, let requested):
            regions.putBack()
            backOff(failure, requested: requested, at: now)
        }
    }

    private mutating func refuseRegionMessage(of transfer: Transfer, _ status: Int, at now: Instant) {
        guard regions.refuse(status, transferID: transfer.id, until: now.later(by: RetryPolicy.blocked)) else { return }
        report.refusedRegionMessages += 1
        effects.append(.regionMessageRefused(status: status))
    }

    /// What the daemon has to know about the events of regions.
    mutating func requestRegionEvents() {
        guard areRegionsOpen else { return }
        if let number = regions.beginAcknowledgement() { effects.append(.acknowledgeRegions(upTo: number)) }
        if let number = regions.readOn() { effects.append(.readRegions(after: number)) }
    }
}

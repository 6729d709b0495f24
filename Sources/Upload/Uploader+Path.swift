import Location
import NetworkPaths

extension Uploader {
    /// Handles a report of the network path to the destination.
    public mutating func pathReported(_ target: TargetReachability, at now: Instant) -> [UploadEffect] {
        let before = path
        path = .reported(target)
        lastOutcome = nil
        guard Self.mayTry(target), !awaitsCost(target) else {
            suspendTransfers()
            forgetFailures()
            return conclude(at: now)
        }
        guard case .reported(let old) = before else { return conclude(at: now) }
        if Self.killsConnections(old, target) { suspendTransfers() }
        if Self.isBetter(target, than: old) { forgetFailures() }
        return conclude(at: now)
    }

    /// Handles the loss of path reports: sending is tried without them.
    public mutating func pathUnavailable(at now: Instant) -> [UploadEffect] {
        path = .unknown
        return conclude(at: now)
    }

    /// Whether there may be a path. A name that does not exist is resolved again with each attempt, because nothing
    /// reports its creation.
    static func mayTry(_ target: TargetReachability) -> Bool {
        switch target.status {
        case .reachable, .unknown: true
        case .unreachable: target.reason == .nameNotFound
        case .requiresConnection: false
        }
    }

    /// Whether it is not known yet what the path costs, and that would decide: while a name is looked up there is no
    /// interface, so that a metered one is not reported as expensive yet. The result of the lookup is reported in any case.
    func awaitsCost(_ target: TargetReachability) -> Bool {
        guard target.status == .unknown, target.reason == .resolving else { return false }
        return configuration.queue.expensive == .defer || configuration.queue.constrained == .defer
    }

    /// Whether connections made before the change are dead, because their source address differs or the path was
    /// interrupted.
    private static func killsConnections(_ old: TargetReachability, _ new: TargetReachability) -> Bool {
        guard old.status == .reachable, new.status == .reachable else { return false }
        return old.source != new.source || old.interface?.index != new.interface?.index
            || wasInterrupted(old, new)
    }

    /// Whether the change justifies an attempt at once, whatever failed before.
    private static func isBetter(_ new: TargetReachability, than old: TargetReachability) -> Bool {
        guard new.status == .reachable else { return !mayTry(old) }
        return old.status != .reachable || old.source != new.source || old.interface?.index != new.interface?.index
            || old.gateway != new.gateway || old.address != new.address || wasInterrupted(old, new)
            || old.isSuspect && !new.isSuspect || old.finding != nil && new.finding == nil
    }

    private static func wasInterrupted(_ old: TargetReachability, _ new: TargetReachability) -> Bool {
        new.generation < old.generation || new.generation - old.generation >= 2
    }

    /// Stops transfers so that they continue later: HTTP requests are made again, messages remain in the broker's
    /// session.
    private mutating func suspendTransfers() {
        if configuration.usesBroker {
            if link != .down { effects.append(.disconnect) }
            link = .down
            return
        }
        withdrawTransfers()
    }

    /// Stops transfers and puts their positions first in the queue.
    private mutating func withdrawTransfers() {
        for inProgress in transfers.reversed() {
            effects.append(.cancel(inProgress.transfer.id))
            returnPositions(of: inProgress.transfer)
        }
        transfers = []
        silentSince = nil
        endTrial()
        trial.confirmations = []
    }

    /// Returns the positions of a transfer to the queue, to be sent in the same lane.
    mutating func returnPositions(of transfer: Transfer) {
        switch transfer.lane {
        case .history: outbox?.sendAgain(transfer.positions)
        case .requested: isReportRequested = true
        case .region: regions.putBack()
        case .current, .probe:
            trial.confirmations.remove(transfer.id)
            outbox?.putBack(transfer.positions)
        case .rejected: rejectedPass?.positions.insert(contentsOf: transfer.positions, at: 0)
        }
    }

    // The broker.

    /// Handles an accepted connection to the broker. If the broker resumed the session, the client has already repeated
    /// the unconfirmed messages; otherwise they are sent as new ones.
    public mutating func connected(isResumed: Bool, at now: Instant) -> [UploadEffect] {
        guard case .connecting = link else { return conclude(at: now) }
        link = .up
        notify(.answered)
        // While the connection was being made, an obstacle to sending may have arisen.
        if !isResumed, obstacle(at: now) != nil { withdrawTransfers() }
        for index in transfers.indices {
            transfers[index].deadline = now.later(by: configuration.destination.timeout)
            guard !isResumed else { continue }
            let highest = transfers[index].transfer.positions.last?.sequence ?? 0
            transfers[index].transfer.isRetained = transfers[index].transfer.lane != .region && highest >= highestSent
            effects.append(.send(transfers[index].transfer))
        }
        return conclude(at: now)
    }

    /// Handles a connection that the broker refused with a return code of MQTT 3.1.1 or a reason code of MQTT 5.
    public mutating func connectionRefused(_ code: UInt8, at now: Instant) -> [UploadEffect] {
        guard link != .down else { return conclude(at: now) }
        link = .down
        notify(.answered)
        report.lastStatus = Int(code)
        switch code {
        // 3.1.1: protocol, client identifier, credentials, authorization. 5: the same, banned, and the authentication
        // method.
        case 1, 2, 4, 5, 0x84...0x87, 0x8A, 0x8C: block(.broker(code), at: now)
        default: backOff(.broker(code), at: now)
        }
        return conclude(at: now)
    }

    /// Handles a connection to the broker that failed or was closed. Unconfirmed messages may have arrived.
    public mutating func connectionLost(_ failure: UploadFailure, at now: Instant) -> [UploadEffect] {
        guard link != .down else { return conclude(at: now) }
        link = .down
        notify(.failed)
        backOff(failure, at: now)
        return conclude(at: now)
    }

    /// Handles confirmations of messages, all that were received together.
    public mutating func published(_ confirmations: [BrokerConfirmation], at now: Instant) -> [UploadEffect] {
        for confirmation in confirmations { apply(confirmation, at: now) }
        return conclude(at: now)
    }

    private mutating func apply(_ confirmation: BrokerConfirmation, at now: Instant) {
        guard let done = finish(confirmation.id) else { return }
        let reason = confirmation.reason
        let letter = DestinationRefusal(status: Int(reason), message: "")
        switch reason {
        case ..<0x80: apply(.acknowledged, for: done, at: now)
        // Not authorized, or topic name invalid.
        case 0x87, 0x90: apply(.blocked(.broker(reason)), for: done, at: now)
        // Payload format invalid.
        case 0x99: apply(.rejected(letter), for: done, at: now)
        default: apply(.later(.broker(reason), after: nil), for: done, at: now)
        }
    }
}

import NetworkPaths

extension Uploader {
    /// The way to the destination was told.
    public mutating func pathReported(_ target: TargetReachability, at now: UploadTime) -> [UploadEffect] {
        let before = path
        path = .reported(target)
        lastOutcome = nil
        guard Self.mayTry(target) else {
            suspendTransfers()
            forgetFailures()
            return conclude(at: now)
        }
        guard case .reported(let old) = before else { return conclude(at: now) }
        if Self.killsConnections(old, target) { suspendTransfers() }
        if Self.isBetter(target, than: old) { forgetFailures() }
        return conclude(at: now)
    }

    /// Nobody tells about the way: it is tried.
    public mutating func pathUnavailable(at now: UploadTime) -> [UploadEffect] {
        path = .unknown
        return conclude(at: now)
    }

    /// Whether there is a way, or may be. A name that does not exist is looked up again with each attempt: nobody tells
    /// when it has come to exist.
    static func mayTry(_ target: TargetReachability) -> Bool {
        switch target.status {
        case .reachable, .unknown: true
        case .unreachable: target.reason == .nameNotFound
        case .requiresConnection: false
        }
    }

    /// Whether connections of the time before are dead: they began at another address, or the way was gone meanwhile.
    private static func killsConnections(_ old: TargetReachability, _ new: TargetReachability) -> Bool {
        guard old.status == .reachable, new.status == .reachable else { return false }
        return old.source != new.source || old.interface?.index != new.interface?.index
            || wasInterrupted(old, new)
    }

    /// Whether it is worth to try at once, whatever has failed before.
    private static func isBetter(_ new: TargetReachability, than old: TargetReachability) -> Bool {
        guard new.status == .reachable else { return !mayTry(old) }
        return old.status != .reachable || old.source != new.source || old.interface?.index != new.interface?.index
            || old.gateway != new.gateway || old.address != new.address || wasInterrupted(old, new)
            || old.isSuspect && !new.isSuspect || old.finding != nil && new.finding == nil
    }

    private static func wasInterrupted(_ old: TargetReachability, _ new: TargetReachability) -> Bool {
        new.generation < old.generation || new.generation - old.generation >= 2
    }

    /// Stops what is under way so that it goes on from where it is: requests are made again, messages stay in the broker's
    /// session.
    private mutating func suspendTransfers() {
        if configuration.usesBroker {
            if link != .down { effects.append(.disconnect) }
            link = .down
            return
        }
        withdrawTransfers()
    }

    /// Stops what is under way; it is what is sent next.
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

    /// What a transfer had is to be sent as before.
    mutating func returnPositions(of transfer: Transfer) {
        switch transfer.lane {
        case .history: outbox?.sendAgain(transfer.positions)
        case .current, .probe:
            trial.confirmations.remove(transfer.id)
            outbox?.putBack(transfer.positions)
        case .rejected: rejectedPass?.positions.insert(contentsOf: transfer.positions, at: 0)
        }
    }

    // The broker.

    /// The broker has taken the connection. Where it remembers the session, the client has sent again by itself what was
    /// not confirmed; otherwise that is to be sent as new.
    public mutating func connected(isResumed: Bool, at now: UploadTime) -> [UploadEffect] {
        guard case .connecting = link else { return conclude(at: now) }
        link = .up
        notify(.answered)
        // While it was being connected something may have come between that keeps everything from being begun.
        if !isResumed, obstacle(at: now) != nil { withdrawTransfers() }
        for index in transfers.indices {
            transfers[index].deadline = now.later(by: configuration.destination.timeout)
            guard !isResumed else { continue }
            let highest = transfers[index].transfer.positions.last?.sequence ?? 0
            transfers[index].transfer.isRetained = highest >= highestSent
            effects.append(.send(transfers[index].transfer))
        }
        return conclude(at: now)
    }

    /// The broker has refused the connection: the return code of MQTT 3.1.1, or the reason code of MQTT 5.
    public mutating func connectionRefused(_ code: UInt8, at now: UploadTime) -> [UploadEffect] {
        guard link != .down else { return conclude(at: now) }
        link = .down
        notify(.answered)
        report.lastStatus = Int(code)
        switch code {
        // Protocol, client id, credentials, authorization; the same, banned, and the way of authentication.
        case 1, 2, 4, 5, 0x84...0x87, 0x8A, 0x8C: block(.broker(code), at: now)
        default: backOff(.broker(code), at: now)
        }
        return conclude(at: now)
    }

    /// The connection to the broker did not come about, or has ended. What was not confirmed may have arrived.
    public mutating func connectionLost(_ failure: UploadFailure, at now: UploadTime) -> [UploadEffect] {
        guard link != .down else { return conclude(at: now) }
        link = .down
        notify(.failed)
        backOff(failure, at: now)
        return conclude(at: now)
    }

    /// The broker has confirmed messages, as many as were heard of at once.
    public mutating func published(_ confirmations: [BrokerConfirmation], at now: UploadTime) -> [UploadEffect] {
        for confirmation in confirmations { apply(confirmation, at: now) }
        return conclude(at: now)
    }

    private mutating func apply(_ confirmation: BrokerConfirmation, at now: UploadTime) {
        guard let done = finish(confirmation.id) else { return }
        let reason = confirmation.reason
        let letter = DeadLetter(status: Int(reason), message: "")
        switch reason {
        case ..<0x80: apply(.acknowledged, for: done, at: now)
        // Not authorized, or the topic is not allowed.
        case 0x87, 0x90: apply(.blocked(.broker(reason)), for: done, at: now)
        // The payload is not what it has to be.
        case 0x99: apply(.rejected(letter), for: done, at: now)
        default: apply(.later(.broker(reason), after: nil), for: done, at: now)
        }
    }
}

import Durations
import Location

extension Uploader {
    /// Begins the transfers that are possible now. If there are any, their effects are returned, and `rest` has the others:
    /// the destination has the next request while everything else is decided. Otherwise all effects are returned.
    mutating func conclude(at now: Instant) -> [UploadEffect] {
        if let until = hold?.until, until <= now.monotonicNanoseconds { hold = nil }
        changeRejectedPass()
        queueDueWaypoints(at: now)
        let obstacle = obstacle(at: now)
        if obstacle == nil { beginTransfers(at: now) }
        guard case .send = effects.last else { return conclude(obstacle, at: now) }
        isRestDue = true
        defer { effects.removeAll(keepingCapacity: true) }
        return effects
    }

    /// The effects of the last event that were left for the time after its transfers were sent; none if it began no
    /// transfer. To be called after the effects of each event were performed.
    public mutating func rest(at now: Instant) -> [UploadEffect] {
        guard isRestDue else { return [] }
        return conclude(obstacle(at: now), at: now)
    }

    private mutating func conclude(_ found: UploadState?, at now: Instant) -> [UploadEffect] {
        isRestDue = false
        var obstacle = found
        if obstacle == nil {
            prepareNext()
            blockWhereAllIsRefused(at: now)
            if hold != nil { obstacle = self.obstacle(at: now) }
        }
        requestReads()
        requestAcknowledgement(at: now)
        requestRegionEvents()
        setTimer(obstacle, at: now)
        publish(obstacle, at: now)
        defer { effects.removeAll(keepingCapacity: true) }
        return effects
    }

    // Obstacles to sending.

    /// The state that prevents sending; nil if sending is possible.
    mutating func obstacle(at now: Instant) -> UploadState? {
        if isPaused { return .paused }
        guard isConfigured else { return .blocked(.notConfigured, until: .max) }
        guard isRecordingOpen else { return .waitingForRecording }
        switch path {
        case .requested: return .waitingForPath(nil)
        case .reported(let target) where !Self.mayTry(target) || awaitsCost(target):
            return .waitingForPath(target.reason)
        case .reported, .unknown: break
        }
        switch hold {
        case .backingOff(let until, let attempt, let failure):
            return .backingOff(until: until, attempt: attempt, because: failure)
        case .blocked(let reason, let until): return .blocked(reason, until: until)
        case nil: return deferredState(at: now)
        }
    }

    /// Whether sending is deferred for a better path. Once the oldest position has waited long enough, all pending
    /// positions are sent.
    private mutating func deferredState(at now: Instant) -> UploadState? {
        guard let cost else {
            isReleased = false
            deferral = nil
            return nil
        }
        if isReleased, outbox?.isDrained ?? true, transfers.isEmpty, !hasRegionMessage(at: now) {
            isReleased = false
        }
        guard !isReleased, let oldest = oldestPending(at: now) else {
            deferral = nil
            return nil
        }
        let until: UInt64
        if let deferral, deferral.oldest == oldest {
            until = deferral.until
        } else {
            let most = configuration.queue.deferAtMost
            let age = Duration.microseconds(max(0, now.utc.microseconds.subtractingSaturated(oldest.microseconds)))
            until = now.later(by: max(.zero, most - min(age, most)))
            deferral = (oldest, until)
        }
        guard until <= now.monotonicNanoseconds else { return .deferred(cost, until: until) }
        isReleased = true
        deferral = nil
        return nil
    }

    /// The time of the oldest position or message that is ready to be sent.
    private func oldestPending(at now: Instant) -> UTCTime? {
        let position = outbox?.oldest.map { UTCTime(secondsSinceEpoch: $0.position.timestamp) ?? now.utc }
        return [position, hasRegionMessage(at: now) ? regions.oldest : nil].compactMap { $0 }.min()
    }

    /// The reason why the available path should not be used.
    var cost: UploadState.Cost? {
        guard case .reported(let target) = path else { return nil }
        if target.isExpensive, configuration.queue.expensive == .defer { return .expensive }
        if target.isConstrained, configuration.queue.constrained == .defer { return .constrained }
        return nil
    }

    // Starting transfers.

    private mutating func beginTransfers(at now: Instant) {
        if configuration.usesBroker {
            switch link {
            case .connecting: return
            case .down:
                guard
                    !transfers.isEmpty || outbox?.hasSomethingToSend == true || rejectedPass?.positions.isEmpty == false
                        || hasRegionMessage(at: now) || isListening
                else { return }
                link = .connecting(deadline: now.later(by: configuration.destination.timeout))
                effects.append(.connect)
                return
            case .up: break
            }
        }
        // A trial sends one position after the other.
        let slots = configuration.usesBroker && !trial.isOpen ? pace.limit : 1
        while transfers.count < slots, let transfer = nextTransfer(at: now) {
            highestSent = max(highestSent, transfer.positions.last?.sequence ?? 0)
            let deadline = now.later(by: configuration.destination.timeout)
            transfers.append(InProgress(transfer: transfer, startedAt: now.monotonicNanoseconds, deadline: deadline))
            effects.append(.send(transfer))
        }
    }

    /// Announces the probable next transfer while a batch of the steady size is in flight and nothing is to be sent
    /// ahead of the order. The destination then does not wait for the request to be written.
    private mutating func prepareNext() {
        guard !configuration.usesBroker, configuration.queue.order == .oldest, pace.isSteady,
            transfers.first?.transfer.lane == .history, !trial.isOpen, rejectedPass == nil,
            let first = outbox?.waiting.first?.sequence, prepared?.positions.first?.sequence != first,
            let next = outbox?.nextBatch(of: pace.limit)
        else { return }
        let transfer = transfer(.history, Array(next), isBegun: false)
        prepared = transfer
        effects.append(.prepare(transfer))
    }

    private mutating func nextTransfer(at now: Instant) -> Transfer? {
        // A message about a region is sent ahead of a backlog, and never twice in a row while positions can be sent.
        guard sendsPositionsNext else { return nextRegionMessage(at: now) ?? nextPositions(at: now) }
        guard let transfer = nextPositions(at: now) else { return nextRegionMessage(at: now) }
        sendsPositionsNext = false
        return transfer
    }

    private mutating func nextPositions(at now: Instant) -> Transfer? {
        if isReportDue, !transfers.contains(where: { $0.transfer.lane == .requested }) {
            if let transfer = requestedReport() { return transfer }
            if wanted == .last { return nil }
        }
        if let letter = rejectedPass?.positions.first {
            rejectedPass?.positions.removeFirst()
            return transfer(.rejected, [letter])
        }
        if !trial.unconfirmed.isEmpty || trial.suspects.count >= RejectionTrial.mostAtOnce { return nextOfTrial() }
        if isCurrentDue(at: now) {
            if outbox?.mayTryLast == true {
                wanted = .last
                return nil
            }
            currentSentAt = now.monotonicNanoseconds
            if configuration.destination.format?.reportsNewestApart == false, let newest = outbox?.removeNewest() {
                return transfer(.current, [newest])
            }
        }
        let limit = configuration.usesBroker ? 1 : pace.limit
        if configuration.queue.order == .oldest, outbox?.isShort(of: limit) == true { return nil }
        return outbox?.removeBatch(configuration.queue.order, limit: limit).map { transfer(.history, $0) }
    }

    /// Whether more positions wait than are sent at once, and the newest one was not sent ahead of the order recently.
    private func isCurrentDue(at now: Instant) -> Bool {
        let backlog = max(pace.limit, Self.shortestBacklog)
        guard configuration.queue.order == .oldest, outbox?.hasBacklog(beyond: backlog) == true else { return false }
        return currentSentAt.map { now.monotonicNanoseconds >= $0.after(Self.currentInterval) } ?? true
    }

    mutating func transfer(
        _ lane: Transfer.Lane, _ positions: [RecordedPosition], isBegun: Bool = true
    ) -> Transfer {
        defer { if isBegun { nextTransferID += 1 } }
        let highest = positions.last?.sequence ?? 0
        return Transfer(
            id: nextTransferID, lane: lane, positions: positions,
            current: newest(besides: positions).flatMap { $0.sequence > highest ? $0 : nil },
            isRetained: lane != .rejected && highest >= highestSent)
    }

    /// The newest position, if the format reports it beside the others. Positions that were announced as the next
    /// transfer retain the newest one of that time, because the request may be written already.
    private func newest(besides positions: [RecordedPosition]) -> RecordedPosition? {
        guard configuration.destination.format?.reportsNewestApart == true else { return nil }
        if let prepared, prepared.carries(positions), let current = prepared.current { return current }
        return outbox?.newest
    }

    // Reading and acknowledging.

    private mutating func requestReads() {
        guard isRecordingOpen else { return }
        if var pass = rejectedPass, pass.positions.isEmpty, !pass.isReading, !pass.isComplete {
            pass.isReading = true
            rejectedPass = pass
            effects.append(.readRejected(after: pass.after, limit: RejectedPass.pageSize))
        }
        guard reading == nil, let outbox else { return }
        let request =
            switch wanted {
            case .last where outbox.mayTryLast: outbox.readOfLast
            case .witness: outbox.readDownwards(limit: Self.witnessPage)
            case .last, nil: outbox.nextRead(configuration.queue.order, batch: pace.limit)
            }
        guard let request else { return }
        reading = request
        effects.append(.read(request))
    }

    /// Ends a pass over dead letters that is complete, and begins the one that an operator requested. Neither happens
    /// while a dead letter is in flight: the new pass would read it and send it a second time.
    private mutating func changeRejectedPass() {
        guard rejectedPass != nil || isFullPassWanted,
            !transfers.contains(where: { $0.transfer.lane == .rejected })
        else { return }
        if let pass = rejectedPass, pass.isComplete, pass.positions.isEmpty { rejectedPass = nil }
        guard isFullPassWanted, isRecordingOpen, rejectedPass == nil else { return }
        rejectedPass = RejectedPass()
        isFullPassWanted = false
    }

    private mutating func requestAcknowledgement(at now: Instant) {
        guard let cursor = unacknowledgedCursor, transfers.isEmpty || now.monotonicNanoseconds >= nextAcknowledgement,
            filteredUntil.map({ now.monotonicNanoseconds >= $0 }) ?? true
        else { return }
        filteredUntil = nil
        acknowledging = cursor
        acknowledgingSince = now.monotonicNanoseconds
        nextAcknowledgement = now.later(by: Self.acknowledgementInterval)
        effects.append(.acknowledge(counts.acknowledgement(upTo: cursor)))
    }

    /// The cursor to acknowledge to the recording; nil if it was acknowledged already or cannot be.
    private var unacknowledgedCursor: Int64? {
        guard isRecordingOpen, acknowledging == nil, let cursor = outbox?.cursor, cursor > acknowledged else {
            return nil
        }
        return cursor
    }

    // Reporting.

    private mutating func setTimer(_ obstacle: UploadState?, at now: Instant) {
        var next: UInt64?
        func wake(at time: UInt64) { next = min(next ?? time, time) }
        switch obstacle {
        case .backingOff(let until, _, _), .deferred(_, let until): wake(at: until)
        case .blocked(_, let until) where until < .max: wake(at: until)
        default: break
        }
        if case .connecting(let deadline) = link { wake(at: deadline) }
        if !configuration.usesBroker || link == .up, let first = transfers.first { wake(at: first.deadline) }
        if obstacle == nil, let since = awaitedSince, unansweredSince(at: now) == nil {
            wake(at: since.after(Self.silence))
        }
        if let waypointsDue { wake(at: waypointsDue) }
        if obstacle == nil, let retry = regions.nextRetry(after: now.monotonicNanoseconds) { wake(at: retry) }
        if unacknowledgedCursor != nil { wake(at: max(nextAcknowledgement, filteredUntil ?? 0)) }
        // A timer that fires too early costs less than one that is moved with each response.
        if let next, let armed, armed <= next { return }
        guard next != armed else { return }
        armed = next
        effects.append(next.map { .armTimer(at: $0) } ?? .disarmTimer)
    }

    /// The instant since which the oldest pending response is awaited, nanoseconds of the monotonic clock; nil if none
    /// is pending.
    private var awaitedSince: UInt64? {
        let deadline: UInt64
        if case .connecting(let until) = link {
            deadline = until
        } else if !configuration.usesBroker || link == .up, let first = transfers.first {
            deadline = first.deadline
        } else {
            return nil
        }
        return silentSince ?? deadline - min(deadline, configuration.destination.timeout.nanoseconds)
    }

    /// The same, once the wait is long enough to be reported.
    private func unansweredSince(at now: Instant) -> UInt64? {
        awaitedSince.flatMap { now.monotonicNanoseconds >= $0.after(Self.silence) ? $0 : nil }
    }

    private mutating func publish(_ obstacle: UploadState?, at now: Instant) {
        report.state = obstacle ?? activity(at: now)
        report.unansweredSince = obstacle == nil ? unansweredSince(at: now) : nil
        (report.sentInAll, report.filteredInAll) = (counts.sent.all, counts.filtered.all)
        (report.pendingRegionMessages, report.skippedRegionEvents) = (regions.count, regions.skipped)
        report.regionRefusal = regions.refusal
        guard report != reported else { return }
        reported = report
        effects.append(.publish(report))
    }

    private func activity(at now: Instant) -> UploadState {
        if let first = transfers.first { return .sending(first.transfer.summary) }
        return outbox?.isDrained ?? true && !hasRegionMessage(at: now) ? .idle : .sending(nil)
    }
}

extension Int64 {
    /// The difference, saturated at the bounds of the type.
    fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, isOverflow) = subtractingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .max : .min) : difference
    }
}

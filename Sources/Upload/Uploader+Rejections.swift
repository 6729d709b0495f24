import Location

extension Uploader {
    /// Handles a refusal of these positions.
    mutating func reject(_ transfer: Transfer, _ letter: DestinationRefusal, at now: Instant) {
        noteAnswer()
        guard transfer.positions.count == 1, let position = transfer.positions.first else {
            outbox?.sendHalves(transfer.positions)
            return
        }
        // A dead letter that is refused again remains one, and a requested position is sent in its order as well.
        guard transfer.lane != .rejected, transfer.lane != .requested else { return }
        guard trial.confirmations.remove(transfer.id) != nil else {
            trial.suspects.append(
                RejectionTrial.Suspect(position: position, status: letter.status, transferID: transfer.id))
            return
        }
        report.rejected += 1
        deadLetters[position.sequence] = letter
        if isRecordingOpen { effects.append(.reject(position.sequence, letter)) }
    }

    /// Records that the destination has accepted a transfer: refusals of earlier transfers may concern their positions
    /// after all.
    mutating func noteAcceptance(of transfer: Transfer) {
        let others = trial.suspects.filter { $0.transferID > transfer.id }
        guard others.isEmpty || others.count < trial.suspects.count else { return }
        trial.unconfirmed += trial.suspects.filter { $0.transferID < transfer.id }.map(\.position)
        trial.suspects = others
        trial.witnesses = 0
        trial.blockages = 0
        guard let since = trial.requeuedSince, rejectedPass == nil, isRecordingOpen else { return }
        rejectedPass = RejectedPass(since: since, room: RejectionTrial.mostRequeued)
        trial.requeuedSince = nil
    }

    /// Ends a trial without a result: its positions return to their places in the queue.
    mutating func endTrial() {
        regions.forgetDoubts()
        guard trial.isOpen else { return }
        outbox?.regroup()
        outbox?.putBack(trial.suspects.map(\.position))
        outbox?.putBack(trial.unconfirmed)
        trial.suspects = []
        trial.unconfirmed = []
        trial.witnesses = 0
    }

    /// The next transfer of a trial; nil if there is none, or none yet.
    mutating func nextOfTrial() -> Transfer? {
        if !trial.unconfirmed.isEmpty {
            let transfer = transfer(.probe, [trial.unconfirmed.removeFirst()])
            trial.confirmations.insert(transfer.id)
            return transfer
        }
        guard transfers.isEmpty, trial.witnesses < trial.allowedWitnesses else { return nil }
        return trial.witnesses == 0 ? nextDistantWitness() : outbox.flatMap { nextWitness(among: $0.waiting.count) }
    }

    /// The newest position that is as far from the suspects as possible.
    private mutating func nextDistantWitness() -> Transfer? {
        if outbox?.hasOneApart == false, outbox?.readDownwards(limit: Self.witnessPage) != nil {
            wanted = .witness
            return nil
        }
        return outbox?.removeNewest().map { witness($0) }
    }

    private mutating func nextWitness(among count: Int) -> Transfer? {
        let position = count > 0 ? outbox?.removeWaiting(at: trial.nextPlace(among: count)) : outbox?.removeNewest()
        return position.map { witness($0) }
    }

    private mutating func witness(_ position: RecordedPosition) -> Transfer {
        trial.witnesses += 1
        return transfer(.probe, [position])
    }

    /// Blocks the destination if every position that was tried is refused and no other can be tried.
    mutating func blockWhereAllIsRefused(at now: Instant) {
        guard let status = trial.suspects.last?.status, trial.unconfirmed.isEmpty, transfers.isEmpty, let outbox
        else { return }
        let isExhausted = trial.witnesses >= trial.allowedWitnesses
        guard isExhausted || !outbox.hasSomethingToSend && outbox.isFullyKnown else { return }
        let count = trial.suspects.count
        if count > 1 { trial.requeue(RejectionTrial.doubted, before: now.utc) }
        trial.blockages += 1
        let delay = RetryPolicy.delay(afterRefusals: trial.blockages)
        block(
            count > 1 ? .everythingRejected(status: status) : .onlyPositionRejected(status: status), for: delay, at: now
        )
        trial.endsWithNextPosition = count < RejectionTrial.mostAtOnce + RejectionTrial.mostWitnesses
        // A destination that replies 413 to everything says nothing about the size it accepts.
        pace = Self.pace(for: configuration)
    }

    /// Records that another position was recorded: if too few were tried before, all of them are tried again with it.
    mutating func noteNewPosition() {
        guard trial.endsWithNextPosition, case .blocked(let reason, _) = hold else { return }
        switch reason {
        case .everythingRejected, .onlyPositionRejected: break
        default: return
        }
        hold = nil
        trial.endsWithNextPosition = false
        trial.blockages = max(0, trial.blockages - 1)
    }
}

import Durations
import Location
import NetworkPaths

extension Uploader {
    /// Handles the response to a request.
    public mutating func answered(_ id: UInt64, with answer: HTTPAnswer, at now: Instant) -> [UploadEffect] {
        guard let done = finish(id), let format = configuration.destination.format else { return conclude(at: now) }
        report.lastStatus = answer.status
        let verdict = AnswerClassifier.verdict(
            on: answer, format: format, url: configuration.destination.url, at: now.utc)
        if case .later(.captive, _) = verdict { notify(.captive) } else { notify(.answered) }
        apply(verdict, for: done, at: now)
        return conclude(at: now)
    }

    /// Handles a request that failed. The destination may have received it.
    public mutating func failed(_ id: UInt64, _ failure: UploadFailure, at now: Instant) -> [UploadEffect] {
        guard let done = finish(id) else { return conclude(at: now) }
        fail(done.transfer, failure, at: now)
        return conclude(at: now)
    }

    /// Handles the expiry of the armed timer.
    public mutating func timerFired(at now: Instant) -> [UploadEffect] {
        armed = nil
        if case .connecting(let deadline) = link, deadline <= now.monotonicNanoseconds {
            effects.append(.disconnect)
            link = .down
            notify(.failed)
            noteSilence(since: deadline - min(deadline, configuration.destination.timeout.nanoseconds))
            backOff(.timedOut, at: now)
        }
        let overdue = transfers.filter { $0.deadline <= now.monotonicNanoseconds }
        if configuration.usesBroker {
            if link == .up, let first = overdue.first {
                pace.noteTimeout(count: transfers.count)
                effects.append(.disconnect)
                link = .down
                notify(.failed)
                noteSilence(since: first.startedAt)
                backOff(.timedOut, at: now)
            }
        } else {
            for inProgress in overdue {
                guard let done = finish(inProgress.transfer.id) else { continue }
                effects.append(.cancel(done.transfer.id))
                noteSilence(since: done.startedAt)
                fail(done.transfer, .timedOut, at: now)
            }
        }
        return conclude(at: now)
    }

    /// Removes a transfer from those in flight; nil if it was given up before.
    mutating func finish(_ id: UInt64) -> InProgress? {
        guard let index = transfers.firstIndex(where: { $0.transfer.id == id }) else {
            report.late += 1
            return nil
        }
        return index == transfers.startIndex ? transfers.removeFirst() : transfers.remove(at: index)
    }

    private mutating func fail(_ transfer: Transfer, _ failure: UploadFailure, at now: Instant) {
        if failure == .timedOut, transfer.lane == .history, transfer.positions.count > 1 {
            pace.noteTimeout(count: transfer.positions.count)
            outbox?.sendHalves(transfer.positions)
        } else {
            returnPositions(of: transfer)
        }
        notify(.failed)
        backOff(failure, at: now)
    }

    /// Applies the classification of a response.
    mutating func apply(_ verdict: Verdict, for done: InProgress, at now: Instant) {
        let transfer = done.transfer
        if transfer.lane == .region { return applyToRegion(verdict, for: done, at: now) }
        switch verdict {
        case .acknowledged: succeed(done, at: now)
        case .rejected(let letter): reject(transfer, letter, at: now)
        case .tooLarge(let letter):
            guard transfer.positions.count > 1 else { return reject(transfer, letter, at: now) }
            noteAnswer()
            pace.noteTooLarge(count: transfer.positions.count)
            outbox?.sendHalves(transfer.positions)
        case .blocked(let reason):
            returnPositions(of: transfer)
            block(reason, at: now)
        case .later(let failure, let requested):
            returnPositions(of: transfer)
            backOff(failure, requested: requested, at: now)
        }
    }

    private mutating func succeed(_ done: InProgress, at now: Instant) {
        let transfer = done.transfer
        noteAnswer()
        trial.confirmations.remove(transfer.id)
        noteAcceptance(of: transfer)
        regions.noteAcceptance(of: transfer.id)
        if transfer.lane != .requested { report.sent += UInt64(transfer.positions.count) }
        let time = Duration.nanoseconds(now.monotonicNanoseconds - min(done.startedAt, now.monotonicNanoseconds))
        if transfer.lane != .rejected, transfer.lane != .requested {
            counts.sent.insert(transfer.positions.lazy.map(\.sequence))
        }
        switch transfer.lane {
        case .history:
            let count = configuration.usesBroker ? transfers.count + 1 : transfer.positions.count
            pace.noteAnswer(count: count, after: time)
            outbox?.settle(transfer.positions.lazy.map(\.sequence))
        case .requested, .region: break
        case .current, .probe: outbox?.settle(transfer.positions.lazy.map(\.sequence))
        case .rejected:
            // If the recording is closed, the position remains a dead letter and may be sent once more.
            guard isRecordingOpen else { return }
            effects += transfer.positions.map { .revive($0.sequence) }
        }
    }

    /// Records that the destination responds.
    mutating func noteAnswer() {
        attempts = 0
        report.lastFailure = nil
        silentSince = nil
    }

    /// Records that a response did not arrive in time. Following attempts without a response belong to the same
    /// silence.
    private mutating func noteSilence(since begin: UInt64) { silentSince = silentSince ?? begin }

    mutating func backOff(_ failure: UploadFailure, requested: Duration? = nil, at now: Instant) {
        attempts += 1
        report.lastFailure = failure
        if failure != .timedOut { silentSince = nil }
        let delay = RetryPolicy.delay(after: attempts, random: random(), requested: requested)
        hold = .backingOff(until: now.later(by: delay), attempt: attempts, because: failure)
        endTrial()
    }

    mutating func block(_ reason: BlockReason, for delay: Duration = RetryPolicy.blocked, at now: Instant) {
        attempts = 0
        silentSince = nil
        hold = .blocked(reason, until: now.later(by: delay))
        endTrial()
    }

    /// Reports the outcome of an attempt; a success only if it is a change.
    mutating func notify(_ outcome: ReportedOutcome) {
        if outcome == .answered, lastOutcome == .answered { return }
        lastOutcome = outcome
        effects.append(.reportOutcome(outcome))
    }
}

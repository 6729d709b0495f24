import Location

@testable import Upload

// The events of the world, and the effects of the uploader.
extension SimulatedWorld {
    mutating func happen(_ event: Event) {
        switch event {
        case .page(let request): answerRead(request)
        case .rejectedPage(let after, let limit):
            let numbers = deadLetters.keys.filter { $0 > after }.sorted().prefix(limit)
            let letters = numbers.map {
                RejectedPage.Letter(Samples.position($0), rejectedAt: rejectedAt[$0] ?? UTCTime(microseconds: 0))
            }
            perform(uploader.readRejected(RejectedPage(letters), at: time))
        case .arrival(let transfer, let process): arrive(transfer, from: process)
        case .answer(let id, let answer, let taken):
            guard !cancelled.contains(id) || chance(50) else { return }
            if isInProgress(id) { note(taken) }
            noteVerdict(on: id, isRefusal: [400, 404, 409, 413, 422].contains(answer.status), taken: taken)
            noteRegion(
                id, isRefusal: [400, 401, 403, 404, 409, 413, 422].contains(answer.status),
                isAcceptance: answer.status == 200 && answer != Samples.portal)
            perform(uploader.answered(id, with: answer, at: time))
        case .failure(let id, let failure):
            if !cancelled.contains(id) { perform(uploader.failed(id, failure, at: time)) }
        case .confirmation(let id, let taken):
            published.removeAll { $0.id == id }
            if isInProgress(id) { note(taken) }
            noteVerdict(on: id, isRefusal: false, taken: taken)
            noteRegion(id, isRefusal: false, isAcceptance: true)
            perform(uploader.published([BrokerConfirmation(id)], at: time))
        case .publishRefusal(let id):
            published.removeAll { $0.id == id }
            noteVerdict(on: id, isRefusal: true, taken: [])
            noteRegion(id, isRefusal: true, isAcceptance: false)
            perform(uploader.published([BrokerConfirmation(id, reason: 0x99)], at: time))
        case .acknowledgement(let acknowledgement):
            isReporting = false
            confirmCursor(acknowledgement)
            perform(uploader.acknowledged(upTo: acknowledgement.upTo, at: time))
        case .revival(let number): perform(uploader.revived(number, at: time))
        case .rejection(let number, let letter):
            if deadLetters[number] == nil, !mayBeRejected(number) {
                violations.append("\(number) may not be a dead letter, and became one")
            }
            deadLetters[number] = letter
            rejectedAt[number] = rejectedAt[number] ?? time.utc
            perform(uploader.rejected(number, at: time))
        case .border(let event): perform(uploader.receive(event, at: time))
        case .regionAcknowledgement(let number):
            regions.acknowledged = max(regions.acknowledged, number)
            regions.confirmed = number
            perform(uploader.regionsAcknowledged(upTo: number, at: time))
        case .connection(let isResumed):
            isLinked = true
            hasSession = true
            if isResumed {
                for transfer in published { scheduleArrival(transfer) }
            } else {
                published = []
            }
            perform(uploader.connected(isResumed: isResumed, at: time))
        case .connectionLoss: dropConnection()
        case .refusal(let code):
            perform(uploader.connectionRefused(code, at: time))
        }
    }

    func isInProgress(_ id: UInt64) -> Bool { uploader.transfers.contains { $0.transfer.id == id } }

    /// Records the result of a transfer that the uploader receives now and still waits for.
    mutating func noteVerdict(on id: UInt64, isRefusal: Bool, taken: [Int64]) {
        guard let transfer = uploader.transfers.first(where: { $0.transfer.id == id })?.transfer else { return }
        if !taken.isEmpty { newestAccepted = max(newestAccepted, id) }
        guard isRefusal, transfer.positions.count == 1, transfer.lane != .rejected,
            let number = transfer.positions.first?.sequence
        else { return }
        refusalsReported[number] = (refusalsReported[number]?.first ?? id, newestAccepted)
    }

    /// Whether the current uploader process knows that a position was refused and, at its last refusal, knew that a
    /// transfer after its first refusal had been accepted.
    func isProvedBad(_ number: Int64) -> Bool {
        refusalsReported[number].map { $0.first < $0.newestAcceptedAtLast } ?? false
    }

    mutating func note(_ taken: [Int64]) {
        reportedAccepted.formUnion(taken)
        everAccepted.formUnion(taken)
    }

    mutating func answerRead(_ request: ReadRequest) {
        let numbers = recorded.filter {
            $0 > request.after && deadLetters[$0] == nil && !revived.contains($0)
        }.prefix(request.limit)
        if numbers.isEmpty, request.waits {
            waitingRead = request
        } else {
            perform(uploader.read(page(numbers), for: request, at: time))
        }
    }

    func page(_ numbers: some Sequence<Int64>) -> RecordedPage {
        RecordedPage(numbers.map { Samples.position($0) }, last: recorded.last ?? 0)
    }

    mutating func confirmCursor(_ acknowledgement: Acknowledgement) {
        let number = acknowledgement.upTo
        for seq in recorded where seq > cursor && seq <= number && deadLetters[seq] == nil {
            if stored[seq] == nil { violations.append("\(seq) was acknowledged, and the destination does not have it") }
            if !everAccepted.contains(seq) {
                violations.append("\(seq) was acknowledged before the destination did so")
            }
        }
        if number < cursor { violations.append("the cursor moves backwards") }
        if number > cursor {
            countedSent += acknowledgement.sent
            counted.formUnion(recorded.filter { $0 > cursor && $0 <= number && deadLetters[$0] == nil })
        }
        cursor = max(cursor, number)
        checkCount()
    }

    /// Every position that the destination has accepted is counted once, in whichever process that was.
    mutating func checkCount() {
        if countedSent != Int64(counted.count) {
            violations.append("\(countedSent) positions are counted, and \(counted.count) were accepted")
        }
    }

    mutating func perform(_ effects: [UploadEffect]) {
        for effect in effects { perform(effect) }
        for effect in uploader.rest(at: time) { perform(effect) }
    }

    mutating func perform(_ effect: UploadEffect) {
        switch effect {
        case .read(let request):
            if !isDaemonThere { violations.append("a read without a recording") }
            schedule(.page(request), milliseconds: 0...5)
        case .readRejected(let after, let limit):
            schedule(.rejectedPage(after: after, limit: limit), milliseconds: 0...5)
        case .send(let transfer): send(transfer)
        case .prepare(let transfer): if let transfer { classify(prepared: transfer) }
        case .cancel(let id): cancelled.insert(id)
        case .acknowledge(let acknowledgement): acknowledge(acknowledgement)
        case .reject(let number, let letter):
            if !isProvedBad(number) {
                violations.append("\(number) is rejected without another being accepted between")
            }
            schedule(.rejection(number, letter), milliseconds: 0...20)
        case .revive(let number):
            if stored[number] == nil { violations.append("\(number) was revived without having been sent") }
            rejectedAt[number] = nil
            guard deadLetters.removeValue(forKey: number) != nil else { return }
            countedSent += 1
            counted.insert(number)
            revived.insert(number)
            checkCount()
            schedule(.revival(number), milliseconds: 0...20)
        case .acknowledgeRegions(let number): acknowledgeRegions(upTo: number)
        case .readRegions(let number): openRegions(after: number)
        case .regionMessageRefused: dropRefused()
        case .armTimer(let at): timer = at
        case .disarmTimer: timer = nil
        case .publish(let report): states.insert(String("\(report.state)".prefix { $0 != "(" }))
        case .reportOutcome: break
        case .connect: connect()
        case .disconnect: dropConnection(silently: true)
        }
    }

    /// A transfer prepared in advance contains no position that the destination has stored or is receiving.
    mutating func classify(prepared transfer: Transfer) {
        let numbers = Set(transfer.positions.map(\.sequence))
        if !numbers.isDisjoint(with: reportedAccepted) { violations.append("prepared what was acknowledged") }
        let inProgress = uploader.transfers.flatMap { $0.transfer.positions.map(\.sequence) }
        if !numbers.isDisjoint(with: inProgress) { violations.append("prepared a position in flight") }
        if !isDaemonThere || isPaused { violations.append("prepared a transfer that may not be sent") }
    }

    mutating func acknowledge(_ acknowledgement: Acknowledgement) {
        let number = acknowledgement.upTo
        if isReporting { violations.append("\(number) is to be acknowledged while another acknowledgement is pending") }
        if number <= cursor { violations.append("\(number) is to be acknowledged a second time") }
        if let reportedAt, now - reportedAt < 20_000_000, !uploader.transfers.isEmpty {
            violations.append("\(number) is to be acknowledged \((now - reportedAt) / 1_000_000) ms after another")
        }
        isReporting = true
        reportedAt = now
        schedule(.acknowledgement(acknowledgement), milliseconds: 0...20)
    }

    mutating func connect() {
        if chance(mood == .healthy ? 0 : 20) {
            schedule(chance(50) ? .connectionLoss : .refusal(3), milliseconds: 1...3_000)
        } else {
            if !hasSession || chance(10) { hasSession = false }
            schedule(.connection(isResumed: hasSession), milliseconds: 1...200)
        }
    }

    mutating func send(_ transfer: Transfer) {
        cancelled.remove(transfer.id)
        let numbers = transfer.positions.map(\.sequence)
        if isPaused { violations.append("sent while paused") }
        if target.status == .unreachable { violations.append("sent without a network path") }
        if !isDaemonThere { violations.append("sent without a recording") }
        if numbers != numbers.sorted() || numbers.isEmpty != (transfer.message != nil) {
            violations.append("an empty or unordered batch")
        }
        if numbers.count > uploader.configuration.queue.batchLimit, !configuration.usesBroker {
            violations.append("a batch of \(numbers.count)")
        }
        for number in numbers where transfer.lane != .rejected && reportedAccepted.contains(number) {
            violations.append("\(number) is sent again after it was acknowledged")
        }
        if transfer.lane == .history, uploader.configuration.queue.order == .oldest {
            for number in numbers where !everSent.contains(number) {
                if number < highestFirst { violations.append("\(number) is sent after \(highestFirst)") }
                highestFirst = number
            }
        }
        if transfer.lane != .rejected { everSent.formUnion(numbers) }
        let trial = uploader.trial
        overtaken.formUnion(trial.suspects.map(\.position.sequence) + trial.unconfirmed.map(\.sequence))
        if configuration.usesBroker {
            published.append(transfer)
            scheduleArrival(transfer)
        } else if mood == .closed, chance(80) {
            let failures: [UploadFailure] = [.nameLookup, .connect, .tls(.unknownIssuer), .connectionLost]
            let failure = failures[Int.random(in: 0..<failures.count, using: &random)]
            schedule(.failure(transfer.id, failure), milliseconds: 1...3_000)
        } else {
            schedule(.arrival(transfer, process: process), milliseconds: mood == .slow ? 1...90_000 : 1...200)
        }
    }
}

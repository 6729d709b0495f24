import Location

@testable import Upload

// The destination, and the checks of the final state.
extension SimulatedWorld {
    mutating func arrive(_ transfer: Transfer, from process: Int) {
        let numbers = transfer.positions.map(\.sequence)
        if configuration.usesBroker { return arriveAtBroker(transfer, numbers) }
        guard mood != .silent else { return }
        if mood == .refusing {
            note(refused: numbers)
            return reply(transfer, HTTPAnswer(status: [404, 400, 413][moods % 3]), to: process)
        }
        if let refusal = refusal(of: numbers) { return reply(transfer, refusal, to: process) }
        store(transfer, numbers)
        // The destination has stored the positions and its response is lost.
        if mood == .deaf, chance(70) { return }
        if mood == .forgetful, chance(50) {
            if process == self.process { schedule(.failure(transfer.id, .connectionLost), milliseconds: 1...500) }
            return
        }
        reply(transfer, Samples.ok, taken: numbers, to: process)
        if chance(5) { reply(transfer, Samples.ok, taken: numbers, to: process) }
    }

    mutating func refusal(of numbers: [Int64]) -> HTTPAnswer? {
        switch mood {
        case .failing: HTTPAnswer(status: [500, 502, 503, 408][Int(order % 4)])
        case .busy:
            HTTPAnswer(status: 429, headers: [HTTPAnswer.Header("Retry-After", chance(50) ? "17" : "99999")])
        case .portal: Samples.portal
        case .unauthorized: HTTPAnswer(status: chance(50) ? 401 : 403)
        case .wrong where configuration.destination.format == .overland:
            HTTPAnswer(status: 200, body: Array(#"{"result":"no"}"#.utf8))
        case .small where numbers.count > mostAtOnce: HTTPAnswer(status: 413)
        default: numbers.contains(where: poison.contains) ? HTTPAnswer(status: chance(50) ? 422 : 409) : nil
        }
    }

    mutating func arriveAtBroker(_ transfer: Transfer, _ numbers: [Int64]) {
        guard isLinked, mood != .silent else { return }
        if mood == .refusing {
            note(refused: numbers)
            return schedule(.publishRefusal(transfer.id), milliseconds: 1...300)
        }
        store(transfer, numbers)
        if mood == .forgetful, chance(20) { return schedule(.connectionLoss, milliseconds: 1...500) }
        if mood == .deaf, chance(50) { return }
        schedule(.confirmation(transfer.id, taken: numbers), milliseconds: mood == .slow ? 1...5_000 : 1...300)
    }

    mutating func store(_ transfer: Transfer, _ numbers: [Int64]) {
        if let message = transfer.message { store(message) }
        for number in numbers {
            // A destination that identifies positions by their ids stores each once; another one stores every copy. A
            // position that was a suspect while others were sent arrives after them.
            if stored[number] == nil, !overtaken.contains(number), transfer.lane == .history,
                configuration.queue.order == .oldest,
                !configuration.usesBroker
            {
                if number < historyStored { violations.append("\(number) arrived after \(historyStored)") }
                historyStored = number
            }
            stored[number, default: 0] += 1
        }
    }

    mutating func reply(
        _ transfer: Transfer, _ answer: HTTPAnswer, taken: [Int64] = [], to process: Int
    ) {
        guard process == self.process else { return }
        schedule(.answer(transfer.id, answer, taken: taken), milliseconds: mood == .slow ? 1...70_000 : 1...400)
    }

    mutating func note(refused numbers: [Int64]) {
        for number in numbers { refusals[number, default: []].insert(moods) }
    }

    /// Whether a position may become a dead letter: a valid one only if the destination has refused it, has accepted
    /// another one, and has refused it again in another mood.
    func mayBeRejected(_ number: Int64) -> Bool { poison.contains(number) || refusals[number]?.count ?? 0 > 1 }

    mutating func classify() {
        guard violations.isEmpty else { return }
        for number in deadLetters.keys where number > cursor && !mayBeRejected(number) {
            violations.append("\(number) is a dead letter without a reason")
        }
        let waiting = recorded.filter { $0 > cursor && deadLetters[$0] == nil }
        // If no position is left that could show that the destination accepts anything, the blocked state is correct.
        switch uploader.report.state {
        case .blocked(.everythingRejected, _), .blocked(.onlyPositionRejected, _):
            // Positions above those that the destination has accepted in this process wait only for the cursor.
            if waiting.contains(where: poison.contains),
                waiting.allSatisfy({ poison.contains($0) || reportedAccepted.contains($0) })
            {
                return
            }
        default: break
        }
        if !waiting.isEmpty {
            violations.append("\(waiting.count) of \(recorded.count) are still waiting: \(uploader.report.state)")
        } else if uploader.report.state != .idle {
            violations.append("everything is settled, and the state is \(uploader.report.state)")
        }
    }
}

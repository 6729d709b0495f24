import Durations
import Location
import NetworkPaths
import Testing

@testable import Upload

/// An uploader on a bench: a recording that answers at once, a clock that a test moves, transfers that a test answers.
struct Bench {
    private(set) var uploader: Uploader
    private(set) var now = UploadTime(
        monotonic: 1_000_000_000, utc: UTCTime(microseconds: Samples.begin + 1_000_000_000))
    /// How many positions the recording has: their numbers begin at 1 and have no gaps.
    private(set) var last: Int64 = 0
    private(set) var cursor: Int64 = 0
    /// What the recording was told, in order.
    private(set) var acknowledgements: [Int64] = []
    /// Whether the recording stores that at once, or when `store` says so.
    var storesAtOnce = true
    private(set) var deadLetters: [Int64: DeadLetter] = [:]
    /// When they became that.
    private(set) var rejectedAt: [Int64: UTCTime] = [:]
    /// Every transfer that was begun, in order.
    private(set) var sent: [Transfer] = []
    /// Those that are neither answered nor cancelled.
    private(set) var open: [Transfer] = []
    /// What was called the next to be sent.
    private(set) var prepared: Transfer?
    private(set) var timer: UInt64?
    private(set) var outcomes: [ReportedOutcome] = []
    private(set) var effects: [UploadEffect] = []
    private(set) var states: [UploadState] = []
    private var waitingRead: ReadRequest?

    /// An uploader with a recording of so many positions and a way to the destination.
    init(
        _ configuration: UploadConfiguration = Samples.configuration(.overland), positions: Int64 = 0,
        random: Double = 0.5, isReachable: Bool = true
    ) {
        uploader = Uploader(configuration, random: { random })
        last = positions
        open(cursor: 0)
        if isReachable { notify(Samples.target(.reachable)) }
    }

    var state: UploadState { uploader.report.state }

    /// A new process for the same recording and destination.
    mutating func restart(_ configuration: UploadConfiguration? = nil) {
        uploader = Uploader(configuration ?? uploader.configuration, random: { 0.5 })
        open = []
        timer = nil
        waitingRead = nil
        open(cursor: cursor)
        notify(Samples.target(.reachable))
    }

    mutating func open(cursor: Int64) {
        perform(uploader.recordingOpened(Samples.recording, cursor: cursor, last: max(last, cursor), at: now))
    }

    mutating func notify(_ target: TargetReachability) { perform(uploader.pathReported(target, at: now)) }

    mutating func record(_ count: Int64 = 1) {
        last += count
        guard let request = waitingRead else { return }
        waitingRead = nil
        perform(uploader.read(page(request), for: request, at: now))
    }

    /// Does something to the uploader and carries out what it wants.
    mutating func act(_ body: (inout Uploader, UploadTime) -> [UploadEffect]) { perform(body(&uploader, now)) }

    mutating func pass(_ duration: Duration) {
        let end = now.monotonic + duration.nanoseconds
        while let at = timer, at <= end {
            advance(to: max(at, now.monotonic))
            timer = nil
            perform(uploader.timerFired(at: now))
        }
        advance(to: end)
    }

    /// Lets the machine sleep: the wall clock goes on, the monotonic one does not.
    mutating func sleep(_ duration: Duration) {
        now.utc = UTCTime(microseconds: now.utc.microseconds + Int64(duration.nanoseconds / 1_000))
    }

    /// Lets time pass until something is on its way, at most so much.
    mutating func wait(atMost duration: Duration = .seconds(300)) {
        let end = now.monotonic + duration.nanoseconds
        while open.isEmpty, let at = timer, at <= end {
            advance(to: max(at, now.monotonic))
            timer = nil
            perform(uploader.timerFired(at: now))
        }
    }

    /// The recording has stored what it was told last.
    mutating func store() throws {
        cursor = max(cursor, try #require(acknowledgements.last))
        perform(uploader.acknowledged(upTo: cursor, at: now))
    }

    /// Answers the transfer that was begun first of those that are open.
    mutating func answer(_ answer: HTTPAnswer) throws {
        let transfer = try #require(open.first, "something is on its way")
        open.removeFirst()
        perform(uploader.answered(transfer.id, with: answer, at: now))
    }

    mutating func fail(_ failure: UploadFailure) throws {
        let transfer = try #require(open.first, "something is on its way")
        open.removeFirst()
        perform(uploader.failed(transfer.id, failure, at: now))
    }

    mutating func confirm(_ sequence: Int64, reason: UInt8 = 0) throws {
        let index = try #require(open.firstIndex { $0.positions.first?.sequence == sequence })
        let transfer = open.remove(at: index)
        perform(uploader.published([BrokerConfirmation(transfer.id, reason: reason)], at: now))
    }

    /// The broker's confirmations of these positions come at once.
    mutating func confirm(together sequences: [Int64], reason: UInt8 = 0) throws {
        let confirmations = try sequences.map { sequence in
            let index = try #require(open.firstIndex { $0.positions.first?.sequence == sequence })
            return BrokerConfirmation(open.remove(at: index).id, reason: reason)
        }
        perform(uploader.published(confirmations, at: now))
    }

    /// Answers everything as a judge says until nothing is on its way or so many were answered.
    mutating func serve(
        most: Int = 10_000, _ classify: (Transfer) -> HTTPAnswer = { _ in Samples.ok },
        stopping isEnough: (Bench) -> Bool = { _ in false }
    ) throws {
        for _ in 0..<most {
            guard !isEnough(self), let transfer = open.first else { return }
            try answer(classify(transfer))
        }
        Issue.record("it never ends")
    }

    private mutating func advance(to monotonic: UInt64) {
        let passed = monotonic - now.monotonic
        now = UploadTime(
            monotonic: monotonic, utc: UTCTime(microseconds: now.utc.microseconds + Int64(passed / 1_000)))
    }

    private func page(_ request: ReadRequest) -> RecordedPage {
        guard request.after < last else { return RecordedPage([], last: last) }
        let numbers = ((request.after + 1)...last).lazy.filter { deadLetters[$0] == nil }.prefix(request.limit)
        return RecordedPage(numbers.map { Samples.position($0) }, last: last)
    }

    private mutating func perform(_ first: [UploadEffect]) {
        var rest = first[...]
        while let effect = rest.popFirst() {
            effects.append(effect)
            switch effect {
            case .read(let request):
                let page = page(request)
                if page.positions.isEmpty, request.waits {
                    waitingRead = request
                } else {
                    rest += uploader.read(page, for: request, at: now)
                }
            case .readRejected(let after, let limit):
                let numbers = deadLetters.keys.filter { $0 > after }.sorted().prefix(limit)
                rest += uploader.readRejected(
                    RejectedPage(
                        numbers.map {
                            RejectedPage.Letter(
                                Samples.position($0), rejectedAt: rejectedAt[$0] ?? UTCTime(microseconds: 0))
                        }), at: now)
            case .send(let transfer):
                sent.append(transfer)
                open.append(transfer)
            case .prepare(let transfer): prepared = transfer
            case .cancel(let id): open.removeAll { $0.id == id }
            case .acknowledge(let number):
                acknowledgements.append(number)
                guard storesAtOnce else { break }
                cursor = max(cursor, number)
                rest += uploader.acknowledged(upTo: number, at: now)
            case .reject(let number, let letter):
                deadLetters[number] = letter
                rejectedAt[number] = rejectedAt[number] ?? now.utc
                rest += uploader.rejected(number, at: now)
            case .revive(let number):
                deadLetters[number] = nil
                rejectedAt[number] = nil
            case .armTimer(let at): timer = at
            case .disarmTimer: timer = nil
            case .reportOutcome(let outcome): outcomes.append(outcome)
            case .publish(let report): states.append(report.state)
            case .connect, .disconnect: break
            }
        }
    }
}

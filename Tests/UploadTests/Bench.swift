import Durations
import Location
import NetworkPaths
import Testing

@testable import Upload

/// An uploader under test: a recording that replies at once, a clock that the test advances, transfers to which the
/// test replies.
struct Bench {
    private(set) var uploader: Uploader
    private(set) var now = Instant(
        monotonicNanoseconds: 1_000_000_000, utc: UTCTime(microseconds: Samples.begin + 1_000_000_000))
    /// The number of positions in the recording: their sequence numbers begin at 1 and have no gaps.
    private(set) var last: Int64 = 0
    private(set) var cursor: Int64 = 0
    /// The acknowledgements that the recording received, in order.
    private(set) var acknowledgements: [Int64] = []
    /// The counts that the recording has stored with its cursor.
    private(set) var counted = (sent: Int64(0), filtered: Int64(0))
    private var unstored: [Acknowledgement] = []
    /// Whether the recording stores an acknowledgement at once, or when the test calls `store`.
    var storesAtOnce = true
    private(set) var deadLetters: [Int64: DestinationRefusal] = [:]
    /// The dead letters that were accepted after all: the recording has no position with these numbers any more.
    private var revived: Set<Int64> = []
    /// When each dead letter became one.
    private(set) var rejectedAt: [Int64: UTCTime] = [:]
    /// Every transfer that was started, in order.
    private(set) var sent: [Transfer] = []
    /// The transfers without a response that are not cancelled.
    private(set) var open: [Transfer] = []
    /// The transfer that was announced as the next one.
    private(set) var prepared: Transfer?
    private(set) var timer: UInt64?
    private(set) var outcomes: [ReportedOutcome] = []
    private(set) var effects: [UploadEffect] = []
    private(set) var states: [UploadState] = []
    /// The acknowledgements of events of regions that the daemon received, in order.
    private(set) var acknowledgedEvents: [Int64] = []
    /// The statuses with which messages about regions were refused for good.
    private(set) var refusedMessages: [Int] = []
    private var waitingRead: ReadRequest?

    /// An uploader with a recording of `positions` positions and a network path to the destination.
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

    /// Starts a new process for the same recording and destination.
    mutating func restart(_ configuration: UploadConfiguration? = nil) {
        uploader = Uploader(configuration ?? uploader.configuration, random: { 0.5 })
        open = []
        timer = nil
        waitingRead = nil
        open(cursor: cursor)
        notify(Samples.target(.reachable))
    }

    mutating func open(cursor: Int64) {
        perform(
            uploader.recordingOpened(
                Samples.recording, cursor: cursor, last: max(last, cursor), sent: counted.sent,
                filtered: counted.filtered, at: now))
    }

    mutating func notify(_ target: TargetReachability) { perform(uploader.pathReported(target, at: now)) }

    mutating func record(_ count: Int64 = 1) {
        last += count
        guard let request = waitingRead else { return }
        waitingRead = nil
        perform(uploader.read(page(request), for: request, at: now))
    }

    /// Calls the uploader and performs the effects.
    mutating func act(_ body: (inout Uploader, Instant) -> [UploadEffect]) { perform(body(&uploader, now)) }

    mutating func pass(_ duration: Duration) {
        let end = now.monotonicNanoseconds + duration.nanoseconds
        while let at = timer, at <= end {
            advance(to: max(at, now.monotonicNanoseconds))
            timer = nil
            perform(uploader.timerFired(at: now))
        }
        advance(to: end)
    }

    /// Suspends the machine: the wall clock advances, the monotonic clock does not.
    mutating func sleep(_ duration: Duration) {
        now.utc = UTCTime(microseconds: now.utc.microseconds + Int64(duration.nanoseconds / 1_000))
    }

    /// Advances the time until a transfer is in flight, at most by `duration`.
    mutating func wait(atMost duration: Duration = .seconds(300)) {
        let end = now.monotonicNanoseconds + duration.nanoseconds
        while open.isEmpty, let at = timer, at <= end {
            advance(to: max(at, now.monotonicNanoseconds))
            timer = nil
            perform(uploader.timerFired(at: now))
        }
    }

    /// The recording has stored the last acknowledgement.
    mutating func store() throws {
        let acknowledgement = try #require(unstored.last)
        unstored.removeLast()
        store(acknowledgement)
        perform(uploader.acknowledged(upTo: cursor, at: now))
    }

    /// Replies to the oldest open transfer.
    mutating func answer(_ answer: HTTPAnswer) throws {
        let transfer = try #require(open.first, "a transfer is in flight")
        open.removeFirst()
        perform(uploader.answered(transfer.id, with: answer, at: now))
    }

    mutating func fail(_ failure: UploadFailure) throws {
        let transfer = try #require(open.first, "a transfer is in flight")
        open.removeFirst()
        perform(uploader.failed(transfer.id, failure, at: now))
    }

    mutating func confirm(_ sequence: Int64, reason: UInt8 = 0) throws {
        let index = try #require(open.firstIndex { $0.positions.first?.sequence == sequence })
        let transfer = open.remove(at: index)
        perform(uploader.published([BrokerConfirmation(transfer.id, reason: reason)], at: now))
    }

    /// The broker's confirmation of a transfer.
    mutating func confirm(_ transfer: Transfer, reason: UInt8 = 0) throws {
        open.removeAll { $0.id == transfer.id }
        perform(uploader.published([BrokerConfirmation(transfer.id, reason: reason)], at: now))
    }

    /// The broker's confirmations of these positions arrive together.
    mutating func confirm(together sequences: [Int64], reason: UInt8 = 0) throws {
        let confirmations = try sequences.map { sequence in
            let index = try #require(open.firstIndex { $0.positions.first?.sequence == sequence })
            return BrokerConfirmation(open.remove(at: index).id, reason: reason)
        }
        perform(uploader.published(confirmations, at: now))
    }

    /// Replies to every transfer with the result of a closure until no transfer is in flight, or until the limit of
    /// replies is reached.
    mutating func serve(
        most: Int = 10_000, _ classify: (Transfer) -> HTTPAnswer = { _ in Samples.ok },
        stopping isEnough: (Bench) -> Bool = { _ in false }
    ) throws {
        for _ in 0..<most {
            guard !isEnough(self), let transfer = open.first else { return }
            try answer(classify(transfer))
        }
        Issue.record("the uploader never finishes")
    }

    private mutating func store(_ acknowledgement: Acknowledgement) {
        guard acknowledgement.upTo > cursor else { return }
        cursor = acknowledgement.upTo
        counted.sent += acknowledgement.sent
        counted.filtered += acknowledgement.filtered
    }

    private mutating func advance(to monotonic: UInt64) {
        let passed = monotonic - now.monotonicNanoseconds
        now = Instant(
            monotonicNanoseconds: monotonic, utc: UTCTime(microseconds: now.utc.microseconds + Int64(passed / 1_000)))
    }

    private func page(_ request: ReadRequest) -> RecordedPage {
        guard request.after < last else { return RecordedPage([], last: last) }
        let numbers = ((request.after + 1)...last).lazy.filter { deadLetters[$0] == nil && !revived.contains($0) }
            .prefix(request.limit)
        return RecordedPage(numbers.map { Samples.position($0) }, last: last)
    }

    private mutating func perform(_ first: [UploadEffect]) {
        var rest = first[...]
        while true {
            if rest.isEmpty { rest += uploader.rest(at: now) }
            guard let effect = rest.popFirst() else { return }
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
            case .acknowledge(let acknowledgement):
                acknowledgements.append(acknowledgement.upTo)
                guard storesAtOnce else {
                    unstored.append(acknowledgement)
                    break
                }
                store(acknowledgement)
                rest += uploader.acknowledged(upTo: acknowledgement.upTo, at: now)
            case .reject(let number, let letter):
                deadLetters[number] = letter
                rejectedAt[number] = rejectedAt[number] ?? now.utc
                rest += uploader.rejected(number, at: now)
            case .revive(let number):
                rejectedAt[number] = nil
                guard deadLetters.removeValue(forKey: number) != nil else { break }
                counted.sent += 1
                revived.insert(number)
                rest += uploader.revived(number, at: now)
            case .acknowledgeRegions(let number):
                acknowledgedEvents.append(number)
                rest += uploader.regionsAcknowledged(upTo: number, at: now)
            case .readRegions: break
            case .regionMessageRefused(let status): refusedMessages.append(status)
            case .armTimer(let at): timer = at
            case .disarmTimer: timer = nil
            case .reportOutcome(let outcome): outcomes.append(outcome)
            case .publish(let report): states.append(report.state)
            case .connect, .disconnect: break
            }
        }
    }
}

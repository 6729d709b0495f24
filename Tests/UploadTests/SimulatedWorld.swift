import Location
import TestSupport

@testable import Upload

/// A recording, a network, a destination and an uploader between them, driven by a random generator. It collects
/// violations of the invariants.
struct SimulatedWorld {
    enum Event {
        case page(ReadRequest)
        case rejectedPage(after: Int64, limit: Int)
        case arrival(Transfer, process: Int)
        case answer(UInt64, HTTPAnswer, taken: [Int64])
        case failure(UInt64, UploadFailure)
        case confirmation(UInt64, taken: [Int64])
        case publishRefusal(UInt64)
        case acknowledgement(Acknowledgement)
        case revival(Int64)
        case rejection(Int64, DestinationRefusal)
        case border(BorderEvent)
        case regionAcknowledgement(Int64)
        case connection(isResumed: Bool)
        case connectionLoss
        case refusal(UInt8)
    }

    /// The current behaviour of the destination.
    enum Mood: CaseIterable {
        case healthy, slow, silent, failing, busy, small, portal, closed, forgetful, unauthorized, wrong, deaf, refusing
    }

    var violations: [String] = []
    var states: Set<String> = []

    var random: SeededGenerator
    let configuration: UploadConfiguration
    var uploader: Uploader
    var now: UInt64 = 1_000_000_000
    var timer: UInt64?
    var queue: [(at: UInt64, order: Int, event: Event)] = []
    var order = 0

    var recorded: [Int64] = []
    var cursor: Int64 = 0
    /// The count stored with the cursor, and the numbers that it has to count.
    var countedSent: Int64 = 0
    var counted: Set<Int64> = []
    /// Whether the recording is storing an acknowledgement, and when it received the last one.
    var isReporting = false
    var reportedAt: UInt64?
    var deadLetters: [Int64: DestinationRefusal] = [:]
    /// The dead letters that were accepted after all: the recording has no position with these numbers any more.
    var revived: Set<Int64> = []
    /// When each dead letter became one.
    var rejectedAt: [Int64: UTCTime] = [:]
    /// The newest accepted transfer that the current uploader process knows of. For each position that was refused
    /// alone: the transfer of its first refusal, and the newest accepted transfer at its last refusal.
    var newestAccepted: UInt64 = 0
    var refusalsReported: [Int64: (first: UInt64, newestAcceptedAtLast: UInt64)] = [:]
    /// The positions that were suspects of any uploader process while others were sent.
    var overtaken: Set<Int64> = []
    var waitingRead: ReadRequest?
    var isDaemonThere = false

    var mood = Mood.healthy
    /// The number of mood changes, and the moods in which each valid position was refused.
    var moods = 0
    var refusals: [Int64: Set<Int>] = [:]
    let poison: Set<Int64>
    let mostAtOnce: Int
    /// How often the destination has stored each position, and the order in which it first stored those of the history
    /// lane.
    var stored: [Int64: Int] = [:]
    var historyStored: Int64 = 0
    /// The positions that the current uploader process knows to be stored at the destination.
    var reportedAccepted: Set<Int64> = []
    /// The positions that any uploader process knew to be stored.
    var everAccepted: Set<Int64> = []

    var regions = SimulatedRegions()
    var target = Samples.target(.reachable)
    var isPaused = false
    /// The number of the uploader process: responses to an earlier process are dropped.
    var process = 0
    var cancelled: Set<UInt64> = []
    /// The unconfirmed messages of a broker's client, and whether the broker has a session to resume.
    var published: [Transfer] = []
    var isLinked = false
    /// When the last message reaches the broker: messages arrive in order.
    var lastArrival: UInt64 = 0
    var hasSession = false
    var highestFirst: Int64 = 0
    var everSent: Set<Int64> = []

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let formats: [(UploadFormat, Bool)] = [
            (.overland, false), (.geojson, false), (.osmand, false), (.owntracks, false), (.owntracks, true),
        ]
        let (format, broker) = formats[Int.random(in: 0..<formats.count, using: &random)]
        var configuration = Samples.configuration(format, broker: broker)
        configuration.queue.batchLimit = [1, 7, 40, 200][Int.random(in: 0..<4, using: &random)]
        configuration.queue.order = Int.random(in: 0..<5, using: &random) == 0 ? .newest : .oldest
        configuration.queue.expensive = Bool.random(using: &random) ? .defer : .send
        configuration.queue.deferAtMost = .seconds(Int.random(in: 0...600, using: &random))
        configuration.mqtt.window = Int.random(in: 1...20, using: &random)
        self.configuration = configuration
        let share = [0, 0, 1, 5, 40][Int.random(in: 0..<5, using: &random)]
        var poison: Set<Int64> = []
        for number in 1...3_000 where Int.random(in: 0..<100, using: &random) < share { poison.insert(Int64(number)) }
        self.poison = broker ? [] : poison
        mostAtOnce = Int.random(in: 1...60, using: &random)
        uploader = Uploader(configuration, random: { 0.5 })
        self.random = random
        record(Int.random(in: 0...300, using: &self.random))
    }

    /// Runs the world with failures for a while, then without any, and checks the final state.
    mutating func run() {
        start()
        for _ in 0..<Int.random(in: 5...60, using: &random) where violations.isEmpty {
            disturb()
            run(for: UInt64.random(in: 1...40_000, using: &random) * 1_000_000)
        }
        heal()
        // A quarter of an hour for a block, five minutes for a backoff, and time to send.
        run(for: 3_600_000_000_000)
        classify()
        classifyRegions()
    }

    // Random choices.

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func disturb() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<5:
            mood = Mood.allCases.randomElement(using: &random) ?? .healthy
            moods += 1
        case 5..<8: changePath()
        case 8: cross(Int.random(in: 0...12, using: &random))
        case 9..<12: record(Int.random(in: 0...60, using: &random))
        case 12: start()
        case 13:
            isPaused = true
            perform(uploader.pause(at: time))
        case 14:
            isPaused = false
            perform(uploader.resume(at: time))
        case 15: perform(uploader.flush(at: time))
        case 16: perform(uploader.retryRejected(at: time))
        case 17:
            loseDaemon()
        case 18: if !isDaemonThere { findDaemon() }
        default:
            if isLinked { dropConnection() }
            var other = uploader.configuration
            other.queue.batchLimit = Int.random(in: 1...80, using: &random)
            hasSession = hasSession && chance(50)
            published = []
            perform(uploader.configure(other, at: time))
        }
    }

    mutating func changePath() {
        let generation = target.generation + Int64.random(in: 1...2, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
            target = Samples.target(.unreachable, .noRoute, generation: generation)
            if isLinked { dropConnection(silently: true) }
        case 2: target = Samples.target(.unknown, .nameServerNotAnswering, generation: generation)
        default:
            target = Samples.target(
                .reachable, generation: generation, expensive: chance(30),
                index: Int32.random(in: 2...3, using: &random)
            )
        }
        perform(uploader.pathReported(target, at: time))
    }

    mutating func heal() {
        mood = .healthy
        if !isDaemonThere { findDaemon() }
        isPaused = false
        perform(uploader.resume(at: time))
        target = Samples.target(.reachable, generation: target.generation + 1)
        perform(uploader.pathReported(target, at: time))
    }

    /// Starts a new uploader process: of the one before only the state of the recording and of the destination remains.
    mutating func start() {
        queue = queue.filter { if case .arrival = $0.event { true } else { false } }
        timer = nil
        waitingRead = nil
        reportedAccepted = []
        (newestAccepted, refusalsReported) = (0, [:])
        if configuration.usesBroker { queue = [] }
        cancelled = []
        published = []
        isLinked = false
        everSent = []
        highestFirst = cursor
        uploader = Uploader(uploader.configuration, random: { 0.5 })
        process += 1
        isDaemonThere = false
        (regions.isStreaming, regions.confirmed) = (false, 0)
        if isPaused { perform(uploader.pause(at: time)) }
        findDaemon()
        startRegions()
        perform(uploader.pathReported(target, at: time))
    }

    mutating func findDaemon() {
        isDaemonThere = true
        isReporting = false
        reportedAt = nil
        perform(
            uploader.recordingOpened(
                Samples.recording, cursor: cursor, last: recorded.last ?? 0, sent: countedSent, at: time))
        if uploader.regions.waypoints != nil { openRegions() }
    }

    /// Stops the daemon: calls without a reply are lost, whether they were performed or not.
    mutating func loseDaemon() {
        guard isDaemonThere else { return }
        loseRegions()
        isDaemonThere = false
        waitingRead = nil
        for case .acknowledgement(let acknowledgement) in queue.map(\.event) where chance(50) {
            confirmCursor(acknowledgement)
        }
        queue.removeAll {
            switch $0.event {
            case .page, .rejectedPage, .acknowledgement, .rejection, .revival: true
            default: false
            }
        }
        perform(uploader.recordingLost(isWithdrawn: false, at: time))
    }

    mutating func dropConnection(silently: Bool = false) {
        isLinked = false
        queue.removeAll {
            switch $0.event {
            case .arrival, .confirmation, .connection, .connectionLoss: configuration.usesBroker
            default: false
            }
        }
        if !silently { perform(uploader.connectionLost(.connectionLost, at: time)) }
    }

    // Time.

    var time: Instant {
        Instant(monotonicNanoseconds: now, utc: UTCTime(microseconds: Samples.begin + Int64(now / 1_000)))
    }

    mutating func schedule(_ event: Event, milliseconds: ClosedRange<UInt64>) {
        order += 1
        let at = now + UInt64.random(in: milliseconds, using: &random) * 1_000_000
        queue.append((at, order, event))
    }

    /// Schedules the arrival of a message at the broker after all that were sent before it.
    mutating func scheduleArrival(_ transfer: Transfer) {
        schedule(.arrival(transfer, process: process), milliseconds: 1...50)
        lastArrival = max(lastArrival, queue[queue.count - 1].at)
        queue[queue.count - 1].at = lastArrival
    }

    mutating func run(for nanoseconds: UInt64) {
        let end = now + nanoseconds
        for _ in 0..<60_000 {
            let next = queue.indices.min { (queue[$0].at, queue[$0].order) < (queue[$1].at, queue[$1].order) }
            let at = min(next.map { queue[$0].at } ?? .max, timer ?? .max)
            guard at <= end else {
                now = end
                return
            }
            now = max(now, at)
            if let timer, timer <= now, next.map({ queue[$0].at >= timer }) ?? true {
                self.timer = nil
                perform(uploader.timerFired(at: time))
            } else if let next {
                happen(queue.remove(at: next).event)
            }
            guard violations.isEmpty else { return }
        }
        violations.append("the world makes no progress in time")
    }

    mutating func record(_ count: Int) {
        for _ in 0..<count {
            recorded.append((recorded.last ?? 0) + Int64(chance(90) ? 1 : Int.random(in: 2...9, using: &random)))
        }
        if count > 0, let request = waitingRead {
            waitingRead = nil
            schedule(.page(request), milliseconds: 0...5)
        }
    }
}

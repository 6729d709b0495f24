import Durations
import Location
import NetworkPaths

/// Carries a recording to a destination: what happens goes in with its time, what to do comes out. It touches nothing
/// itself.
///
/// Every position that was recorded is, at every moment, exactly one of: acknowledged by the destination, a dead letter,
/// waiting. Only the first two let the cursor of the recording pass, and only then does anything become erasable.
public struct Uploader: Sendable {
    /// What is known of the way to the destination.
    enum PathState: Equatable {
        /// It was asked for and not told yet.
        case requested
        /// It was told.
        case reported(TargetReachability)
        /// Nobody tells: it is tried.
        case unknown
    }

    /// Why nothing is begun for a while.
    enum Hold: Equatable {
        case backingOff(until: UInt64, attempt: Int, because: UploadFailure)
        case blocked(BlockReason, until: UInt64)

        var until: UInt64 {
            switch self {
            case .backingOff(let until, _, _), .blocked(_, let until): until
            }
        }
    }

    /// A read out of turn.
    enum Wanted {
        /// The last position of the recording.
        case last
        /// A position far from those that were rejected.
        case witness
    }

    /// The connection to a broker.
    enum Link: Equatable {
        case down
        case connecting(deadline: UInt64)
        case up
    }

    /// A transfer that was begun.
    struct InProgress: Equatable {
        var transfer: Transfer
        var startedAt: UInt64
        var deadline: UInt64
    }

    /// A pass over the dead letters.
    struct RejectedPass: Equatable {
        var after: Int64 = 0
        /// Only those are sent again that became dead letters at this time or later; nil for all.
        var since: UTCTime?
        /// How many more are sent again.
        var room = Int.max
        var positions: [RecordedPosition] = []
        var isReading = false
        var isComplete = false
    }

    /// How often at most the newest position is sent before its turn.
    static let currentInterval = Duration.seconds(60)
    /// How many positions have to wait at least for that.
    static let shortestBacklog = 16
    /// How many positions are looked at for one that is far from those that were rejected.
    static let witnessPage = 16
    /// After how long without an answer the report says so.
    static let silence = Duration.seconds(10)
    /// How many dead letters are read at once.
    static let rejectedPage = 16
    /// How often at most the recording is told how far it is settled while more is under way: it makes that durable each
    /// time, and nothing is read meanwhile.
    static let acknowledgementInterval = Duration.milliseconds(20)
    /// How long the recording is left alone after that where it has taken long: so many times what it took, up to the
    /// longest such pause.
    static let acknowledgementRest: UInt64 = 4
    static let longestAcknowledgementRest = Duration.seconds(1)

    /// What is sent where.
    public internal(set) var configuration: UploadConfiguration
    /// How it stands.
    public internal(set) var report = UploadReport(state: .waitingForRecording)

    /// Whether the configuration can be used.
    var isConfigured: Bool
    let random: @Sendable () -> Double
    var effects: [UploadEffect] = []
    var outbox: Outbox?
    var isRecordingOpen = false
    var path = PathState.requested
    var isPaused = false
    var hold: Hold?
    /// Attempts that failed in a row.
    var attempts = 0
    /// When the first of the last attempts was begun that ended without any answer in time, one after the other;
    /// nanoseconds of the monotonic clock.
    var silentSince: UInt64?
    var pace: BatchPace
    /// What is under way, in the order in which it was begun, and so of its deadlines.
    var transfers: ArraySlice<InProgress> = []
    var nextTransferID: UInt64 = 1
    var link = Link.down
    /// What was called the next to be sent.
    var prepared: Transfer?

    /// Whether what waits is sent although a better way would be waited for.
    var isReleased = false
    /// Until when the oldest position may wait for a better way, and which one that is.
    var deferral: (sequence: Int64, until: UInt64)?
    /// When the newest position was sent before its turn.
    var currentSentAt: UInt64?
    /// What is to be read before anything is sent.
    var wanted: Wanted?
    /// The largest number that was sent.
    var highestSent: Int64 = 0

    /// Whether refusals concern positions or the whole destination, while that is open.
    var trial = RejectionTrial()
    /// Dead letters that are not durable yet.
    var deadLetters: [Int64: DeadLetter] = [:]
    var rejectedPass: RejectedPass?
    /// Whether an operator wants all dead letters to be sent once more after the pass that is under way.
    var isFullPassWanted = false

    var reading: ReadRequest?
    var acknowledging: Int64?
    var acknowledged: Int64 = 0
    /// Before when the recording is not told again while more is under way.
    var nextAcknowledgement: UInt64 = 0
    /// When it was told last.
    var acknowledgingSince: UInt64 = 0
    var armed: UInt64?
    var lastOutcome: ReportedOutcome?
    /// How it stood when that was published last.
    var reported: UploadReport?

    /// An uploader that waits for its recording and for what is told of the way. One that is not complete, as a credential
    /// is missing, sends nothing. `random` gives numbers from 0 up to but not including 1.
    public init(
        _ configuration: UploadConfiguration, isComplete: Bool = true,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.configuration = configuration
        self.random = random
        isConfigured = isComplete && configuration.objections.isEmpty
        pace = Self.pace(for: configuration)
    }

    /// How many at once at most: of messages, or of positions in a request.
    static func pace(for configuration: UploadConfiguration) -> BatchPace {
        guard !configuration.usesBroker else { return BatchPace(most: configuration.mqtt.window) }
        guard configuration.destination.format?.acceptsBatches == true else { return BatchPace(most: 1) }
        let bytes = Int(clamping: configuration.queue.batchBytes)
        let fitting = RequestWriter(configuration).positionsFitting(bytes)
        return BatchPace(most: max(1, min(configuration.queue.batchLimit, fitting)))
    }

    // The recording.

    /// The recording can be read: everything up to the cursor is settled, `last` is the largest number that it has.
    public mutating func recordingOpened(
        _ recording: RecordingID, cursor: Int64, last: Int64, at now: UploadTime
    ) -> [UploadEffect] {
        isRecordingOpen = true
        reading = nil
        acknowledging = nil
        acknowledged = cursor
        nextAcknowledgement = 0
        if let outbox, outbox.recording == recording, cursor <= outbox.cursor {
            for (number, letter) in deadLetters.sorted(by: { $0.key < $1.key }) {
                effects.append(.reject(number, letter))
            }
        } else {
            abandonTransfers()
            trial = RejectionTrial()
            // Whether the process before this one saw the destination refuse everything is not known.
            trial.requeue(RejectionTrial.doubtedAtStart, before: now.utc)
            deadLetters = [:]
            outbox = Outbox(recording: recording, cursor: cursor, last: last)
            highestSent = cursor
        }
        return conclude(at: now)
    }

    /// The recording cannot be read any more. Where its positions may not be sent any more either (`isWithdrawn`), they
    /// are forgotten at once.
    public mutating func recordingLost(isWithdrawn: Bool, at now: UploadTime) -> [UploadEffect] {
        isRecordingOpen = false
        reading = nil
        acknowledging = nil
        // Its dead letters are still to be sent once more.
        if let since = rejectedPass?.since { trial.requeue(since: since) }
        rejectedPass = nil
        isFullPassWanted = false
        if isWithdrawn {
            abandonTransfers()
            trial = RejectionTrial()
            deadLetters = [:]
            outbox = nil
        }
        return conclude(at: now)
    }

    /// A read has been answered.
    public mutating func read(_ page: RecordedPage, for request: ReadRequest, at now: UploadTime) -> [UploadEffect] {
        guard reading == request else {
            report.late += 1
            return conclude(at: now)
        }
        reading = nil
        wanted = nil
        if outbox?.append(page, for: request) != nil { noteNewPosition() }
        return conclude(at: now)
    }

    /// A read of dead letters has been answered.
    public mutating func readRejected(_ page: RejectedPage, at now: UploadTime) -> [UploadEffect] {
        if var pass = rejectedPass, pass.isReading {
            pass.isReading = false
            let found = page.letters.filter { $0.position.sequence > pass.after }
            pass.after = found.last?.position.sequence ?? pass.after
            let chosen = found.filter { letter in pass.since.map { letter.rejectedAt >= $0 } ?? true }.prefix(pass.room)
            pass.room -= chosen.count
            pass.isComplete = found.count < Self.rejectedPage || pass.room == 0
            pass.positions += chosen.map(\.position)
            rejectedPass = pass
        }
        return conclude(at: now)
    }

    /// The recording has stored how far it is settled.
    public mutating func acknowledged(upTo number: Int64, at now: UploadTime) -> [UploadEffect] {
        acknowledged = max(acknowledged, number)
        if acknowledging == number {
            acknowledging = nil
            let taken = now.monotonic - min(acknowledgingSince, now.monotonic)
            let rest = min(taken * Self.acknowledgementRest, Self.longestAcknowledgementRest.nanoseconds)
            nextAcknowledgement = max(nextAcknowledgement, now.monotonic + rest)
        }
        return conclude(at: now)
    }

    /// The recording has stored that this position is a dead letter.
    public mutating func rejected(_ number: Int64, at now: UploadTime) -> [UploadEffect] {
        if deadLetters.removeValue(forKey: number) != nil { outbox?.settle([number]) }
        return conclude(at: now)
    }

    // The machine.

    /// The wall clock was set, or the machine has slept, during which nothing that is waited for came nearer: what is
    /// waited for because of a position's age is reckoned anew, and what has failed is tried again.
    public mutating func clockChanged(hasSlept: Bool, at now: UploadTime) -> [UploadEffect] {
        deferral = nil
        if hasSlept { forgetFailures() }
        return conclude(at: now)
    }

    // Operators.

    /// Nothing more is begun.
    public mutating func pause(at now: UploadTime) -> [UploadEffect] {
        isPaused = true
        return conclude(at: now)
    }

    /// It goes on, at once.
    public mutating func resume(at now: UploadTime) -> [UploadEffect] {
        isPaused = false
        forgetFailures()
        return conclude(at: now)
    }

    /// What waits is sent now, whatever the way costs and however long it was to wait.
    public mutating func flush(at now: UploadTime) -> [UploadEffect] {
        isReleased = true
        forgetFailures()
        return conclude(at: now)
    }

    /// The dead letters are tried once more, one by one.
    public mutating func retryRejected(at now: UploadTime) -> [UploadEffect] {
        guard isRecordingOpen else { return conclude(at: now) }
        if rejectedPass == nil {
            rejectedPass = RejectedPass()
        } else if rejectedPass?.since != nil {
            isFullPassWanted = true
        }
        return conclude(at: now)
    }

    /// Something else is to be sent elsewhere, or otherwise. What waits goes on waiting, wherever it was to go. Where the
    /// host or the port is another, nothing is sent until `pathReported` or `pathUnavailable` has been called for it.
    ///
    /// `isRenewed` says that credentials are others although the configuration is not.
    public mutating func configure(
        _ configuration: UploadConfiguration, isComplete: Bool = true, isRenewed: Bool = false, at now: UploadTime
    ) -> [UploadEffect] {
        let isConfigured = isComplete && configuration.objections.isEmpty
        guard configuration != self.configuration || isRenewed || isConfigured != self.isConfigured else {
            // Whoever says it again has perhaps changed something elsewhere.
            forgetFailures()
            return conclude(at: now)
        }
        abandonTransfers()
        outbox?.regroup()
        let (old, new) = (self.configuration.destination.url, configuration.destination.url)
        if old?.host != new?.host || old?.port != new?.port {
            path = .requested
            lastOutcome = nil
        }
        self.configuration = configuration
        self.isConfigured = isConfigured
        pace = Self.pace(for: configuration)
        forgetFailures()
        return conclude(at: now)
    }

    /// Begins anew as if nothing had failed.
    mutating func forgetFailures() {
        hold = nil
        attempts = 0
        silentSince = nil
        trial.blockages = 0
        endTrial()
    }

    /// Gives up everything that is under way; its positions wait for their turn.
    mutating func abandonTransfers() {
        for inProgress in transfers {
            effects.append(.cancel(inProgress.transfer.id))
            switch inProgress.transfer.lane {
            case .history, .current, .probe: outbox?.putBack(inProgress.transfer.positions)
            case .rejected: rejectedPass?.positions.insert(contentsOf: inProgress.transfer.positions, at: 0)
            }
        }
        transfers = []
        endTrial()
        trial.confirmations = []
        if prepared != nil { effects.append(.prepare(nil)) }
        prepared = nil
        if link != .down {
            link = .down
            effects.append(.disconnect)
        }
    }
}

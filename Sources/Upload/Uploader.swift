import Durations
import Location
import NetworkPaths

/// Sends a recording to a destination. Each method handles one event with its time and returns effects; the uploader
/// itself performs no input or output. When the effects are performed, `rest` returns those that could wait.
///
/// Every recorded position is always exactly one of: acknowledged by the destination, a dead letter, or waiting. The
/// cursor of the recording passes a position only in the first two cases, and only then may the position be erased.
/// A position that the filter of the destination leaves out is settled when it is read.
public struct Uploader: Sendable {
    /// The knowledge about the network path to the destination.
    enum PathState: Equatable {
        /// The path was requested and not reported yet.
        case requested
        /// The path was reported.
        case reported(TargetReachability)
        /// No reports are available: sending is tried without them.
        case unknown
    }

    /// The reason why nothing is sent for a while.
    enum Hold: Equatable {
        case backingOff(until: UInt64, attempt: Int, because: UploadFailure)
        case blocked(BlockReason, until: UInt64)

        var until: UInt64 {
            switch self {
            case .backingOff(let until, _, _), .blocked(_, let until): until
            }
        }
    }

    /// A read outside the order of the queue.
    enum Wanted {
        /// The last position of the recording.
        case last
        /// A position far from those that were refused.
        case witness
    }

    /// The connection to a broker.
    enum Link: Equatable {
        case down
        case connecting(deadline: UInt64)
        case up
    }

    /// A transfer in flight.
    struct InProgress: Equatable {
        var transfer: Transfer
        var startedAt: UInt64
        var deadline: UInt64
    }

    /// The shortest interval between newest positions that are sent ahead of the order.
    static let currentInterval = Duration.seconds(60)
    /// The least backlog for which the newest position is sent ahead of the order.
    static let shortestBacklog = 16
    /// The number of positions that are read to find one far from those that were refused.
    static let witnessPage = 16
    /// The time without a response after which the report mentions it.
    static let silence = Duration.seconds(10)
    /// The longest delay of an acknowledgement to the recording that covers only positions that the filter left out. Each
    /// acknowledgement is written durably, and a receiver may report ten such positions a second.
    static let filteredAcknowledgementDelay = Duration.seconds(10)
    /// The shortest interval between acknowledgements to the recording while transfers are in flight. Each one is
    /// written durably, and no read is possible meanwhile.
    static let acknowledgementInterval = Duration.milliseconds(100)
    /// The pause after a slow acknowledgement, as a multiple of the time that it needed, up to the longest such pause.
    static let acknowledgementRest: UInt64 = 4
    static let longestAcknowledgementRest = Duration.seconds(1)

    /// The destination and its settings.
    public internal(set) var configuration: UploadConfiguration
    /// The current status.
    public internal(set) var report = UploadReport(state: .waitingForRecording)

    /// Whether `rest` has something to decide.
    var isRestDue = false

    /// Whether the configuration can be used.
    var isConfigured: Bool
    let random: @Sendable () -> Double
    var effects: [UploadEffect] = []
    var outbox: Outbox?
    var isRecordingOpen = false
    var path = PathState.requested
    var isPaused = false
    var hold: Hold?
    /// The number of failed attempts in a row.
    var attempts = 0
    /// The start of the first attempt in the current series of attempts without any response; nanoseconds of the
    /// monotonic clock.
    var silentSince: UInt64?
    var pace: BatchPace
    /// The transfers in flight in the order of their start, which is the order of their deadlines.
    var transfers: ArraySlice<InProgress> = []
    var nextTransferID: UInt64 = 1
    var link = Link.down
    /// The transfer that was announced as the next one.
    var prepared: Transfer?

    /// Whether pending positions are sent although the policy would wait for a better path.
    var isReleased = false
    /// The time of the oldest deferred position or message and the end of its deferral.
    var deferral: (oldest: UTCTime, until: UInt64)?
    /// When the newest position was last sent ahead of the order.
    var currentSentAt: UInt64?
    /// Whether the destination has requested the newest position, and when it last did so.
    var isReportRequested = false
    var commandedAt: UInt64?
    /// When waypoints were last sent again because Home Assistant had started, and when they are to be sent again
    /// because it has started since.
    var consumerStartedAt: UInt64?
    var waypointsDue: UInt64?
    /// The newest position that was read.
    var newestRead: RecordedPosition?
    /// A read that has to precede the next transfer.
    var wanted: Wanted?
    /// The largest number that was sent.
    var highestSent: Int64 = 0

    /// Whether refusals concern positions or the whole destination, while this is undecided.
    var trial = RejectionTrial()
    /// Dead letters that are not durable yet.
    var deadLetters: [Int64: DestinationRefusal] = [:]
    var rejectedPass: RejectedPass?
    /// Whether an operator requested a pass over all dead letters that has not begun: the recording is not open, or
    /// transfers of another pass have no response yet.
    var isFullPassWanted = false

    /// The messages about the regions of the destination, and whether the daemon sends their events.
    var regions = RegionOutbox()
    var areRegionsOpen = false
    /// Whether a message about a region was sent last: then a position is sent before the next one.
    var sendsPositionsNext = false

    /// The filter of the positions that are read in their order.
    var filter = PositionFilter()
    /// When to acknowledge a cursor that has passed only positions that the filter left out; nil if there is another
    /// reason to acknowledge it.
    var filteredUntil: UInt64?

    var reading: ReadRequest?
    var acknowledging: Int64?
    var acknowledged: Int64 = 0
    /// The counts of positions since the recording began.
    var counts = SettledCounts()
    /// The earliest instant of the next acknowledgement while transfers are in flight.
    var nextAcknowledgement: UInt64 = 0
    /// The start of the last acknowledgement.
    var acknowledgingSince: UInt64 = 0
    var armed: UInt64?
    var lastOutcome: ReportedOutcome?
    /// The report that was published last.
    var reported: UploadReport?

    /// An uploader that waits for its recording and for the first report of the path. If `isConfigured` is false, for
    /// example because a credential is missing, it sends nothing. `random` returns numbers from 0 up to but not
    /// including 1.
    public init(
        _ configuration: UploadConfiguration, isComplete: Bool = true,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.configuration = configuration
        self.random = random
        isConfigured = isComplete && configuration.objections.isEmpty
        pace = Self.pace(for: configuration)
    }

    /// The limit of messages in flight for a broker, or of positions in a request for HTTP.
    static func pace(for configuration: UploadConfiguration) -> BatchPace {
        guard !configuration.usesBroker else { return BatchPace(most: configuration.mqtt.window) }
        guard configuration.destination.format?.acceptsBatches == true else { return BatchPace(most: 1) }
        let bytes = Int(clamping: configuration.queue.batchBytes)
        let fitting = RequestWriter(configuration).positionsFitting(bytes)
        return BatchPace(most: max(1, min(configuration.queue.batchLimit, fitting)))
    }

    // The recording.

    /// Handles a recording that became readable: all numbers up to the cursor are settled, `last` is its largest
    /// number. `sent` and `filtered` are the counts stored with the cursor.
    public mutating func recordingOpened(
        _ recording: RecordingID, cursor: Int64, last: Int64, sent: Int64 = 0, filtered: Int64 = 0, at now: Instant
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
            // Whether the destination refused everything during the previous process is unknown.
            trial.requeue(RejectionTrial.doubtedAtStart, before: now.utc)
            deadLetters = [:]
            outbox = Outbox(recording: recording, cursor: cursor, last: last)
            counts = SettledCounts()
            filter = PositionFilter()
            highestSent = cursor
            newestRead = nil
            isReportRequested = false
        }
        counts.sent.reopen(through: cursor, stored: sent)
        counts.filtered.reopen(through: cursor, stored: filtered)
        return conclude(at: now)
    }

    /// Handles a recording that is no longer readable. If its positions may no longer be sent either (`isWithdrawn`),
    /// they are discarded at once.
    public mutating func recordingLost(isWithdrawn: Bool, at now: Instant) -> [UploadEffect] {
        isRecordingOpen = false
        reading = nil
        acknowledging = nil
        // The pass over its dead letters is still to be completed.
        if let pass = rejectedPass {
            if let since = pass.since { trial.requeue(since: since) } else { isFullPassWanted = true }
        }
        rejectedPass = nil
        if isWithdrawn {
            abandonTransfers()
            trial = RejectionTrial()
            deadLetters = [:]
            outbox = nil
            newestRead = nil
            isReportRequested = false
        }
        return conclude(at: now)
    }

    /// Handles the result of a read.
    public mutating func read(_ page: RecordedPage, for request: ReadRequest, at now: Instant) -> [UploadEffect] {
        guard reading == request else {
            report.late += 1
            return conclude(at: now)
        }
        reading = nil
        wanted = nil
        append(page, for: request, at: now)
        return conclude(at: now)
    }

    /// Handles the result of a read of dead letters.
    public mutating func readRejected(_ page: RejectedPage, at now: Instant) -> [UploadEffect] {
        rejectedPass?.append(page)
        return conclude(at: now)
    }

    /// Handles the confirmation that the recording has stored the cursor.
    public mutating func acknowledged(upTo number: Int64, at now: Instant) -> [UploadEffect] {
        acknowledged = max(acknowledged, number)
        counts.store(through: number)
        if acknowledging == number {
            acknowledging = nil
            let taken = now.monotonicNanoseconds - min(acknowledgingSince, now.monotonicNanoseconds)
            let rest = min(taken * Self.acknowledgementRest, Self.longestAcknowledgementRest.nanoseconds)
            nextAcknowledgement = max(nextAcknowledgement, now.monotonicNanoseconds + rest)
        }
        return conclude(at: now)
    }

    /// Handles the confirmation that the recording has stored this position as a dead letter.
    public mutating func rejected(_ number: Int64, at now: Instant) -> [UploadEffect] {
        if deadLetters.removeValue(forKey: number) != nil { outbox?.settle([number]) }
        return conclude(at: now)
    }

    /// Handles the confirmation that the recording has removed the mark of a dead letter, and has counted its position
    /// as sent.
    public mutating func revived(_ number: Int64, at now: Instant) -> [UploadEffect] {
        counts.sent.stored += 1
        return conclude(at: now)
    }

    // The machine.

    /// Handles a change of the wall clock or a resume from sleep, during which the monotonic clock did not advance:
    /// deadlines that depend on the age of positions are computed again, and failed attempts are repeated.
    public mutating func clockChanged(hasSlept: Bool, at now: Instant) -> [UploadEffect] {
        deferral = nil
        if hasSlept { forgetFailures() }
        return conclude(at: now)
    }

    // Operators.

    /// Stops sending.
    public mutating func pause(at now: Instant) -> [UploadEffect] {
        isPaused = true
        return conclude(at: now)
    }

    /// Continues sending at once.
    public mutating func resume(at now: Instant) -> [UploadEffect] {
        isPaused = false
        forgetFailures()
        return conclude(at: now)
    }

    /// Sends all pending positions now, whatever the path costs and however long they were to be deferred.
    public mutating func flush(at now: Instant) -> [UploadEffect] {
        isReleased = true
        // Positions that the filter left out are acknowledged now as well: an operator waits for the last one.
        filteredUntil = nil
        forgetFailures()
        return conclude(at: now)
    }

    /// Sends the dead letters once more, one by one, as soon as the recording is open. The request is remembered until
    /// then, because the daemon has already confirmed it to the operator.
    public mutating func retryRejected(at now: Instant) -> [UploadEffect] {
        if rejectedPass == nil || rejectedPass?.since != nil { isFullPassWanted = true }
        return conclude(at: now)
    }

    /// Applies a changed configuration. Pending positions remain pending for the new destination. If the host or the
    /// port differs, nothing is sent until `pathReported` or `pathUnavailable` has been called for it.
    ///
    /// `waypoints` are the regions of the destination, nil if they remain as they are. All are sent again, also if nothing
    /// has changed. `isRenewed` means that the credentials have changed although the configuration has not.
    public mutating func configure(
        _ configuration: UploadConfiguration, waypoints: [Waypoint]? = nil, isComplete: Bool = true,
        isRenewed: Bool = false, at now: Instant
    ) -> [UploadEffect] {
        // Another destination may have none of them, and this one may have lost them, as Home Assistant has after a restart.
        if let waypoints { regions.replaceWaypoints(waypoints, at: now.utc) }
        regions.queueAllWaypoints(at: now.utc)
        let isConfigured = isComplete && configuration.objections.isEmpty
        guard configuration != self.configuration || isRenewed || isConfigured != self.isConfigured else {
            // An operator who loads the same configuration again may have changed something elsewhere.
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

    /// Clears all failures and waits.
    mutating func forgetFailures() {
        hold = nil
        attempts = 0
        silentSince = nil
        trial.blockages = 0
        endTrial()
    }

    /// Gives up all transfers in flight; their positions return to their places in the queue.
    mutating func abandonTransfers() {
        for inProgress in transfers {
            effects.append(.cancel(inProgress.transfer.id))
            switch inProgress.transfer.lane {
            case .requested: break
            case .region: regions.putBack()
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

import Interfaces
import Location
import NetworkPaths
import Platform
import Upload

/// Receives the status of an uploader.
@DaemonActor
public protocol UploadObserver: AnyObject {
    /// The reason why positions are not sent has changed, or no longer exists: a line for systemd's status.
    func statusChanged(_ line: String)
}

/// Performs the effects of an `Uploader`: reads and stores through the daemon, sends through a carrier, and reports the
/// state to the daemon and the observer.
@DaemonActor
public final class UploadProcess {
    /// Receives the status, if it is set.
    public weak var observer: (any UploadObserver)?

    private let name: String
    private let clock: any TimeSource
    private let link: DaemonLink
    private let regionLink: RegionLink
    private let makeCarrier: CarrierMaker
    private var setup: Setup
    private var uploader: Uploader
    private var carrier: (any Carrier)?
    /// The topics that an earlier carrier could not clear, and its broker.
    private var obsolete: (broker: DestinationURL?, topics: [String]) = (nil, [])
    private var reporter: StatusReporter?
    private var timer: TimerSource?
    /// The last report of the network path.
    private var reachability: TargetReachability?
    /// The transfers that the carrier has.
    private var inProgress: Set<UInt64> = []
    /// The pending effects, and whether they are being performed: effects of events during that time are appended.
    private var effects: [UploadEffect] = []
    private var isPerforming = false
    /// The last message of the daemon while the recording is unreadable.
    private var lossMessage: String?
    /// Whether the daemon sends the events of regions, and its last message where it does not.
    private var areRegionsOpen = false
    private var regionMessage: String?
    /// The carrier's message about the last failure, and the reason why there is no carrier.
    private var failureMessage: String?
    private var carrierProblem: String?
    private var lastSuccess: Double?
    private var sentBefore: UInt64 = 0
    private var news = ReportNews()
    private var saidLine = ""
    private var whenStopped: (@DaemonActor () -> Void)?

    /// Connects the parts; nothing is sent before `start`.
    public init(
        name: String, setup: Setup, socketPath: String, clock: any TimeSource = SystemClock(),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }, makeCarrier: @escaping CarrierMaker
    ) throws(SystemError) {
        self.name = name
        self.setup = setup
        self.clock = clock
        self.makeCarrier = makeCarrier
        link = try DaemonLink(name: name, socketPath: socketPath, clock: clock)
        regionLink = try RegionLink(name: name, plan: setup.regions, socketPath: socketPath, clock: clock)
        uploader = Uploader(setup.configuration, isComplete: setup.problem == nil, random: random)
        timer = try TimerSource(accuracy: .milliseconds(1)) { [weak self] in self?.perform { $0.timerFired(at: $1) } }
        reporter = try StatusReporter(clock: clock, link: link)
        reporter?.process = self
        link.process = self
        regionLink.process = self
    }

    /// The current state.
    public var state: UploadState { uploader.report.state }
    /// The current status, as reported to the daemon.
    public var status: UploadStatus {
        UploadStatus(
            uploader.report, setup, message: message, lastSuccess: lastSuccess,
            regions: areRegionsOpen ? .open : .closed(regionMessage), at: now)
    }

    // Start and stop.

    /// Starts as soon as the daemon is available.
    public func start() {
        renewCarrier()
        link.watch(target)
        link.open()
        if let problem = setup.problem { Log.error(problem) }
        if case .regions(let file) = setup.regions { perform { $0.replaceWaypoints(file.waypoints, at: $1) } }
        regionLink.open()
    }

    /// Applies a changed setup from now on; if nothing differs, failed attempts are repeated. Pending positions remain
    /// pending.
    public func configure(_ setup: Setup) {
        guard whenStopped == nil else { return }
        let old = self.setup
        self.setup = setup
        if let problem = setup.problem { Log.error(problem) }
        let isRenewed = setup.credentials != old.credentials
        // First, because following effects may send at once. Transfers of the old carrier end with it.
        if setup.configuration != old.configuration || isRenewed || carrier == nil {
            if let carrier {
                obsolete = (old.configuration.destination.url, carrier.retract(for: setup.configuration))
            }
            renewCarrier()
        }
        perform {
            $0.configure(
                setup.configuration, waypoints: setup.regions.waypoints, isComplete: setup.problem == nil,
                isRenewed: isRenewed, at: $1)
        }
        let oldTarget = Self.target(old.configuration)
        if target != oldTarget {
            reachability = nil
            link.watch(target)
        }
        link.retryNow()
        changeRegions(from: old.regions)
        reporter?.changed(isNews: true)
    }

    private func changeRegions(from old: RegionPlan) {
        if setup.regions != old {
            // Events of the earlier monitor are read again where they still exist.
            areRegionsOpen = false
            regionMessage = nil
            perform { $0.regionsLost(isWithdrawn: true, at: $1) }
        }
        regionLink.follow(setup.regions)
    }

    /// Starts nothing more, gives transfers in flight this long, and calls back; at once if it is called again.
    public func stop(_ patience: Duration = .seconds(3), _ done: @escaping @DaemonActor () -> Void) {
        guard whenStopped == nil else { return finishStopping() }
        whenStopped = done
        reporter?.close()
        perform { $0.pause(at: $1) }
        guard whenStopped != nil else { return }
        timer?.cancel()
        do throws(SystemError) {
            timer = try TimerSource(accuracy: .milliseconds(20)) { [weak self] in self?.finishStopping() }
            timer?.arm(after: patience, clock: clock)
        } catch {
            return finishStopping()
        }
        finishIfQuiet()
    }

    /// Handles a change of the clocks.
    public func clockChanged(hasSlept: Bool) {
        perform { $0.clockChanged(hasSlept: hasSlept, at: $1) }
        guard hasSlept else { return }
        link.retryNow()
        regionLink.retryNow()
    }

    private func finishStopping() {
        guard let done = whenStopped else { return }
        whenStopped = nil
        carrier?.close()
        carrier = nil
        link.close()
        regionLink.close()
        timer?.cancel()
        done()
    }

    /// Ends an orderly stop once nothing is in flight and no store is pending.
    private func finishIfQuiet() {
        guard whenStopped != nil, inProgress.isEmpty, !link.isStoring, !regionLink.isStoring else { return }
        finishStopping()
    }

    // Events.

    func receive(_ event: DaemonEvent) {
        switch event {
        case .replied: finishIfQuiet()
        case .opened(let recording, let cursor, let last, let sent, let filtered):
            lossMessage = nil
            perform {
                $0.recordingOpened(recording, cursor: cursor, last: last, sent: sent, filtered: filtered, at: $1)
            }
        case .lost(let isWithdrawn, let message):
            let isNews = message != lossMessage
            lossMessage = message
            perform { $0.recordingLost(isWithdrawn: isWithdrawn, at: $1) }
            reporter?.changed(isNews: isNews)
            if isNews { informPeople() }
        case .read(let request, let page): perform { $0.read(page, for: request, at: $1) }
        case .readRejected(let page): perform { $0.readRejected(page, at: $1) }
        case .acknowledged(let number): perform { $0.acknowledged(upTo: number, at: $1) }
        case .rejected(let number): perform { $0.rejected(number, at: $1) }
        case .revived(let number): perform { $0.revived(number, at: $1) }
        case .ordered(let order): handle(order)
        case .path(let target):
            // Before anything is sent over a connection of the earlier path.
            if let reachability, reachability != target { carrier?.pathChanged() }
            reachability = target
            perform { $0.pathReported(target, at: $1) }
        case .pathUnavailable: perform { $0.pathUnavailable(at: $1) }
        }
    }

    func receive(_ event: RegionLinkEvent) {
        switch event {
        case .opened(let isNew, let known):
            areRegionsOpen = true
            perform { $0.regionsOpened(isNew: isNew, known, at: $1) }
        case .happened(let event):
            regionMessage = nil
            perform { $0.receive(event, at: $1) }
        case .acknowledged(let number):
            perform { $0.regionsAcknowledged(upTo: number, at: $1) }
            finishIfQuiet()
        case .lost(let isWithdrawn, let message):
            // Without regions, only the removal of a monitor was tried.
            guard setup.regions != .none else { return }
            areRegionsOpen = false
            let isNews = message != regionMessage
            regionMessage = message
            perform { $0.regionsLost(isWithdrawn: isWithdrawn, at: $1) }
            // A lost connection is reported for the recording as well.
            if isNews, isWithdrawn { Log.notice("no messages about regions are sent: \(message)") }
        }
        reporter?.changed(isNews: false)
    }

    private func handle(_ order: UploadsInterface.Attach.Reply) {
        // The daemon may be a new process: the first command comes with the connection.
        if order.command == nil { reporter?.beginAnew() }
        guard whenStopped == nil else { return }
        let isPaused = if case .paused = state { true } else { false }
        if order.isPaused != isPaused { perform { order.isPaused ? $0.pause(at: $1) : $0.resume(at: $1) } }
        switch order.command.flatMap(UploaderCommand.init) {
        case .flush: perform { $0.flush(at: $1) }
        case .retryRejected: perform { $0.retryRejected(at: $1) }
        case nil: break
        }
    }

    private func handle(_ event: CarrierEvent) {
        switch event {
        case .answered(let id, let answer):
            inProgress.remove(id)
            failureMessage = nil
            perform { $0.answered(id, with: answer, at: $1) }
        case .failed(let id, let failure, let message):
            inProgress.remove(id)
            failureMessage = message
            perform { $0.failed(id, failure, at: $1) }
        case .published(let confirmations):
            for confirmation in confirmations { inProgress.remove(confirmation.id) }
            perform { $0.published(confirmations, at: $1) }
        case .connected(let isResumed):
            failureMessage = nil
            perform { $0.connected(isResumed: isResumed, at: $1) }
        case .commanded(let commands): perform { $0.commanded(commands, at: $1) }
        case .consumerStarted: perform { $0.consumerStarted(at: $1) }
        case .refused(let code):
            failureMessage = nil
            perform { $0.connectionRefused(code, at: $1) }
        case .lost(let failure, let message):
            failureMessage = message
            perform { $0.connectionLost(failure, at: $1) }
        }
        finishIfQuiet()
    }

    // Effects.

    private var now: Instant {
        Instant(
            monotonicNanoseconds: clock.monotonicNanoseconds, utc: UTCTime(microseconds: clock.utcMicroseconds))
    }

    private func perform(_ decide: (inout Uploader, Instant) -> [UploadEffect]) {
        effects += decide(&uploader, now)
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        var next = 0
        while true {
            if next == effects.count { effects += uploader.rest(at: now) }
            guard next < effects.count else { break }
            perform(effects[next])
            next += 1
        }
        effects.removeAll(keepingCapacity: true)
    }

    private func perform(_ effect: UploadEffect) {
        switch effect {
        case .read(let request): link.read(request)
        case .readRejected(let after, let limit): link.readRejected(after: after, limit: limit)
        case .acknowledge(let acknowledgement): link.acknowledge(acknowledgement)
        case .reject(let number, let letter): link.reject(number, letter)
        case .revive(let number): link.revive(number)
        case .acknowledgeRegions(let number): regionLink.acknowledge(upTo: number)
        case .readRegions(let number): regionLink.read(after: number)
        case .regionMessageRefused(let status):
            Log.warning(
                "the destination has refused a message about a region (\(status)) and accepted others: it is not sent again"
            )
        case .connect: connect()
        case .disconnect: carrier?.disconnect()
        case .send(let transfer): send(transfer)
        case .prepare(let transfer): carrier?.prepare(transfer)
        case .cancel(let id):
            inProgress.remove(id)
            carrier?.cancel(id)
        case .armTimer(let at): if whenStopped == nil { timer?.arm(at: at) }
        case .disarmTimer: if whenStopped == nil { timer?.disarm() }
        case .reportOutcome(let outcome): link.report(outcome)
        case .publish(let report): publish(report)
        }
    }

    private func send(_ transfer: Transfer) {
        inProgress.insert(transfer.id)
        guard let carrier else {
            return DaemonActor.post { [weak self] in
                self?.handle(.failed(transfer.id, .connect, message: nil))
            }
        }
        carrier.send(transfer)
    }

    private func connect() {
        guard let carrier else {
            return DaemonActor.post { [weak self] in self?.handle(CarrierEvent.lost(.connect, message: nil)) }
        }
        carrier.connect()
    }

    private func publish(_ report: UploadReport) {
        if report.sent > sentBefore { lastSuccess = now.utc.secondsSinceEpoch }
        sentBefore = report.sent
        let isNews = news.receive(report)
        if news.concernsPeople { informPeople() }
        reporter?.changed(isNews: isNews)
    }

    /// Reports to the log and to systemd the obstacle to sending, or its end.
    private func informPeople() {
        guard whenStopped == nil else { return }
        // Nothing is known before the first event of the daemon.
        if case .waitingForRecording = state, lossMessage == nil { return }
        let line = statusLine
        guard line != saidLine else { return }
        saidLine = line
        Log.notice(line)
        observer?.statusChanged(line)
    }

    private func renewCarrier() {
        carrier?.close()
        carrier = nil
        carrierProblem = nil
        guard setup.configuration.objections.isEmpty, let credentials = setup.credentials else { return }
        do {
            carrier = try makeCarrier(setup.configuration, credentials) { [weak self] in self?.handle($0) }
            if obsolete.broker == setup.configuration.destination.url { carrier?.clear(obsolete.topics) }
        } catch {
            carrierProblem = "\(error)"
            Log.error("nothing can be sent: \(error)")
        }
    }

    private var target: ReachabilityInterface.MonitorTarget? { Self.target(setup.configuration) }

    private static func target(_ configuration: UploadConfiguration) -> ReachabilityInterface.MonitorTarget? {
        configuration.destination.url.map {
            ReachabilityInterface.MonitorTarget(host: $0.host.description, port: $0.port)
        }
    }

    // Messages for people.

    /// The message for people in addition to the state.
    private var message: String? {
        switch state {
        case .waitingForRecording: lossMessage
        case .blocked(.notConfigured, _): setup.problem
        case .backingOff: failureMessage ?? carrierProblem
        default: nil
        }
    }

    private var statusLine: String {
        let status = status
        let place = status.destination ?? "nowhere"
        guard state.isObstacle else { return "Sending to \(place)." }
        let reason = status.reason.map { " (\($0))" } ?? ""
        let message = status.message.map { ": \($0)" } ?? ""
        return "\(status.state)\(reason), \(place)\(message)"
    }
}

import Authorization
import Configuration
import Durations
import Journal
import Location
import Platform
import Regions
import Storage
import RegionStorage
import Tracking

/// Evaluates every fix for the regions of all apps and operators that may know it, whether or not their programs run, and
/// stores what was decided before anybody is notified. The receiver is needed only while some regions are monitored.
@DaemonActor
final class RegionRegistry {
    /// Whether the monitors are known.
    enum State: Equatable {
        case opening
        case ready
        /// They are sealed, and the data is locked, for this reason.
        case locked(String)
        /// They could not be read, for this reason.
        case failed(String)
    }

    let store: RegionStore
    let authorizer: Authorizer
    let recorder: ClientRecorder
    let changes: Changes
    let pipeline: Pipeline
    let operators: OperatorUsers
    let readiness: Readiness
    private let prompts: Prompts
    private let key: RegionKey
    var state = State.opening
    var watches: [RegionOwner: RegionWatch] = [:]
    /// The owners whose regions need fixes.
    private var fed: [RegionWatch] = []
    /// When there was no position any more; nil if there was none since the start.
    private(set) var lostAt: UTCTime?
    /// Events stored since the start.
    var eventCount = 0
    /// Passes begun since the start.
    private(set) var passCount = 0
    /// Fixes dropped since the start, of evaluations that have ended.
    var droppedCount = 0
    /// The limits of decisions.
    private(set) var rules = RegionMonitor.Rules()
    /// Who was not authorized at some time before the stored regions could be read.
    var earlyWithdrawals = EarlyWithdrawals()
    /// Why what was decided cannot be stored, or stored regions not be read; nil if they can.
    var problem: String?
    private var isLoading = false
    /// What the store was requested to do with its file.
    private enum Form { case plain, sealed, unsealed }
    private var form = Form.plain
    /// Whether a file is being sealed or unsealed.
    private var isChangingForm = false
    private var retryTimer: TimerSource?

    /// The pause after which stored regions that could not be read are read again, and what could not be erased is erased
    /// again.
    var retryPause = Duration.seconds(60)

    init(
        store: RegionStore, key: RegionKey, authorizer: Authorizer, prompts: Prompts, readiness: Readiness,
        recorder: ClientRecorder, operators: OperatorUsers, pipeline: Pipeline, changes: Changes
    ) throws(SystemError) {
        self.store = store
        self.key = key
        self.authorizer = authorizer
        self.prompts = prompts
        self.readiness = readiness
        self.recorder = recorder
        self.operators = operators
        self.pipeline = pipeline
        self.changes = changes
        retryTimer = try TimerSource(accuracy: .seconds(1)) { [weak self] in self?.retry() }
        readiness.regions = self
    }

    /// Reviews the regions of a user's programs that are no apps: only an operator has such.
    func operatorChanged(_ uid: UInt32) {
        if let watch = watches[RegionOwner(uid: uid, app: nil)] { review(watch) }
    }

    /// Applies the configuration, also to regions that are monitored already.
    func apply(_ settings: Settings.Regions) {
        store.setPendingEvents(settings.pendingEvents)
        rules.undecidedAfter = settings.undecidedAfter.seconds
        for watch in watches.values { watch.track?.rules = rules }
    }

    // Start

    /// Opens the store, when the state directory belongs to this daemon, or after a failure.
    func open() {
        guard !isLoading, state != .ready else { return }
        isLoading = true
        use(key.sealing)
        store.load { [weak self] result in DaemonActor.assumeIsolated { self?.loaded(result) } }
    }

    private func use(_ sealing: DatabaseSealing) {
        switch sealing {
        case .sealed:
            guard form != .sealed else { return }
            form = .sealed
        case .unsealing:
            guard form != .unsealed else { return }
            form = .unsealed
        case .plain, .locked, .unavailable: break
        }
        store.use(sealing)
    }

    /// A passphrase was set, or the data was unlocked: the regions are sealed, or opened.
    func protectionChanged() {
        switch state {
        // Before the journal is open the directory is not this daemon's.
        case .opening: break
        case .locked, .failed: open()
        case .ready: seal()
        }
    }

    private func seal() {
        guard !isChangingForm else { return }
        let sealing = key.sealing
        switch sealing {
        case .sealed where form != .sealed, .unsealing: break
        default: return
        }
        use(sealing)
        isChangingForm = true
        // The file is opened by a request, and is to be sealed, or unsealed, now.
        store.load { [weak self] result in
            DaemonActor.assumeIsolated {
                self?.isChangingForm = false
                guard case .failure(let error) = result else { return }
                self?.note(problem: "Regions cannot be sealed or unsealed", error)
            }
        }
    }

    /// Whether the regions are open, and stored in a plain file.
    var arePlain: Bool {
        guard state == .ready, !isChangingForm, case .plain = key.sealing else { return false }
        return true
    }

    private func loaded(_ result: Result<LoadedRegions, RegionStorageError>) {
        isLoading = false
        switch result {
        case .success(let loaded):
            state = .ready
            for monitor in loaded.monitors { watch(monitor.key.owner).monitors[monitor.key.name] = monitor }
            for watch in watches.values {
                guard let loss = earlyWithdrawals[watch.owner] else { continue }
                (watch.erasure, watch.loss) = (.failed, loss)
            }
            earlyWithdrawals = EarlyWithdrawals()
            // A passphrase may have been set while the file was opened.
            seal()
            for uid in users { changes.report(.userSeen(uid, stores: true)) }
        case .failure(let error):
            if state == .opening { Log.error("no region is monitored: \(error)") }
            state = error.isLocked ? .locked(error.description) : .failed(error.description)
            // Locked regions are opened when the data is unlocked, which may have come to pass meanwhile.
            if !error.isLocked {
                retryLater()
            } else if form == .plain, key.isAvailable {
                return open()
            }
        }
        changes.report(.regionsLoaded)
    }

    /// Tries again later what the store could not do.
    func retryLater() {
        if retryTimer?.isArmed == false { retryTimer?.arm(after: retryPause) }
    }

    private func retry() {
        guard state == .ready else { return open() }
        for watch in Array(watches.values) where watch.erasure == .failed { review(watch) }
    }

    /// Closes the store after what was decided is stored, and calls back.
    func close(_ completion: @escaping @Sendable @DaemonActor () -> Void) {
        for watch in watches.values { save(watch, isLast: true) }
        store.close { result in
            DaemonActor.assumeIsolated {
                if case .failure(let error) = result { Log.error("the store of regions could not be closed: \(error)") }
                completion()
            }
        }
    }

    /// The users with stored regions.
    var users: Set<UInt32> { Set(watches.values.lazy.filter { !$0.monitors.isEmpty }.map(\.owner.uid)) }

    /// The monitors of an app with events that are not acknowledged and may be read, in the order of their names.
    func pendingMonitors(of app: AppID) -> [StoredMonitor] {
        guard let watch = watches[RegionOwner(app)], watch.isReadable else { return [] }
        return watch.monitors.values.filter { $0.pending > 0 }.sorted { $0.key.name < $1.key.name }
    }

    /// The number of events of an app that are not acknowledged.
    func pendingCount(of app: AppID) -> Int { watches[RegionOwner(app)]?.pendingCount ?? 0 }

    /// Whether an app has events that are not acknowledged and may be read.
    func hasPendingEvents(of app: AppID) -> Bool {
        watches[RegionOwner(app)].map { $0.isReadable && $0.pendingCount > 0 } ?? false
    }

    /// The monitors of an owner, which are created if there are none.
    func watch(_ owner: RegionOwner) -> RegionWatch {
        if let watch = watches[owner] { return watch }
        let watch = RegionWatch(owner)
        watches[owner] = watch
        return watch
    }

    // The receiver

    /// The feed that the regions of an owner need: with `use`, the only place where regions express a need for the receiver.
    func feed(of watch: RegionWatch) -> PositionFeed {
        if watch.isMonitoring { return .full }
        // The person is prompted to confirm Always only when a fix is due, so the feed is needed until then.
        guard watch.refusal == .refused(.alwaysUnconfirmed), !watch.hasAsked, watch.regionCount > 0,
            let app = watch.owner.appID,
            authorizer.policy.authorizationState(for: app, at: authorizer.instant).accuracy == .full
        else { return .none }
        return .full
    }

    func use(_ feed: PositionFeed, for watch: RegionWatch) {
        guard feed != watch.feed else { return }
        watch.feed = feed
        if feed == .full {
            fed.append(watch)
        } else {
            fed.removeAll { $0 === watch }
        }
        for watch in fed {
            watch.track?.maximumPoints = min(
                Neighbourhood.maximumPoints, max(Region.maximumPoints, RegionQuotas.pointsInMemory / fed.count))
        }
        // Regions need the receiver now and then only, see `ReceiverSleep`.
        pipeline.sleep?.review()
        changes.report(.statusDetailChanged)
    }

    /// When the regions that are monitored need a fix.
    var receiverNeeds: [ReceiverPlan.Need] {
        fed.map { .border(meters: $0.track?.distanceToChange, seconds: $0.track?.secondsToChange ?? .infinity) }
    }

    // Fixes

    /// Evaluates a fix for all owners that may know it.
    func deliver(_ fix: Fix) {
        guard !fed.isEmpty else { return }
        let now = authorizer.instant
        let here = SurfacePoint(fix.coordinate)
        var others: [RegionWatch] = []
        for watch in fed {
            guard watch.isMonitoring, decide(watch.owner, at: now).isPermitted else {
                others.append(watch)
                continue
            }
            if let effects = watch.track?.receive(fix, at: here) { perform(effects, for: watch) }
            if !watch.unsaved.isEmpty { save(watch) }
        }
        for watch in others { settle(watch) }
    }

    /// There is no position any more, or for another reason than before.
    func lose(_ reason: PositionUnavailable) {
        guard let time = receiverTime else { return }
        lostAt = time
        for watch in fed {
            if let effects = watch.track?.lose(reason.regionDoubt, at: time) { perform(effects, for: watch) }
        }
    }

    /// The present time by the receiver's clock, as far as it has reported one.
    private var receiverTime: UTCTime? {
        pipeline.latestFix.map { fix in
            let age = pipeline.now - min(pipeline.now, fix.receivedAt)
            return UTCTime(microseconds: fix.time.microseconds + Int64(age / 1_000))
        }
    }

    /// Prompts the person if Always is to be confirmed, and evaluates again what the regions need.
    private func settle(_ watch: RegionWatch) {
        if watch.refusal == .refused(.alwaysUnconfirmed), let app = watch.owner.appID, prompts.positionDue(to: app) {
            watch.hasAsked = true
        }
        review(watch)
    }

    /// The stored regions of an owner have changed.
    func regionsChanged(of watch: RegionWatch) {
        review(watch)
        if let effects = watch.track?.regionsChanged() { perform(effects, for: watch) }
        pipeline.sleep?.review()
        changes.report(.statusDetailChanged)
    }

    private func perform(_ effects: RegionTrack.Effects, for watch: RegionWatch) {
        if !effects.events.isEmpty {
            watch.unsaved += effects.events
            save(watch)
        }
        guard let pass = effects.pass else { return }
        passCount += 1
        let evaluation = watch.evaluation
        store.neighbourhood(pass, of: watch.owner) { [weak self, weak watch] result in
            DaemonActor.assumeIsolated {
                if let self, let watch, watch.evaluation == evaluation { self.passed(result, watch) }
            }
        }
    }

    private func passed(_ result: Result<Neighbourhood, RegionStorageError>, _ watch: RegionWatch) {
        switch result {
        case .success(let neighbourhood):
            // Without them, an event that waits for the disk would be decided a second time.
            let unstored = (watch.saving + watch.unsaved).changes.map { ($0.number, $0.state) }
            let effects = watch.track?.passed(neighbourhood, unstored: Dictionary(uniqueKeysWithValues: unstored))
            if let effects { perform(effects, for: watch) }
        case .failure(let error):
            note(problem: "Stored regions cannot be read", error)
            watch.track?.passFailed()
        }
    }

    /// Logs a problem of the store once, until it works again.
    func note(problem: String, _ error: RegionStorageError) {
        if self.problem == nil { Log.error("\(problem): \(error)") }
        self.problem = "\(problem): \(error)."
        changes.report(.statusDetailChanged)
    }
}

extension PositionUnavailable {
    /// Why it is not known whether the machine is in a region.
    var regionDoubt: RegionDoubt {
        switch self {
        case .noReceiver, .receiverLost: .receiverLost
        case .noFix, .noTime, .stale, .inaccurate, .reducedUnavailable: .fixLost
        }
    }
}

import Durations
import JSONText
import Platform
import Records
import Storage
import Upload

/// Exchanges changes between the copy and the hub. The tables of the copy say what is to be fetched and sent; the carrier performs
/// that, one request after the other, while `PushReceiver` waits for pushes. Everything that has to survive a crash is in the copy.
@DaemonActor
final class Carrier {
    /// What it does at present.
    enum Activity: Equatable {
        case noAccount
        /// The hub does not accept this machine any more.
        case removed
        case idle
        case fetching, sending
        /// The copy is closed.
        case suspended
        /// Waits for the next attempt, at an instant of CLOCK_MONOTONIC in nanoseconds.
        case waiting(until: UInt64)
    }

    /// Called after each change of the copy that comes from the hub.
    var onChange: @DaemonActor () -> Void = {}
    /// Called when everything was fetched and sent, or no more can be done for now.
    var onRest: @DaemonActor () -> Void = {}
    /// Called when the account has changed.
    var onAccount: @DaemonActor () -> Void = {}

    private let cache: SyncCache
    private let clock: any TimeSource
    private let membership: HubMembership
    private let pushes: PushReceiver
    /// Downloads the bytes of assets.
    let assets: AssetFetcher
    private let ahead = RequestAhead()
    private(set) var activity = Activity.noAccount
    /// When the hub last answered, microseconds since 1970.
    private(set) var lastContact: Int64?
    /// Why the last attempt failed, a sentence.
    private(set) var problem: String?
    /// Whether a request waits for pushes.
    var isConnected: Bool { pushes.isConnected }

    private(set) var client: HubClient?
    private var work: TimerSource?
    private var isBusy = false
    /// Whether `synchronize` was called while a request was in progress, whose connection may have been lost before.
    private var isRequestedDuringWork = false
    /// Whether everything is marked as to be fetched since the start.
    private var isPrepared = false
    /// The request that uploads a part of an asset.
    private var uploading: UInt64?
    private var attempts = 0
    /// The most records of a request, which a hub with lower limits reduces.
    private var mostRecords = Limits().records
    /// When pending changes are to be sent.
    private var sending = SendingTime()
    private var waiters: [@DaemonActor (String?) -> Void] = []

    /// The hub remembers answers for 30 days: a request that is older is made anew.
    private static let longestRepetition: Int64 = 29 * 86_400 * 1_000_000

    init(
        _ cache: SyncCache, authorityFile: String = "", assetLimits: AssetLimits = AssetLimits(), clock: any TimeSource
    ) throws {
        self.cache = cache
        self.clock = clock
        membership = HubMembership(cache, authorityFile: authorityFile, clock: clock)
        pushes = try PushReceiver(cache, clock: clock)
        assets = AssetFetcher(cache, assetLimits, clock: clock)
        work = try TimerSource(accuracy: .milliseconds(10)) { [weak self] in self?.step() }
        pushes.onReport = { [weak self] in self?.react(to: $0) }
    }

    /// The account of this machine.
    var account: SyncAccount? { membership.account }
    /// The time: microseconds since 1970.
    var now: Int64 { clock.utcMicroseconds }

    /// Begins with the account of the copy.
    func start() throws(StorageError) {
        try membership.load()
        isPrepared = false
        sending.hurry(at: clock.monotonicNanoseconds)
        begin()
    }

    /// Ends everything while the copy is closed, for a reason, a sentence. `start` begins anew.
    func suspend(because reason: String) {
        end()
        work?.disarm()
        (activity, problem) = (.suspended, reason)
        finish(reason)
    }

    private func end() {
        client?.close()
        client = nil
        ahead.forget()
        pushes.end()
        assets.end()
        uploading = nil
        (isBusy, isRequestedDuringWork, attempts, problem, mostRecords) = (false, false, 0, nil, Limits().records)
    }

    private func begin() {
        end()
        onAccount()
        guard let account else { return become(.noAccount) }
        guard !account.isRemoved else { return become(.removed) }
        do {
            let client = try membership.client(for: account)
            self.client = client
            become(.idle)
            work?.arm(after: .zero)
            pushes.begin(client, for: account.id)
            assets.begin(client) { [weak self] in self?.note($0) }
        } catch {
            Log.error("the hub cannot be used: \(error)")
            problem = "The hub cannot be used: \(error)"
            become(.removed)
        }
    }

    private func become(_ activity: Activity) {
        self.activity = activity
        if activity != .fetching, activity != .sending {
            assets.clean()
            onRest()
        }
        switch activity {
        case .noAccount, .removed:
            work?.disarm()
            pushes.end()
            finish("This machine has no account that the hub accepts.")
        default: break
        }
    }

    // Requests of programs

    /// Sends changes after a second without further ones, at the latest ten seconds after the first one.
    func noteChange() {
        sending.noteChange(at: clock.monotonicNanoseconds)
        guard case .idle = activity, let due = sending.due else { return }
        work?.arm(at: due)
    }

    /// Begins the work that the copy lists, without waiting for further changes. Called when a container is used for the first time.
    func workSoon() {
        if case .idle = activity, !isBusy { work?.arm(after: .zero) }
    }

    /// When the next attempt is made, microseconds since 1970; nil unless it waits.
    var nextAttempt: Int64? {
        guard case .waiting(let until) = activity else { return nil }
        let now = clock.monotonicNanoseconds
        return clock.utcMicroseconds + Int64((until > now ? until - now : 0) / 1_000)
    }

    /// Does everything at once. The completion gets nil when nothing is left, or why that was not possible: a request that was in
    /// progress before and gets no answer is repeated at once.
    func synchronize(_ completion: @escaping @DaemonActor (String?) -> Void) {
        guard client != nil else { return completion("This machine has no account that the hub accepts.") }
        waiters.append(completion)
        do throws(StorageError) { try markAllStale() } catch { return finish(error.sentence) }
        isRequestedDuringWork = isBusy
        hurry()
    }

    /// The network has changed: what waits for another attempt is tried at once.
    func hurry() {
        guard client != nil else { return }
        attempts = 0
        sending.hurry(at: clock.monotonicNanoseconds)
        if !isBusy { work?.arm(after: .zero) }
        pushes.hurry()
    }

    /// Called when the machine is in another network: connections over the earlier network are closed, because they no longer work.
    func networkChanged() {
        client?.forgetConnections()
        pushes.networkChanged()
        assets.networkChanged()
        // The upload of a part could otherwise wait for minutes. The hub says next how many bytes have arrived.
        if let uploading {
            client?.cancel(uploading)
            (self.uploading, isBusy, isRequestedDuringWork) = (nil, false, false)
        }
        hurry()
    }

    /// Joins the account of an invitation.
    func join(
        _ invitation: HubInvitation, completion: @escaping @DaemonActor (Result<SyncAccount, JoinFailure>) -> Void
    ) {
        membership.join(invitation) { [weak self] result in
            if case .success = result { self?.begin() }
            completion(result)
        }
    }

    /// Leaves the account and removes the copy. The hub is notified, if it can be reached.
    /// - Parameter completion: Is called when nothing is left of the copy: the bytes of assets are removed in pieces.
    func leave(_ completion: @escaping @DaemonActor () -> Void) throws(StorageError) {
        try membership.leave()
        begin()
        assets.whenRemoved(completion)
    }

    /// Something on the hub has changed by a request of this machine, which it gets no push about.
    func fetchSoon() {
        do throws(StorageError) { try markAllStale() } catch { Log.warning("the copy is not fetched: \(error)") }
        hurry()
    }

    private func markAllStale() throws(StorageError) {
        try cache.write { (tables) throws(StorageError) in try tables.markAllStale() }
    }

    // Work

    private func step() {
        guard let client, let account, !isBusy else { return }
        do throws(StorageError) {
            try prepare()
            let now = clock.monotonicNanoseconds
            var next = try cache.read { (tables) throws(StorageError) in try tables.nextWork() }
            if next == nil, let due = sending.due, due <= now {
                next = try cache.write { (tables) throws(StorageError) in
                    _ = try tables.prepare(
                        key: HubRequest.newKey(), of: account.id.account, most: mostRecords, at: clock.utcMicroseconds)
                    return try tables.nextWork()
                }
                // What can be sent and fetched comes before each part of an upload.
                if next == nil { next = try cache.read { (tables) throws(StorageError) in try tables.nextUpload() } }
                if next == nil { sending.end() }
            }
            guard let next else {
                become(.idle)
                if let due = sending.due { work?.arm(at: due) } else { finish(nil) }
                return
            }
            isBusy = true
            perform(WorkStep(work: next), client)
        } catch {
            storageFailed(error)
        }
    }

    /// Prepares the copy for this start, which a full disk may delay: programs read it meanwhile.
    private func prepare() throws(StorageError) {
        guard !isPrepared else { return }
        try cache.write { (tables) throws(StorageError) in
            // Pushes may have been lost with a copy of the folder, and a fetch without changes costs nearly nothing.
            try tables.markAllStale()
            try tables.forgetOldDeletions()
        }
        isPrepared = true
    }

    private func perform(_ step: WorkStep, _ client: HubClient) {
        become(step.sends ? .sending : .fetching)
        if case .send(_, let zone, let request) = step.work,
            clock.utcMicroseconds - request.made > Self.longestRepetition
        {
            // The hub may have forgotten the answer, and would do it once more.
            do throws(StorageError) {
                try cache.write { (tables) throws(StorageError) in try tables.putBack(request, in: zone) }
            } catch { return storageFailed(error) }
            isBusy = false
            work?.arm(after: .zero)
            return
        }
        if case .upload = step.work, let request = step.requests.first {
            uploading = client.send(request) { [weak self] reply in
                self?.uploading = nil
                self?.ended(reply, of: step)
            }
            return
        }
        send(step.requests[...], of: step, client)
    }

    private func send(_ requests: ArraySlice<HubRequest>, of step: WorkStep, _ client: HubClient) {
        guard let request = requests.first else { return }
        ahead.exchange(request, by: client) { [weak self] reply in
            guard let self else { return }
            let rest = requests.dropFirst()
            if case .done = reply, !rest.isEmpty { return send(rest, of: step, client) }
            ended(reply, of: step)
        }
    }

    /// Handles an answer, and goes on.
    private func ended(_ reply: HubReply, of step: WorkStep) {
        let isRepeated = isRequestedDuringWork
        (isBusy, isRequestedDuringWork) = (false, false)
        note(reply)
        let verdict: WorkStep.Verdict
        do throws(StorageError) {
            if case .notAccepted = reply { return try removed() }
            verdict = try step.apply(reply, to: cache) { request in
                if let client { ahead.send(request, by: client) }
            }
        } catch { return storageFailed(error) }
        switch verdict {
        case .pause(.failed) where isRepeated:
            work?.arm(after: .zero)
            return
        case .pause(let reply): return pause(reply)
        case .less: mostRecords = max(1, mostRecords / 2)
        case .next: break
        }
        onChange()
        attempts = 0
        work?.arm(after: .zero)
        pushes.hubAnswers()
    }

    /// Notes what an answer says about the hub.
    func note(_ reply: HubReply) {
        switch reply {
        case .failed, .strange: break
        default: lastContact = clock.utcMicroseconds
        }
        if case .done = reply { problem = nil }
    }

    /// Waits before the next attempt.
    private func pause(_ reply: HubReply) {
        attempts += 1
        var requested: Duration?
        if case .later(let seconds?, _) = reply { requested = .seconds(max(0, min(seconds, 3_600))) }
        problem = reply.problem ?? "The hub refuses a request of this machine."
        wait(requested)
    }

    private func wait(_ requested: Duration?) {
        let delay = RetryPolicy.delay(after: attempts, random: .random(in: 0..<1), requested: requested)
        let next = clock.monotonicNanoseconds.after(delay)
        become(.waiting(until: next))
        work?.arm(at: next)
        finish(problem)
    }

    private func storageFailed(_ error: StorageError) {
        isBusy = false
        attempts += 1
        problem = error.sentence
        Log.error("\(error)")
        wait(nil)
    }

    private func removed() throws(StorageError) {
        try membership.markRemoved()
        begin()
        problem = "The hub does not accept this machine any more. Leave the account, and join it with another code."
    }

    private func finish(_ problem: String?) {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter(problem) }
    }

    // Pushes

    private func react(to report: PushReceiver.Report) {
        switch report {
        case .contact: lastContact = clock.utcMicroseconds
        case .stored: if !isBusy { work?.arm(after: .zero) }
        case .notStored(let error): storageFailed(error)
        case .ended(let reply):
            note(reply)
            guard case .notAccepted = reply, client != nil else { return }
            do throws(StorageError) { try removed() } catch { storageFailed(error) }
        }
    }
}

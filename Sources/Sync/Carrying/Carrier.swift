import Cryptography
import Durations
import HTTP
import JSONText
import Platform
import Records
import Storage
import Upload

/// Carries changes between the copy and the hub: does what the copy lists as work, one request after the other, and waits for
/// pushes with another request meanwhile. It has no state of its own that a crash could lose.
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
    private let authorityFile: String
    private(set) var account: SyncAccount?
    private(set) var activity = Activity.noAccount
    /// When the hub last answered, microseconds since 1970.
    private(set) var lastContact: Int64?
    /// Why the last attempt failed, a sentence.
    private(set) var problem: String?
    /// Whether a request waits for pushes.
    private(set) var isConnected = false

    private var client: HubClient?
    private var work: TimerSource?
    private var listening: TimerSource?
    private var isBusy = false
    /// The next page of a zone, which was requested before the one before it was stored.
    private var ahead: PageAhead?
    private var pushRequest: UInt64?
    private var channel = PushChannel()
    private var events = PushEventReader()
    /// Ends a stream of which nothing arrives.
    private var silence: TimerSource?
    private var attempts = 0
    private var pushAttempts = 0
    /// The most records of a request, which a hub with lower limits reduces.
    private var mostRecords = Limits().records
    /// When changes that wait are sent.
    private var sendDue: UInt64?
    private var waiters: [@DaemonActor (String?) -> Void] = []

    /// A page that is requested while the one before it is stored, so that the hub and this machine work at the same time.
    private struct PageAhead {
        let request: HubRequest
        let id: UInt64
        /// The answer, once it is there.
        var reply: HubReply?
        /// Receives an answer that was needed before it was there.
        var completion: (@DaemonActor (HubReply) -> Void)?
    }

    /// How long a program may go on changing records before they are sent.
    static let quiet = Duration.seconds(1)
    /// An instant that is long past. The kernel wakes a timer for the present one as late as its accuracy permits, which would be
    /// after each page.
    private static let atOnce: UInt64 = 0
    /// How long a request waits for pushes.
    private static let patience = 300
    /// The hub remembers answers for 30 days: a request that is older is made anew.
    private static let longestRepetition: Int64 = 29 * 86_400 * 1_000_000

    init(_ cache: SyncCache, authorityFile: String = "", clock: any TimeSource) throws {
        self.cache = cache
        self.clock = clock
        self.authorityFile = authorityFile
        work = try TimerSource(accuracy: .milliseconds(10)) { [weak self] in self?.step() }
        listening = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.listen() }
        silence = try TimerSource(accuracy: .milliseconds(500)) { [weak self] in self?.giveUpStream() }
    }

    /// The time: microseconds since 1970.
    var now: Int64 { clock.utcMicroseconds }

    /// Begins with the account of the copy.
    func start() throws(StorageError) {
        // Pushes may have been lost with a copy of the folder, and a fetch without changes costs nearly nothing.
        account = try cache.write { (tables) throws(StorageError) in
            try tables.markAllStale()
            try tables.forgetOldDeletions()
            return try tables.account()
        }
        sendDue = clock.monotonicNanoseconds
        begin()
    }

    /// Ends everything while the copy is closed, for a reason, a sentence. `start` begins anew.
    func suspend(because reason: String) {
        end()
        work?.disarm()
        listening?.disarm()
        (activity, problem) = (.suspended, reason)
        finish(reason)
    }

    private func end() {
        client?.close()
        client = nil
        ahead = nil
        (isBusy, pushRequest, isConnected, attempts, pushAttempts) = (false, nil, false, 0, 0)
        (problem, mostRecords) = (nil, Limits().records)
        silence?.disarm()
        channel.networkChanged()
    }

    private func begin() {
        end()
        onAccount()
        guard let account else { return become(.noAccount) }
        guard !account.isRemoved else { return become(.removed) }
        do {
            client = try HubClient(
                hub: account.hub, pin: account.pin, token: account.token, authorityFile: authorityFile, clock: clock)
        } catch {
            Log.error("the hub cannot be used: \(error)")
            problem = "The hub cannot be used: \(error)"
            return become(.removed)
        }
        become(.idle)
        fetchIdentifierKey()
        work?.arm(at: Self.atOnce)
        listening?.arm(at: Self.atOnce)
    }

    private func become(_ activity: Activity) {
        self.activity = activity
        if activity != .fetching, activity != .sending { onRest() }
        switch activity {
        case .noAccount, .removed:
            work?.disarm()
            listening?.disarm()
            finish("This machine has no account that the hub accepts.")
        default: break
        }
    }

    // Requests of programs

    /// Sends changes after a time without further ones.
    func noteChange() {
        sendDue = clock.monotonicNanoseconds.after(Self.quiet)
        guard case .idle = activity else { return }
        work?.arm(after: Self.quiet)
    }

    /// Does what the copy lists now: a container is used for the first time.
    func workSoon() {
        if case .idle = activity, !isBusy { work?.arm(at: Self.atOnce) }
    }

    /// When the next attempt is made, microseconds since 1970; nil unless it waits.
    var nextAttempt: Int64? {
        guard case .waiting(let until) = activity else { return nil }
        let now = clock.monotonicNanoseconds
        return clock.utcMicroseconds + Int64((until > now ? until - now : 0) / 1_000)
    }

    /// Does everything at once. The completion gets nil when nothing is left, or why that was not possible.
    func synchronize(_ completion: @escaping @DaemonActor (String?) -> Void) {
        guard client != nil else { return completion("This machine has no account that the hub accepts.") }
        waiters.append(completion)
        do throws(StorageError) { try cache.write { (tables) throws(StorageError) in try tables.markAllStale() } } catch
        {
            return finish("The copy cannot be written: \(error)")
        }
        hurry()
    }

    /// The network has changed: what waits for another attempt is tried at once.
    func hurry() {
        guard client != nil else { return }
        attempts = 0
        pushAttempts = 0
        sendDue = clock.monotonicNanoseconds
        if !isBusy { work?.arm(at: Self.atOnce) }
        if pushRequest == nil { listening?.arm(at: Self.atOnce) }
    }

    /// The network is another one: connections of the one before are of no use.
    func networkChanged() {
        client?.forgetConnections()
        silence?.disarm()
        channel.networkChanged()
        if let request = pushRequest {
            client?.cancel(request)
            (pushRequest, isConnected) = (nil, false)
        }
        hurry()
    }

    /// Joins the account of an invitation.
    func join(
        _ invitation: HubInvitation, completion: @escaping @DaemonActor (Result<SyncAccount, JoinFailure>) -> Void
    ) {
        guard account == nil else { return completion(.failure(.alreadyJoined)) }
        let client: HubClient
        do {
            client = try HubClient(
                hub: invitation.hub, pin: invitation.pin, token: nil, authorityFile: authorityFile, clock: clock)
        } catch { return completion(.failure(.hub("The hub cannot be used: \(error)"))) }
        var body = JSONWriter()
        body.object { $0.member("code", invitation.code) }
        client.send(HubRequest(method: .post, path: "/v1/join", body: body.bytes)) { [weak self] reply in
            client.close()
            guard let self else { return }
            completion(joined(invitation, reply))
        }
    }

    private func joined(_ invitation: HubInvitation, _ reply: HubReply) -> Result<SyncAccount, JoinFailure> {
        guard account == nil else { return .failure(.alreadyJoined) }
        guard case .done(let body) = reply else {
            if case .notAccepted(let message) = reply { return .failure(.code(message)) }
            return .failure(.hub(reply.problem ?? "The hub refuses to let this machine join."))
        }
        guard let json = try? JSON.parse(body, maximumDepth: 4, maximumValues: 64),
            let name = json["account"]?.stringValue.flatMap(AccountID.init),
            let device = json["device"]?.stringValue.flatMap(DeviceID.init), let token = json["token"]?.stringValue,
            token.utf8.count <= 200, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return .failure(.hub(HubReply.strange(status: 200).problem ?? "")) }
        let joined = SyncAccount(
            hub: invitation.hub, pin: invitation.pin, token: token, id: AccountDevice(name, device),
            copy: HexText.text(RandomBytes.make(16)), identifierKey: Self.identifierKey(json))
        do throws(StorageError) {
            try cache.write { (tables) throws(StorageError) in try tables.join(joined) }
        } catch { return .failure(.storage("\(error)")) }
        account = joined
        Log.notice("joined the account \(name) at \(joined.hub) as \(device)")
        begin()
        return .success(joined)
    }

    private static func identifierKey(_ json: JSON) -> [UInt8]? {
        json["identifierKey"]?.stringValue.flatMap(HexText.bytes(of:)).flatMap {
            $0.count == SymmetricKey.size ? $0 : nil
        }
    }

    /// Requests the key of the account's identifiers, which a copy of an earlier release does not have.
    private func fetchIdentifierKey() {
        guard account?.identifierKey == nil, let id = account?.id else { return }
        client?.send(HubRequest(method: .get, path: "/v1/device")) { [weak self] reply in
            guard case .done(let body) = reply, let self, account?.id == id,
                let json = try? JSON.parse(body, maximumDepth: 4, maximumValues: 64),
                let key = Self.identifierKey(json)
            else { return }
            do throws(StorageError) {
                try cache.write { (tables) throws(StorageError) in try tables.store(identifierKey: key) }
                account?.identifierKey = key
            } catch { Log.warning("the key of the account's identifiers cannot be stored: \(error)") }
        }
    }

    /// Leaves the account and removes the copy. The hub is notified, if it can be reached.
    func leave() throws(StorageError) {
        try cache.write { (tables) throws(StorageError) in try tables.wipe() }
        if let account, !account.isRemoved {
            Log.notice("left the account \(account.id.account)")
            depart(from: account)
        }
        account = nil
        begin()
    }

    private func depart(from account: SyncAccount) {
        do {
            let client = try HubClient(
                hub: account.hub, pin: account.pin, token: account.token, authorityFile: authorityFile, clock: clock)
            client.send(HubRequest(method: .delete, path: "/v1/device")) { _ in client.close() }
        } catch { Log.warning("the hub is not notified that this machine has left: \(error)") }
    }

    /// Sends a request about sharing, which is not stored.
    func request(
        _ method: HTTPMethod, _ path: String, body: [UInt8] = [],
        completion: @escaping @DaemonActor (HubReply) -> Void
    ) -> Bool {
        guard let client else { return false }
        let key = method == .post ? Self.newKey() : ""
        client.send(HubRequest(method: method, path: path, key: key, body: body)) { [weak self] reply in
            self?.note(reply)
            completion(reply)
        }
        return true
    }

    /// Something on the hub has changed by a request of this machine, which it gets no push about.
    func fetchSoon() {
        do throws(StorageError) { try cache.write { (tables) throws(StorageError) in try tables.markAllStale() } } catch
        {
            Log.warning("the copy is not fetched: \(error)")
        }
        hurry()
    }

    // Work

    private func step() {
        guard let client, let account, !isBusy else { return }
        do throws(StorageError) {
            let now = clock.monotonicNanoseconds
            var next = try cache.read { (tables) throws(StorageError) in try tables.nextWork() }
            if next == nil, let due = sendDue, due <= now {
                next = try cache.write { (tables) throws(StorageError) in
                    _ = try tables.prepare(
                        key: Self.newKey(), of: account.id.account, most: mostRecords, at: clock.utcMicroseconds)
                    return try tables.nextWork()
                }
                if next == nil { sendDue = nil }
            }
            guard let next else {
                become(.idle)
                if let due = sendDue { work?.arm(at: due) } else { finish(nil) }
                return
            }
            isBusy = true
            perform(WorkStep(work: next), client)
        } catch {
            storageFailed(error)
        }
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
            work?.arm(at: Self.atOnce)
            return
        }
        send(step.requests[...], of: step, client)
    }

    private func send(_ requests: ArraySlice<HubRequest>, of step: WorkStep, _ client: HubClient) {
        guard let request = requests.first else { return }
        exchange(request, client) { [weak self] reply in
            guard let self else { return }
            let rest = requests.dropFirst()
            if case .done = reply, !rest.isEmpty { return send(rest, of: step, client) }
            ended(reply, of: step)
        }
    }

    /// Sends a request, or uses the answer of the same one that was sent ahead.
    private func exchange(
        _ request: HubRequest, _ client: HubClient, _ completion: @escaping @DaemonActor (HubReply) -> Void
    ) {
        guard let ahead, ahead.request == request else {
            // Something else has to be done first, after which the page may be another one.
            if let ahead { client.cancel(ahead.id) }
            self.ahead = nil
            client.send(request, completion: completion)
            return
        }
        guard let reply = ahead.reply else {
            self.ahead?.completion = completion
            return
        }
        self.ahead = nil
        completion(reply)
    }

    private func sendAhead(_ request: HubRequest) {
        guard let client, ahead == nil else { return }
        let id = client.send(request) { [weak self] reply in
            guard let self, ahead?.request == request else { return }
            guard let completion = ahead?.completion else {
                ahead?.reply = reply
                return
            }
            ahead = nil
            completion(reply)
        }
        ahead = PageAhead(request: request, id: id)
    }

    private static func newKey() -> String { HexText.text(RandomBytes.make(16)) }

    /// Handles an answer, and goes on.
    private func ended(_ reply: HubReply, of step: WorkStep) {
        isBusy = false
        note(reply)
        let verdict: WorkStep.Verdict
        do throws(StorageError) {
            if case .notAccepted = reply { return try removed() }
            verdict = try step.apply(reply, to: cache) { sendAhead($0) }
        } catch { return storageFailed(error) }
        switch verdict {
        case .pause(let reply): return pause(reply)
        case .less: mostRecords = max(1, mostRecords / 2)
        case .next: break
        }
        onChange()
        attempts = 0
        work?.arm(at: Self.atOnce)
        // The hub answers again, so that there is no reason to wait for pushes later.
        if pushRequest == nil, pushAttempts > 0 {
            pushAttempts = 0
            listening?.arm(at: Self.atOnce)
        }
    }

    private func note(_ reply: HubReply) {
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
        if case .later(let seconds?) = reply { requested = .seconds(max(0, min(seconds, 3_600))) }
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
        problem = "The copy on this machine cannot be read or written: \(error)"
        Log.error("\(error)")
        wait(nil)
    }

    private func removed() throws(StorageError) {
        Log.warning("the hub does not accept this machine any more; leave the account and join it again")
        try cache.write { (tables) throws(StorageError) in try tables.markRemoved() }
        account?.isRemoved = true
        begin()
        problem = "The hub does not accept this machine any more. Leave the account, and join it with another code."
    }

    private func finish(_ problem: String?) {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter(problem) }
    }

    // Pushes

    private func listen() {
        guard let client, pushRequest == nil else { return }
        isConnected = true
        var request = HubRequest(method: .get, path: "/v1/pushes?wait=\(Self.patience)")
        request.acceptsStream = channel.streams
        channel.begin(at: clock.monotonicNanoseconds)
        events = PushEventReader()
        pushRequest = client.send(
            request, within: .seconds(Self.patience + 30), part: { [weak self] in self?.received($0) }
        ) { [weak self] reply in self?.heard(reply) }
        if let deadline = channel.deadline { silence?.arm(at: deadline) }
    }

    /// Part of a stream of pushes has arrived.
    private func received(_ bytes: [UInt8]) {
        let texts = events.events(after: bytes)
        channel.hear(events: texts.count)
        silence?.disarm()
        pushAttempts = 0
        lastContact = clock.utcMicroseconds
        for text in texts {
            guard let account, let pushes = try? [Push](to: account.id, json: text), !pushes.isEmpty else { continue }
            do throws(StorageError) {
                try cache.write { (tables) throws(StorageError) in try tables.apply(pushes) }
            } catch {
                // They are pending at the hub, and the next request gets them.
                storageFailed(error)
                return endStream()
            }
            if !isBusy { work?.arm(after: .zero) }
            client?.send(HubRequest(method: .post, path: "/v1/pushes", body: pushes.json)) { [weak self] reply in
                // What was not acknowledged comes again.
                if case .done = reply {} else { self?.endStream() }
            }
        }
        if events.isTooLong { endStream() }
    }

    /// Ends a stream, and begins it again later.
    private func endStream() {
        guard channel.streams, let request = pushRequest else { return }
        client?.cancel(request)
        (pushRequest, isConnected) = (nil, false)
        listenLater(nil)
    }

    /// Uses requests that wait, because nothing of a stream has arrived.
    private func giveUpStream() {
        guard channel.expire(at: clock.monotonicNanoseconds) else { return }
        Log.notice("a proxy does not pass on a stream of pushes; requests wait for them instead")
        if let request = pushRequest { client?.cancel(request) }
        (pushRequest, isConnected) = (nil, false)
        listening?.arm(after: .zero)
    }

    private func heard(_ reply: HubReply) {
        (pushRequest, isConnected) = (nil, false)
        silence?.disarm()
        let isShort = channel.end(at: clock.monotonicNanoseconds)
        note(reply)
        guard let client, let account else { return }
        if isShort, case .done = reply { return listenLater(nil) }
        switch reply {
        case .done(let body):
            pushAttempts = 0
            guard let pushes = try? [Push](to: account.id, json: body), !pushes.isEmpty else {
                listening?.arm(at: Self.atOnce)
                return
            }
            do throws(StorageError) {
                try cache.write { (tables) throws(StorageError) in try tables.apply(pushes) }
            } catch {
                storageFailed(error)
                return listenLater(nil)
            }
            if !isBusy { work?.arm(at: Self.atOnce) }
            let answer = HubRequest(method: .post, path: "/v1/pushes", body: pushes.json)
            pushRequest = client.send(answer) { [weak self] reply in
                guard let self else { return }
                pushRequest = nil
                if case .done = reply { listening?.arm(at: Self.atOnce) } else { listenLater(nil) }
            }
        case .notAccepted:
            do throws(StorageError) { try removed() } catch { storageFailed(error) }
        case .later(let seconds): listenLater(seconds.map { .seconds(min($0, 3_600)) })
        default: listenLater(nil)
        }
    }

    private func listenLater(_ requested: Duration?) {
        pushAttempts += 1
        listening?.arm(
            after: RetryPolicy.delay(after: pushAttempts, random: .random(in: 0..<1), requested: requested))
    }
}

/// Why this machine does not join an account.
enum JoinFailure: Error, Equatable {
    case alreadyJoined
    /// The hub's sentence about the code.
    case code(String)
    /// Why the hub cannot be used.
    case hub(String)
    case storage(String)
}

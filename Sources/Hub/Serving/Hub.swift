import HTTPServing
import Location
import Platform
import Records

/// The hub on the event loop: admits requests, passes them to the desk, and wakes the devices that wait for a push.
@DaemonActor
final class Hub: HTTPService {
    let queue: TaskQueue
    let statistics = HubStatistics()
    let waiters: PushWaiters
    private let clock: any TimeSource
    private let admissions = Admissions()
    var tokens: KnownTokens
    private var joins = JoinLimiter()
    private var failures = LoggedFailures()
    private var refusals = RefusalLog()
    /// Whether new indexes are being filled.
    private var isFilling = false

    /// The longest time for which a request waits for a push, in seconds.
    static let longestWait = 300

    init(_ desk: any HubDesk, clock: any TimeSource = SystemClock()) throws(SystemError) {
        self.clock = clock
        queue = TaskQueue(desk, clock: clock)
        waiters = try PushWaiters(clock: clock)
        tokens = KnownTokens(clock: clock)
        waiters.wake = { [weak self] in self?.readPushes(for: $0) }
        waiters.expire = { [weak self] waiter in
            guard !waiter.isBegun else { return waiter.exchange.finishStream() }
            // A client whose pushes were not read may find another hub that can.
            let failure = waiter.failure.map { HubError.unavailable($0).reply }
            self?.finish(waiter.exchange, failure ?? HTTPReply(200, json: [Push]().json))
        }
        queue.report = { [weak self] in if let failure = $0.failure { self?.note(failure) } }
    }

    /// Counts a failure of the engine, and writes it to the log unless that was done not long ago.
    private func note(_ failure: EngineFailure) {
        statistics.failures += 1
        guard failures.isNew(failure, at: clock.monotonicNanoseconds) else { return }
        Log.error("the records cannot be used: \(failure)")
    }

    /// How many requests wait for a push.
    var waiting: Int { waiters.count }
    /// Whether a request of a device waits for a push.
    func isWaiting(_ device: AccountDevice) -> Bool { waiters.isWaiting(device) }

    // Requests

    /// Decides about a body before it is received: who sends it, and whether there is room for it.
    func begin(_ exchange: Exchange) {
        let request = exchange.request
        guard let authorization = request.authorization else { return admit(exchange, nil) }
        if let caller = tokens.caller(authorization) { return admit(exchange, caller) }
        queue.submit(.identify(authorization: authorization)) { [weak self, weak exchange] result in
            guard let self, let exchange, !exchange.isOver else { return }
            switch result {
            case .caller(let caller?):
                tokens.remember(caller, authorization)
                admit(exchange, caller)
            case .caller(nil): finish(exchange, HubError.tokenOfNobody.reply)
            case .failed(let failure): refuse(exchange, HubError.unavailable(failure).reply)
            default: finish(exchange, nil)
            }
        }
    }

    private func admit(_ exchange: Exchange, _ caller: Caller?) {
        let device = caller?.accountDevice
        guard let admission = admissions.admit(exchange, from: device) else {
            statistics.postponed += 1
            var error = HubError(
                429, "tooManyRequests",
                "Too many requests are in progress. Wait for their answers, then repeat this one.")
            error.retryAfter = 1
            guard device == nil else { return refuse(exchange, error.reply) }
            return finish(exchange, error.reply)
        }
        exchange.context = admission
        if admission.isUpload { return beginUpload(exchange) }
        exchange.admit(bodyUpTo: admission.longestBody)
    }

    /// Answers a complete request.
    func answer(_ exchange: Exchange) {
        let (request, resource) = (exchange.request, exchange.resource)
        // Also where the records cannot be used, for those who want to know whether the hub runs.
        if request.authorization == nil, request.method == "GET",
            let reply = HubDescription.reply(to: resource, HubLimits.records)
        {
            return finish(exchange, reply)
        }
        if case .join? = resource, !joins.admits(at: clock.monotonicNanoseconds) {
            var error = HubError(429, "tooManyRequests", "Too many devices try to join. Repeat this in a few seconds.")
            error.retryAfter = 5
            return finish(exchange, error.reply)
        }
        if case .pushes? = resource, request.method == "GET", let text = request.argument("wait") {
            guard let wait = Int(text), (0...Self.longestWait).contains(wait) else {
                let expected = "a number of seconds from 0 to \(Self.longestWait)"
                return finish(exchange, HubError.badArgument("wait", expected).reply)
            }
            if wait > 0, let device = (exchange.context as? Admission)?.device {
                // It waits, so it does not count among the requests in progress.
                exchange.context = nil
                let accepted = request.headers["accept"]?.split(separator: ",") ?? []
                let isStream = accepted.contains { $0.trimmed.hasPrefix(PushEvents.type) }
                let waiter = PushWaiters.Waiter(device, exchange, isStream: isStream)
                waiters.add(waiter, for: wait)
                return readPushes(for: waiter)
            }
        }
        if let admission = exchange.context as? Admission, let progress = admission.progress {
            // The last part was a whole one. A record may have the asset by now, and then the upload is over.
            if progress.isComplete { return finish(exchange, progress.reply(status: 201)) }
            return storePart(of: exchange, progress) { [weak self, weak exchange] answer in
                if let exchange { self?.finish(exchange, answer.reply) }
            }
        }
        let device = (exchange.context as? Admission)?.device
        queue.submit(.request(request, resource, from: device)) { [weak self, weak exchange] result in
            guard let self, case .answer(let answer) = result else { return }
            perform(answer)
            guard let exchange else { return }
            guard let range = answer.range else { return finish(exchange, answer.reply) }
            send(answer.reply, range, of: exchange)
        }
    }

    /// Answers a request that waits if there is a push, and lets it wait on otherwise, also after a failure of the engine. The
    /// token is checked each time.
    private func readPushes(for waiter: PushWaiters.Waiter) {
        guard !waiter.isReading else {
            waiter.isWoken = true
            return
        }
        waiter.isReading = true
        queue.submit(.request(waiter.exchange.request, .pushes)) { [weak self] result in
            waiter.isReading = false
            guard let self, case .answer(let answer) = result, !waiter.exchange.isOver else { return }
            if let failure = answer.failure { return waiters.postpone(waiter, after: failure) }
            waiters.resume(waiter)
            if waiter.isStream, answer.reply.status == 200 { return send(answer.reply.body, to: waiter) }
            guard answer.reply.status != 200 || answer.reply.body != [Push]().json else {
                guard waiter.isWoken else { return }
                waiter.isWoken = false
                return readPushes(for: waiter)
            }
            waiters.remove(waiter)
            if waiter.isBegun { return waiter.exchange.finishStream() }
            statistics.pushes += 1
            finish(waiter.exchange, answer.reply)
        }
    }

    /// Sends the pending pushes of a stream that goes on, unless it has them already.
    private func send(_ pushes: [UInt8], to waiter: PushWaiters.Waiter) {
        if !waiter.isBegun {
            waiter.isBegun = true
            statistics.count(200)
            var reply = HTTPReply(200, type: PushEvents.type)
            // nginx passes such a response on as it comes.
            reply.headers = [.init("Cache-Control", "no-store"), .init("X-Accel-Buffering", "no")]
            waiter.exchange.beginStream(reply)
            waiter.exchange.append(PushEvents.beginning)
        }
        if pushes != waiter.sent {
            waiter.sent = pushes
            if pushes != [Push]().json {
                statistics.pushes += 1
                waiter.exchange.append(PushEvents.event(pushes))
            }
        }
        guard waiter.isWoken else { return }
        waiter.isWoken = false
        readPushes(for: waiter)
    }

    /// What follows from a request once it is stored.
    private func perform(_ answer: HubAnswer) {
        wake(answer.pushes)
        if let event = answer.event { note(event) }
        if let event = answer.containerEvent { note(event) }
    }

    /// Writes a change of a team or a schema to the log, or that somebody was refused one, and fills new indexes.
    func note(_ event: ContainerEvent) {
        defer { if event.hasChangedSchema { fillIndexes() } }
        guard let text = event.text else { return }
        guard event.isRefusal else { return Log.notice(text) }
        switch refusals.entry(of: event.account, at: clock.monotonicNanoseconds) {
        case .refusal: Log.notice(text)
        case .omission:
            let actor = event.account.map { TeamActor.account($0) } ?? .administrator
            Log.notice("\(actor) was refused more requests, which are not logged for a minute")
        case .nothing: break
        }
    }

    func wake(_ pushes: [Push]) {
        for device in Set(pushes.map { AccountDevice($0.target.account, $0.target.device) }) { waiters.notify(device) }
    }

    // Other hubs of the database

    /// Wakes a device for which another hub has stored a push, or that another hub has removed.
    func wake(_ device: AccountDevice) { waiters.notify(device) }

    /// Wakes all devices that wait, because notifications of other hubs may have been lost.
    func wakeAll() { waiters.notifyAll() }

    /// Answers a request before its body was received, for a client that acts on the answer.
    func refuse(_ exchange: Exchange, _ reply: HTTPReply) {
        statistics.count(reply.status)
        exchange.refuseBody(reply)
    }

    func finish(_ exchange: Exchange, _ reply: HTTPReply?) {
        if let reply { statistics.count(reply.status) }
        exchange.reply(reply)
    }

    /// Fills new indexes with the records from before, a part at a time so that requests are answered in between. One that
    /// could not be filled is filled an hour later, or when the hub starts; queries do without it until then.
    func fillIndexes() {
        guard !isFilling else { return }
        isFilling = true
        fillIndexes(nil)
    }

    private func fillIndexes(_ filling: IndexFilling?) {
        queue.submit(.fillIndexes(filling)) { [weak self] result in
            guard let self else { return }
            if case .indexesFilled(let next?) = result {
                if filling == nil { Log.notice("filling the new indexes of \(next.container.name)") }
                return fillIndexes(next)
            }
            isFilling = false
            if filling != nil, case .indexesFilled = result { Log.notice("the new indexes are filled") }
        }
    }

    /// Removes what is old, a part at a time so that requests are answered in between.
    func removeOld() {
        queue.submit(.removeOld) { [weak self] result in
            if case .oldRemoved(isMore: true) = result { self?.removeOld() }
        }
    }
}

extension Substring {
    /// Without spaces at both ends.
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }
}

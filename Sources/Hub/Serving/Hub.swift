import Cryptography
import HTTPServing
import Location
import Platform
import Records

/// The hub on the event loop: admits requests, passes them to the desk, and wakes the devices that wait for a push.
@DaemonActor
final class Hub: HTTPService {
    let queue: TaskQueue
    let statistics = HubStatistics()
    private let waiters: PushWaiters
    private let clock: any TimeSource
    private var tokens: KnownTokens
    private var joins = JoinLimiter()
    private var failures = LoggedFailures()
    private var refusals = RefusalLog()
    private var isFilling = false
    /// Bytes of bodies that are being received or wait.
    private var reservedBytes = 0
    /// Assets that are being sent.
    private var downloads = 0
    /// Requests in progress of each device.
    private var inProgress: [AccountDevice?: Int] = [:]

    /// The most bytes of bodies at a time, of all clients: more requests are asked to come later.
    private static let mostReservedBytes = 64 << 20
    /// The most assets that are sent at a time, of all clients: of each a part is in memory.
    private static let mostDownloads = 256
    /// The longest body of a request without an account.
    private static let longestOpenBody = 64 << 10
    /// The most requests in progress of a device, besides one that waits for pushes, and of all clients without an account.
    private static let mostOfDevice = 32
    private static let mostAnonymous = 64
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
        let isUpload = device != nil && exchange.request.isUpload
        let longest =
            device == nil ? Self.longestOpenBody : isUpload ? HubLimits.partSize : HubLimits.longestBody
        let announced = exchange.request.headers["content-length"].flatMap(Int.init)
        let isChunked = exchange.request.headers["transfer-encoding"] != nil
        let bytes = isChunked ? longest : min(max(announced ?? 0, 0), longest)
        guard inProgress[device, default: 0] < (device == nil ? Self.mostAnonymous : Self.mostOfDevice),
            reservedBytes + bytes <= Self.mostReservedBytes,
            !exchange.request.isDownload || downloads < Self.mostDownloads
        else {
            statistics.postponed += 1
            var error = HubError(
                429, "tooManyRequests",
                "Too many requests are in progress. Wait for their answers, then repeat this one.")
            error.retryAfter = 1
            guard device == nil else { return refuse(exchange, error.reply) }
            return finish(exchange, error.reply)
        }
        exchange.context = Admission(self, device, bytes: bytes, downloads: exchange.request.isDownload ? 1 : 0)
        if isUpload { return beginUpload(exchange) }
        exchange.admit(bodyUpTo: longest)
    }

    /// A request that was admitted, until it is over.
    @DaemonActor
    private final class Admission {
        private weak let hub: Hub?
        let device: AccountDevice?
        /// How far the upload has come that the request continues.
        var progress: UploadProgress?
        private let bytes: Int
        private let downloads: Int

        init(_ hub: Hub, _ device: AccountDevice?, bytes: Int, downloads: Int) {
            self.hub = hub
            self.device = device
            self.bytes = bytes
            self.downloads = downloads
            hub.reservedBytes += bytes
            hub.downloads += downloads
            hub.inProgress[device, default: 0] += 1
        }

        isolated deinit {
            guard let hub else { return }
            hub.reservedBytes -= bytes
            hub.downloads -= downloads
            let count = hub.inProgress[device, default: 1] - 1
            hub.inProgress[device] = count > 0 ? count : nil
        }
    }

    /// Answers a complete request.
    func answer(_ exchange: Exchange) {
        let request = exchange.request
        let resource = Resource(path: request.path)
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
        queue.submit(.request(request, from: device)) { [weak self, weak exchange] result in
            guard let self, case .answer(let answer) = result else { return }
            perform(answer)
            guard let exchange else { return }
            guard let range = answer.range else { return finish(exchange, answer.reply) }
            send(answer.reply, range, of: exchange)
        }
    }

    // Assets

    /// Decides about an upload before its body is received: whether the part begins where the last one ended.
    private func beginUpload(_ exchange: Exchange) {
        var request = exchange.request
        request.body = []
        queue.submit(.request(request)) { [weak self, weak exchange] result in
            guard let self, let exchange, case .answer(let answer) = result else { return }
            guard answer.reply.status < 300, let progress = answer.reply.progress, !progress.isComplete else {
                return refuse(exchange, answer.reply)
            }
            (exchange.context as? Admission)?.progress = progress
            exchange.admit(bodyUpTo: Int(progress.size - progress.offset), inPartsOf: HubLimits.partSize)
        }
    }

    /// Stores a part of the body of an upload. The sender continues when it is stored.
    func receivePart(_ exchange: Exchange) {
        guard let admission = exchange.context as? Admission, let progress = admission.progress else {
            return exchange.reply(nil)
        }
        storePart(of: exchange, progress) { [weak self, weak exchange] answer in
            guard let exchange else { return }
            if answer.reply.status < 300 { return exchange.acceptPart() }
            self?.statistics.count(answer.reply.status)
            exchange.refusePart(answer.reply)
        }
    }

    private func storePart(
        of exchange: Exchange, _ progress: UploadProgress, _ completion: @escaping @DaemonActor (HubAnswer) -> Void
    ) {
        var request = exchange.request
        request.method = "PATCH"
        request.headers["upload-offset"] = "\(progress.offset)"
        request.headers["upload-length"] = "\(progress.size)"
        let end = progress.offset + Int64(request.body.count)
        queue.submit(.request(request)) { [weak exchange] result in
            guard case .answer(var answer) = result else { return }
            // A part that was stored although its commit has failed is performed once more.
            if answer.reply.status == 409, let found = answer.reply.progress, found.offset == end {
                answer.reply = HTTPReply(found.isComplete ? 201 : 204)
                answer.reply.headers = found.headers
            }
            if answer.reply.status < 300, let admission = exchange?.context as? Admission {
                admission.progress = answer.reply.progress
            }
            completion(answer)
        }
    }

    /// Sends an asset, part by part: the next one is read when the last one was sent.
    private func send(_ reply: HTTPReply, _ range: ByteRange, of exchange: Exchange) {
        statistics.count(reply.status)
        guard exchange.request.method == "GET", range.count > Int64(reply.body.count) else {
            guard exchange.request.method == "HEAD" else { return exchange.reply(reply) }
            return exchange.reply(reply, length: Int(range.count)) { _ in }
        }
        var first: [UInt8]? = reply.body
        exchange.reply(reply, length: Int(range.count)) { [weak self, weak exchange] offset in
            guard let exchange else { return }
            if let bytes = first {
                first = nil
                return DaemonActor.post { exchange.provide(bytes) }
            }
            self?.readPart(from: range.first + Int64(offset), to: range.first + range.count, of: exchange)
        }
    }

    private func readPart(from offset: Int64, to end: Int64, of exchange: Exchange) {
        var request = exchange.request
        request.headers["range"] = "bytes=\(offset)-\(end - 1)"
        request.headers["if-range"] = nil
        request.headers["if-none-match"] = nil
        queue.submit(.request(request)) { [weak exchange] result in
            guard case .answer(let answer) = result else { return }
            // Without bytes the connection is closed, because the status cannot be changed any more.
            exchange?.provide(answer.reply.status == 206 ? answer.reply.body : [])
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
        queue.submit(.request(waiter.exchange.request)) { [weak self] result in
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
        switch refusals.entry(at: clock.monotonicNanoseconds) {
        case .refusal: Log.notice(text)
        case .omission: Log.notice("there were more refusals, which are not logged for a minute")
        case .nothing: break
        }
    }

    private func wake(_ pushes: [Push]) {
        for device in Set(pushes.map { AccountDevice($0.target.account, $0.target.device) }) { waiters.notify(device) }
    }

    // Other hubs of the database

    /// Wakes a device for which another hub has stored a push, or that another hub has removed.
    func wake(_ device: AccountDevice) { waiters.notify(device) }

    /// Wakes all devices that wait, because notifications of other hubs may have been lost.
    func wakeAll() { waiters.notifyAll() }

    /// Answers a request before its body was received, for a client that acts on the answer.
    private func refuse(_ exchange: Exchange, _ reply: HTTPReply) {
        statistics.count(reply.status)
        exchange.refuseBody(reply)
    }

    private func finish(_ exchange: Exchange, _ reply: HTTPReply?) {
        if let reply { statistics.count(reply.status) }
        exchange.reply(reply)
    }

    // Accounts

    /// Writes a change of an account's devices to the log, and ends what a removed device does.
    private func note(_ event: AccountEvent) {
        switch event {
        case .invited(let id): Log.notice("device \(id.device) was invited to account \(id.account)")
        case .joined(let id): Log.notice("device \(id.device) has joined account \(id.account)")
        case .removed(let id):
            Log.notice("device \(id.device) was removed from account \(id.account)")
            tokens.forget(id)
            // Its requests that wait are answered with 401.
            waiters.notify(id)
        }
    }

    /// Invites a device, and passes on its code.
    func invite(
        _ device: AccountDevice, seconds: Double,
        _ completion: @escaping @DaemonActor (Result<(code: String, row: InvitationRow), InviteFailure>) -> Void
    ) {
        let code = InvitationCode(RandomBytes.make(InvitationCode.size))
        queue.submit(.invite(device, code: code.bytes, seconds: seconds)) { [weak self] result in
            switch result {
            case .invitation(.success(let row)):
                self?.note(.invited(device))
                completion(.success((code.text, row)))
            case .invitation(.failure(let refusal)): completion(.failure(.refused(refusal)))
            case .failed(let failure): completion(.failure(.engine(failure)))
            default: break
            }
        }
    }

    /// Removes a device.
    func remove(_ device: AccountDevice, _ completion: @escaping @DaemonActor (InviteFailure?) -> Void) {
        queue.submit(.remove(device)) { [weak self] result in
            switch result {
            case .removal(nil, let pushes):
                self?.note(.removed(device))
                self?.wake(pushes)
                completion(nil)
            case .removal(let refusal?, _): completion(.refused(refusal))
            case .failed(let failure): completion(.engine(failure))
            default: break
            }
        }
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

/// Why a device was not invited or removed.
enum InviteFailure: Error {
    case refused(AccountRefusal)
    case engine(EngineFailure)
}

/// Limits of the hub's HTTP.
enum HubLimits {
    /// The longest body: the JSON of the largest request, which has four times the bytes of its records.
    static let longestBody = 4 * records.requestBytes
    /// The size of the parts in which assets are stored: each waits for the disk.
    static let partSize = 1 << 20
    /// The size of the parts in which assets are read.
    static let readSize = 256 << 10
    /// The limits of records.
    static let records = SyncRules().limits
}

extension ServedRequest {
    /// Whether the body is part of an asset.
    fileprivate var isUpload: Bool {
        guard method == "PUT" || method == "PATCH", case .zone(_, .upload)? = Resource(path: path) else { return false }
        return true
    }
}

extension ServedRequest {
    /// Whether the response is an asset.
    fileprivate var isDownload: Bool {
        guard method == "GET", case .zone(_, .asset)? = Resource(path: path) else { return false }
        return true
    }
}

extension HTTPReply {
    /// How far an upload has come, as the headers say.
    fileprivate var progress: UploadProgress? {
        func value(_ name: String) -> String? { headers.first { $0.name == name }?.value }
        guard let offset = value("Upload-Offset").flatMap({ Int64($0) }),
            let size = value("Upload-Length").flatMap({ Int64($0) })
        else { return nil }
        return UploadProgress(offset: offset, size: size, isComplete: value("Upload-Complete") == "?1")
    }
}

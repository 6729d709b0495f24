import Durations
import Platform
import Records
import Storage
import Upload

/// Receives the pushes of an account: stores them in the copy, which lists the zones to fetch then, and acknowledges them. It waits
/// for them by a stream of events, or by requests that are answered with the next push, as `PushChannel` says.
@DaemonActor
final class PushReceiver {
    /// What the carrier has to know.
    enum Report {
        /// Part of a stream has arrived.
        case contact
        /// A request that waited for pushes has ended.
        case ended(HubReply)
        /// Pushes are in the copy, or everything is marked there as to be fetched, because pushes are not understood.
        case stored
        /// Pushes cannot be stored. The hub has them until they are acknowledged.
        case notStored(StorageError)
    }

    var onReport: @DaemonActor (Report) -> Void = { _ in }
    /// Whether a request waits for pushes.
    private(set) var isConnected = false

    private let cache: SyncCache
    private let clock: any TimeSource
    private var client: HubClient?
    private var account: AccountDevice?
    private var channel = PushChannel()
    private var events = PushEventReader()
    /// The request that waits, or that acknowledges what the one before it was answered with.
    private var request: UInt64?
    private var next: TimerSource?
    /// Ends a stream of which nothing arrives.
    private var silence: TimerSource?
    private var attempts = 0
    /// Whether the hub has sent last what is no list of pushes.
    private var isStrange = false

    /// How long a request waits for pushes.
    private static let patience = 300

    init(_ cache: SyncCache, clock: any TimeSource) throws {
        self.cache = cache
        self.clock = clock
        next = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.listen() }
        silence = try TimerSource(accuracy: .milliseconds(500)) { [weak self] in self?.giveUpStream() }
    }

    /// Waits for pushes to a device from now on.
    func begin(_ client: HubClient, for account: AccountDevice) {
        end()
        (self.client, self.account) = (client, account)
        next?.arm(after: .zero)
    }

    /// Ends everything. The requests end with their client, which the caller closes.
    func end() {
        (client, account, request, isConnected, attempts, isStrange) = (nil, nil, nil, false, 0, false)
        next?.disarm()
        silence?.disarm()
        channel.networkChanged()
    }

    /// Makes the next attempt now, if none is in progress.
    func hurry() {
        attempts = 0
        if client != nil, request == nil { next?.arm(after: .zero) }
    }

    /// The hub answers other requests: there is no reason to wait after an attempt that has failed. After pushes that are not
    /// understood there is one, because everything is fetched then, and the hub would send the same pushes after each answer.
    func hubAnswers() {
        if attempts > 0, !isStrange { hurry() }
    }

    /// The network is another one: requests that are pending over the one before are given up.
    func networkChanged() {
        giveUpRequest()
        channel.networkChanged()
        hurry()
    }

    private func listen() {
        guard let client, request == nil else { return }
        isConnected = true
        var wait = HubRequest(method: .get, path: "/v1/pushes?wait=\(Self.patience)")
        wait.acceptsStream = channel.streams
        wait.time = .seconds(Self.patience + 30)
        channel.begin(at: clock.monotonicNanoseconds)
        events = PushEventReader()
        request = client.send(wait, part: { [weak self] in self?.receivePart($0) }) { [weak self] reply in
            self?.ended(reply)
        }
        if let deadline = channel.deadline { silence?.arm(at: deadline) }
    }

    private func listenLater(_ requested: Duration? = nil) {
        attempts += 1
        next?.arm(after: RetryPolicy.delay(after: attempts, random: .random(in: 0..<1), requested: requested))
    }

    private func giveUpRequest() {
        if let request { client?.cancel(request) }
        (request, isConnected) = (nil, false)
        silence?.disarm()
    }

    // Pushes

    /// What has become of a list of pushes.
    private enum Receipt {
        /// There was none.
        case missing
        case empty
        /// They are in the copy, and this request acknowledges them.
        case stored(UInt64?)
        case notStored
        /// They are not understood, and everything is to be fetched.
        case strange
    }

    /// Stores a list of pushes and acknowledges them. What is not acknowledged comes again.
    private func receive(_ list: [UInt8], acknowledged: @escaping @DaemonActor (HubReply) -> Void) -> Receipt {
        guard let account else { return .empty }
        let pushes: [Push]
        switch PushList(list, to: account) {
        case .missing: return .missing
        case .empty:
            isStrange = false
            return .empty
        case .strange: return receiveStrange()
        case .pushes(let received):
            isStrange = false
            pushes = received
        }
        do throws(StorageError) {
            try cache.write { (tables) throws(StorageError) in try tables.apply(pushes) }
        } catch {
            onReport(.notStored(error))
            return .notStored
        }
        onReport(.stored)
        let acknowledgement = HubRequest(method: .post, path: "/v1/pushes", body: pushes.json)
        return .stored(client?.send(acknowledgement, completion: acknowledged))
    }

    /// Marks everything as to be fetched, because it is not known what has changed. The hub sends the same pushes again, which are not
    /// acknowledged, so that they are requested after longer and longer pauses.
    private func receiveStrange() -> Receipt {
        if !isStrange { Log.warning("the hub's pushes are not understood; everything is fetched in their place") }
        isStrange = true
        do throws(StorageError) {
            try cache.write { (tables) throws(StorageError) in try tables.markAllStale() }
        } catch {
            onReport(.notStored(error))
            return .notStored
        }
        onReport(.stored)
        return .strange
    }

    /// Part of a stream has arrived.
    private func receivePart(_ bytes: [UInt8]) {
        let lists = events.events(after: bytes)
        channel.hear(events: lists.count)
        silence?.disarm()
        if !isStrange { attempts = 0 }
        onReport(.contact)
        for list in lists {
            let receipt = receive(list) { [weak self] reply in
                if case .done = reply {} else { self?.endStream() }
            }
            switch receipt {
            case .missing, .empty, .stored: break
            case .notStored, .strange: return endStream()
            }
        }
        if events.isTooLong {
            _ = receiveStrange()
            endStream()
        }
    }

    /// Ends a stream, and begins it again later.
    private func endStream() {
        guard channel.streams, request != nil else { return }
        giveUpRequest()
        listenLater()
    }

    /// Uses requests that wait, because nothing of a stream has arrived.
    private func giveUpStream() {
        guard channel.expire(at: clock.monotonicNanoseconds) else { return }
        Log.notice("a proxy does not pass on a stream of pushes; requests wait for them instead")
        giveUpRequest()
        next?.arm(after: .zero)
    }

    /// A request has ended that waited for pushes.
    private func ended(_ reply: HubReply) {
        (request, isConnected) = (nil, false)
        silence?.disarm()
        let isShort = channel.end(at: clock.monotonicNanoseconds)
        onReport(.ended(reply))
        guard client != nil else { return }
        switch reply {
        case .done where isShort: listenLater()
        case .done(let list): answered(with: list)
        case .later(let seconds, _): listenLater(seconds.map { .seconds(min($0, 3_600)) })
        default: listenLater()
        }
    }

    private func answered(with list: [UInt8]) {
        let receipt = receive(list) { [weak self] reply in
            guard let self else { return }
            request = nil
            if case .done = reply { next?.arm(after: .zero) } else { listenLater() }
        }
        switch receipt {
        // An answer without a list and without a stream says nothing, and the next one would be as empty.
        case .missing where !channel.isHeard: listenLater()
        case .missing, .empty:
            (attempts, isStrange) = (0, false)
            next?.arm(after: .zero)
        case .stored(let acknowledgement):
            attempts = 0
            request = acknowledgement
        case .notStored:
            if !isStrange { attempts = 0 }
            listenLater()
        case .strange: listenLater()
        }
    }
}

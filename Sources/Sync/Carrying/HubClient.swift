import Durations
import HTTP
import Platform
import Records
import Upload

/// Requests of one account to its hub.
@DaemonActor
final class HubClient {
    private let address: String
    private let authorization: [HTTPAnswer.Header]
    private let client: HTTPClient
    private var timeout: TimerSource?
    private let clock: any TimeSource
    private var last: UInt64 = 0
    private var requests: [UInt64: Pending] = [:]

    private struct Pending {
        let deadline: UInt64
        let completion: @DaemonActor (HTTPOutcome) -> Void
    }

    /// Pages have 2 MiB of records, of which a byte may need 6 in JSON.
    private static let longestAnswer = 16 << 20

    /// A client for a hub. Without a token it can only join.
    init(
        hub: String, pin: [UInt8]?, token: String?, authorityFile: String = "", clock: any TimeSource
    ) throws {
        address = hub
        authorization = token.map { [HTTPAnswer.Header("Authorization", "Bearer \($0)")] } ?? []
        self.clock = clock
        client = try HTTPClient(
            HTTPSettings(authorityFile: authorityFile, pinnedKey: pin, longestAnswer: Self.longestAnswer), clock: clock)
        timeout = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.expire() }
    }

    /// Sends a request. The completion is called once, later, and not at all if the client is closed.
    /// - Parameter part: Is called with each piece of a stream of events.
    @discardableResult
    func send(
        _ request: HubRequest, part: (@DaemonActor ([UInt8]) -> Void)? = nil,
        completion: @escaping @DaemonActor (HubReply) -> Void
    ) -> UInt64 {
        exchange(request, part: part) { completion(HubReply($0)) }
    }

    /// Sends a request whose answer is not one of those that `HubReply` has.
    @discardableResult
    func exchange(
        _ request: HubRequest, part: (@DaemonActor ([UInt8]) -> Void)? = nil,
        completion: @escaping @DaemonActor (HTTPOutcome) -> Void
    ) -> UInt64 {
        last += 1
        let id = last
        requests[id] = Pending(deadline: clock.monotonicNanoseconds.after(request.time), completion: completion)
        var headers = authorization + request.headers
        if !request.body.isEmpty { headers.append(HTTPAnswer.Header("Content-Type", request.type)) }
        if request.acceptsStream { headers.append(HTTPAnswer.Header("Accept", PushEvents.type)) }
        let whole = HTTPRequest(
            request.method, url: address + request.path, headers: headers, key: request.key, body: request.body)
        client.send(id, whole, part: part) { [weak self] outcome in self?.ended(id, outcome) }
        armTimeout()
        return id
    }

    /// Gives a request up, without a completion.
    func cancel(_ id: UInt64) {
        guard requests.removeValue(forKey: id) != nil else { return }
        client.cancel(id)
        armTimeout()
    }

    /// The next request makes a new connection, because the network may have changed.
    func forgetConnections() { client.forgetConnections() }

    /// Ends everything, without completions.
    func close() {
        requests = [:]
        timeout?.disarm()
        client.close()
    }

    private func ended(_ id: UInt64, _ outcome: HTTPOutcome) {
        guard let pending = requests.removeValue(forKey: id) else { return }
        armTimeout()
        pending.completion(outcome)
    }

    private func armTimeout() {
        guard let next = requests.values.map(\.deadline).min() else { return timeout?.disarm() ?? () }
        timeout?.arm(at: next)
    }

    private func expire() {
        let now = clock.monotonicNanoseconds
        for (id, pending) in requests where pending.deadline <= now {
            requests[id] = nil
            client.cancel(id)
            pending.completion(.failed(.timedOut))
        }
        armTimeout()
    }
}

import CCurl
import Durations
import Platform
import Upload

/// Sends requests to a destination through libcurl on the event loop. Connections are reused, HTTP/2 is used if it is
/// offered, and names are resolved by a thread that exists for as long as the lookup.
///
/// TLS is 1.2 or later and always verified. Redirections are not followed; proxies of the environment, `.netrc` and
/// cookies are not used. Only the connection phase has a time limit: the caller cancels a request that lasts too long.
@DaemonActor
public final class HTTPClient {
    /// A request in flight.
    private struct InProgress {
        let id: UInt64
        let lane: Lane
        /// The connections that the request uses, retained for as long as it needs them.
        let multi: CurlMulti
        let completion: @DaemonActor (HTTPOutcome) -> Void
    }

    /// The number of idle lanes retained for the next requests.
    private static let mostIdle = 2
    /// The most abandoned lookups within `lookupMemory`; each of them is a thread.
    private static let mostLookups = 8
    /// Longer than the system's resolver tries with its default settings.
    private static let lookupMemory = Duration.seconds(60)

    private let settings: HTTPSettings
    private let authorization: AuthorizationHeader?
    private let clock: any TimeSource
    private var multi: CurlMulti?
    private var idle: [Lane] = []
    private var inProgress: [UnsafeMutableRawPointer: InProgress] = [:]
    /// When lookups were abandoned, nanoseconds of CLOCK_MONOTONIC.
    private var lookups: [UInt64] = []
    /// The number of new connections since the client was made.
    public private(set) var connections: UInt64 = 0

    /// A client without connections.
    public init(_ settings: HTTPSettings, clock: any TimeSource = SystemClock()) throws(HTTPSetupError) {
        guard CurlLibrary.isReady else { throw .library }
        self.settings = settings
        self.clock = clock
        authorization = try AuthorizationHeader(settings.credential)
    }

    /// Sends a request. The completion is called once, later, from the loop, and not at all if the request is
    /// cancelled.
    /// - Parameter part: Is called, later, with each piece of a body of the type that the request accepts as a stream, which is no
    ///   part of the response then.
    public func send(
        _ id: UInt64, _ request: HTTPRequest, part: (@DaemonActor ([UInt8]) -> Void)? = nil,
        completion: @escaping @DaemonActor (HTTPOutcome) -> Void
    ) {
        let prepared = prepare(request)
        if let part, case .success(let lane) = prepared.lane {
            lane.receiveParts { [weak self] bytes in
                guard self?.isInProgress(id) == true else { return }
                part(bytes)
            }
        }
        send(id, prepared, completion: completion)
    }

    private func isInProgress(_ id: UInt64) -> Bool { inProgress.values.contains { $0.id == id } }

    /// Prepares a request completely, so that sending it later costs less.
    public func prepare(_ request: HTTPRequest) -> PreparedRequest {
        do throws(HTTPSetupError) {
            let lane = if let reusable = idle.popLast() { reusable } else { try Lane(settings, authorization) }
            try lane.load(request)
            return PreparedRequest(.success(lane))
        } catch {
            return PreparedRequest(.failure(error))
        }
    }

    /// Sends a request that `prepare` of this client has returned, once; the completion is called as above.
    public func send(
        _ id: UInt64, _ request: PreparedRequest, completion: @escaping @DaemonActor (HTTPOutcome) -> Void
    ) {
        lookups.removeAll { clock.monotonicNanoseconds >= $0.after(Self.lookupMemory) }
        guard lookups.count < Self.mostLookups else {
            DaemonActor.post { completion(.failed(.nameLookup)) }
            return
        }
        do throws(HTTPSetupError) {
            let lane = try request.lane.get()
            let multi = if let multi { multi } else { try makeMulti() }
            self.multi = multi
            inProgress[lane.handle] = InProgress(id: id, lane: lane, multi: multi, completion: completion)
            multi.transfers += 1
            guard multi.add(lane.handle) else {
                multi.transfers -= 1
                inProgress[lane.handle] = nil
                throw .library
            }
        } catch {
            // Memory or descriptors are exhausted: retried like any failure.
            Log.warning("a request cannot be sent: \(error)")
            DaemonActor.post { completion(.failed(.connect)) }
        }
    }

    /// Cancels a request: its completion is not called, and its connection is closed, because it may be the reason for
    /// the missing response.
    public func cancel(_ id: UInt64) {
        guard let (handle, given) = inProgress.first(where: { $0.value.id == id }) else { return }
        noteLookup(given.lane)
        inProgress[handle] = nil
        end(given)
        forgetConnections()
    }

    /// The next request opens a new connection and resolves the name again, because the network path may have changed.
    /// Requests in flight continue.
    public func forgetConnections() {
        multi = nil
    }

    /// Cancels everything.
    public func close() {
        for given in inProgress.values { end(given) }
        inProgress = [:]
        idle = []
        multi = nil
    }

    private func end(_ given: InProgress) {
        given.multi.transfers -= 1
        given.multi.remove(given.lane.handle)
    }

    private func makeMulti() throws(HTTPSetupError) -> CurlMulti {
        try CurlMulti(clock: clock) { [weak self] handle, result in self?.ended(handle, result) }
    }

    private func ended(_ handle: UnsafeMutableRawPointer, _ result: CURLcode) {
        guard let given = inProgress.removeValue(forKey: handle) else { return }
        if result == CURLE_OPERATION_TIMEDOUT { noteLookup(given.lane) }
        connections += UInt64(max(0, waymark_curl_number(handle, CURLINFO_NUM_CONNECTS)))
        given.multi.transfers -= 1
        // The consequences of the response come first, above all the next request; then this one is cleaned up.
        given.completion(given.lane.unload(result))
        given.multi.remove(given.lane.handle)
        if idle.count < Self.mostIdle { idle.append(given.lane) }
    }

    /// Counts a lookup that continues although no request waits for it.
    private func noteLookup(_ lane: Lane) {
        if !lane.hasAddress { lookups.append(clock.monotonicNanoseconds) }
    }

    isolated deinit {
        close()
    }
}

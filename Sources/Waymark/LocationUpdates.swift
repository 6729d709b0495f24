import Glibc
import Interfaces
import Location
import Platform
import Varlink

/// Positions as they come, in the manner of Core Location's `CLLocationUpdate.liveUpdates()`.
///
///     for try await update in WaymarkClient().updates() {
///         if let position = update.position { … }
///     }
///
/// The first update comes at once, with or without a position; further ones for every position that is due and whenever
/// the reason changes why there is none. Only the newest waits for a slow reader: what it misses is counted in
/// `dropped`. The sequence ends with an error when the daemon refuses or goes away. Each iterator has a connection and
/// a thread of its own, both gone when it is.
public struct LocationUpdates: AsyncSequence, Sendable {
    /// What is told.
    public typealias Element = LocationUpdate
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let client: WaymarkClient
    let request: MonitorRequest

    /// Starts to listen.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(client: client, request: request)
    }

    /// Reads updates one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var updates: AsyncThrowingStream<LocationUpdate, any Error>.AsyncIterator

        init(client: WaymarkClient, request: MonitorRequest) {
            let stream = AsyncThrowingStream<LocationUpdate, any Error>(bufferingPolicy: .bufferingNewest(1)) {
                output in
                LocationListener.start(client: client, request: request, output: output)
            }
            updates = stream.makeAsyncIterator()
        }

        /// The next update; throws a `WaymarkError`.
        public mutating func next() async throws -> LocationUpdate? {
            try await updates.next()
        }
    }
}

/// The thread behind one iterator: reads a connection and hands on what comes, until the reader is gone.
private final class LocationListener: Sendable {
    private let client: WaymarkClient
    private let request: MonitorRequest
    private let output: AsyncThrowingStream<LocationUpdate, any Error>.Continuation
    private let ended = WakeDescriptor()

    private init(
        client: WaymarkClient, request: MonitorRequest,
        output: AsyncThrowingStream<LocationUpdate, any Error>.Continuation
    ) {
        self.client = client
        self.request = request
        self.output = output
    }

    static func start(
        client: WaymarkClient, request: MonitorRequest,
        output: AsyncThrowingStream<LocationUpdate, any Error>.Continuation
    ) {
        let listener = LocationListener(client: client, request: request, output: output)
        output.onTermination = { _ in listener.ended.signal() }
        do throws(SystemError) {
            try DetachedThread.start(name: "waymark-updates") { listener.run() }
        } catch {
            output.finish(throwing: error)
        }
    }

    private func run() {
        do throws(WaymarkError) {
            try listen()
            output.finish(throwing: WaymarkError.disconnected)
        } catch {
            output.finish(throwing: error)
        }
    }

    private func listen() throws(WaymarkError) {
        var writer = JSONWriter()
        request.write(to: &writer)
        let stream = try client.stream(LocationMethod.monitor.rawValue, parameters: writer.bytes)
        var missed = 0
        while true {
            do throws(VarlinkError) {
                if try stream.client.waitReadable(alsoWatching: [ended.number]) != .reply { return }
                guard let reply = try stream.next() else { return }
                guard var update = reply.parameters["update"].flatMap(LocationUpdate.init) else {
                    throw .protocolViolation("an update without a status")
                }
                update.dropped += missed
                missed = 0
                switch output.yield(update) {
                // The stream kept the new update and let go of one that nobody had read.
                case .dropped(let unread): missed = unread.dropped + 1
                case .terminated: return
                default: break
                }
            } catch {
                throw WaymarkError(error, socketPath: client.socketPath)
            }
        }
    }
}

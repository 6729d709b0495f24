import CMicroHTTPD
import Glibc
import Platform

/// libmicrohttpd on the event loop, without a thread of its own.
@DaemonActor
public final class HTTPServer {
    private(set) weak var service: (any HTTPService)?
    private var daemon: OpaquePointer?
    private var source: IOSource?
    private var timer: TimerSource?
    private var isRunning = false
    /// Whether `run` is about to be called for connections that were resumed.
    private var willRun = false
    /// Connections that were answered before the whole body was received.
    private let lingering: LingeringConnections
    let clock: any TimeSource
    /// Exchanges that wait for the service: libmicrohttpd cannot be stopped while their connections are suspended.
    private var waiting: [ObjectIdentifier: Exchange] = [:]

    /// Serves the connections of a listening socket, which the server owns from here on: with TLS if there is a
    /// certificate with its key, in PEM.
    public init(
        _ socket: consuming OwnedDescriptor, identity: String? = nil, settings: ServerSettings = ServerSettings(),
        service: any HTTPService, clock: any TimeSource = SystemClock()
    ) throws(SystemError) {
        self.service = service
        self.clock = clock
        lingering = try LingeringConnections(clock: clock)
        // The object outlives libmicrohttpd's daemon, which `stop` ends and which makes callbacks only from within
        // `run` and `stop`.
        let context = Unmanaged.passUnretained(self).toOpaque()
        daemon = waymark_http_start(
            socket.number, identity, settings.connections, settings.connectionsOfAddress, settings.idleSeconds,
            settings.headBytes,
            { context, target, connection in
                guard let context, let connection, let target else { return nil }
                let started = StartedRequest(context: context, connection: connection, target: target)
                return DaemonActor.assumeIsolated { started.retainedExchange() }
            },
            { _, _, _, method, _, bytes, size, state in
                guard let method, let size, let exchange = state?.pointee else { return .NO }
                let part = RequestPart(method: method, bytes: bytes, size: size, exchange: exchange)
                return DaemonActor.assumeIsolated { part.handle() }
            },
            { _, _, state, _ in
                guard let exchange = state?.pointee else { return }
                state?.pointee = nil
                let ended = EndedRequest(exchange: exchange)
                DaemonActor.assumeIsolated { ended.handle() }
            }, context)
        // From here on the socket belongs to libmicrohttpd, which closes it when it is stopped.
        guard daemon != nil else { throw SystemError("start the server", code: EINVAL) }
        _ = socket.release()
        timer = try TimerSource(accuracy: .milliseconds(1)) { [weak self] in self?.run() }
        source = try IOSource(waymark_http_descriptor(daemon), .readable) { [weak self] _ in self?.run() }
        run()
    }

    /// The number of open connections.
    public var connections: Int { daemon.map { Int(waymark_http_connections($0)) } ?? 0 }

    /// Accepts no more connections, and ends the requests in progress.
    public func stop() {
        source?.cancel()
        source = nil
        timer = nil
        for exchange in waiting.values { exchange.abandon() }
        if let daemon { MHD_stop_daemon(daemon) }
        daemon = nil
        lingering.stop()
    }

    /// Receives what the client of a connection still sends, while libmicrohttpd closes the connection.
    func linger(_ connection: OpaquePointer) {
        let socket = waymark_http_socket(connection)
        if socket >= 0 { lingering.add(socket) }
    }

    func remember(_ exchange: Exchange) { waiting[ObjectIdentifier(exchange)] = exchange }
    func forget(_ exchange: Exchange) { waiting[ObjectIdentifier(exchange)] = nil }

    /// Continues connections that were resumed, once for all of them that are resumed in one go.
    func runSoon() {
        guard !willRun else { return }
        willRun = true
        Task { [weak self] in
            self?.willRun = false
            self?.run()
        }
    }

    /// Runs libmicrohttpd, and schedules its next call.
    private func run() {
        guard let daemon, !isRunning else { return }
        isRunning = true
        var milliseconds: UInt64 = 0
        var isTimed = false
        // Immediate work is done at once, because a timer may fire late, but only up to a limit.
        var rounds = 0
        repeat {
            MHD_run(daemon)
            isTimed = MHD_get_timeout(daemon, &milliseconds) == .YES
            rounds += 1
        } while isTimed && milliseconds == 0 && rounds < 16
        isRunning = false
        if isTimed {
            timer?.arm(after: .milliseconds(Int64(clamping: milliseconds)))
        } else {
            timer?.disarm()
        }
    }

}

// The arguments of libmicrohttpd's callbacks. It calls them on the loop's thread, where all arguments are used before the
// call returns.

/// The request line, which libmicrohttpd shows as it was sent: later it decodes the path, and a slash in a name is lost.
private struct StartedRequest: @unchecked Sendable {
    let context: UnsafeMutableRawPointer
    let connection: OpaquePointer
    let target: UnsafePointer<CChar>

    /// The exchange, which is released when libmicrohttpd ends the request.
    @DaemonActor func retainedExchange() -> UnsafeMutableRawPointer {
        let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
        let exchange = Exchange(connection, target: String(cString: target), of: server)
        return Unmanaged.passRetained(exchange).toOpaque()
    }
}

/// The head of a request, a piece of its body, or its end.
private struct RequestPart: @unchecked Sendable {
    let method: UnsafePointer<CChar>
    let bytes: UnsafePointer<CChar>?
    let size: UnsafeMutablePointer<Int>
    let exchange: UnsafeMutableRawPointer

    @DaemonActor func handle() -> MHD_Result {
        let exchange = Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue()
        // libmicrohttpd calls again with the next piece of a chunked body, if it has one, though the connection was just suspended.
        // It retains what is left of `size` until the connection is resumed.
        guard !exchange.isSuspended else { return .YES }
        let count = size.pointee
        size.pointee = 0
        return exchange.step(method, UnsafeRawBufferPointer(start: bytes, count: count))
    }
}

/// A request that was answered, or whose connection has failed.
private struct EndedRequest: @unchecked Sendable {
    let exchange: UnsafeMutableRawPointer

    @DaemonActor func handle() { Unmanaged<Exchange>.fromOpaque(exchange).takeRetainedValue().end() }
}

import CMicroHTTPD
import Glibc
import Platform

/// libmicrohttpd on the event loop, without a thread of its own.
@DaemonActor
final class HTTPServer {
    /// The response, and its delay; nil closes the connection.
    struct Answer {
        var reply: HTTPReply?
        var delay: Duration = .zero
    }

    private let handler: @DaemonActor (HTTPRequest) -> Answer
    private var daemon: OpaquePointer?
    private var source: IOSource?
    private var timer: TimerSource?
    private var isRunning = false
    /// Exchanges whose response is delayed.
    private var postponed: [ObjectIdentifier: Exchange] = [:]

    /// The most connections at a time; further ones wait to be accepted.
    private static let mostConnections: UInt32 = 256
    /// The time limit of an idle connection.
    private static let idleSeconds: UInt32 = 300

    /// Serves the connections of a listening socket, which the server owns from here on: with TLS if there is a
    /// certificate with its key, in PEM.
    init(
        _ socket: consuming OwnedDescriptor, identity: String? = nil,
        handler: @escaping @DaemonActor (HTTPRequest) -> Answer
    ) throws(SystemError) {
        self.handler = handler
        // The object outlives libmicrohttpd's daemon, which `stop` ends and which makes callbacks only from within
        // `run` and `stop`.
        let context = Unmanaged.passUnretained(self).toOpaque()
        daemon = waymark_http_start(
            socket.number, identity, Self.mostConnections, Self.idleSeconds,
            { context, connection, url, method, _, bytes, size, state in
                guard let context, let connection, let url, let method, let size, let state else { return .NO }
                let callback = RequestCallback(
                    context: context, connection: connection, url: url, method: method, bytes: bytes, size: size,
                    state: state)
                return DaemonActor.assumeIsolated { callback.server.step(callback) }
            },
            { _, _, state, _ in
                if let exchange = state?.pointee { Unmanaged<Exchange>.fromOpaque(exchange).release() }
                state?.pointee = nil
            }, context)
        // From here on the socket belongs to libmicrohttpd, which closes it when it is stopped.
        guard daemon != nil else { throw SystemError("start the server", code: EINVAL) }
        _ = socket.release()
        timer = try TimerSource(accuracy: .milliseconds(1)) { [weak self] in self?.run() }
        source = try IOSource(waymark_http_descriptor(daemon), .readable) { [weak self] _ in self?.run() }
        run()
    }

    /// Accepts no more connections, and ends the requests in progress.
    func stop() {
        source?.cancel()
        source = nil
        timer = nil
        // libmicrohttpd cannot be stopped while connections are suspended.
        for exchange in postponed.values { MHD_resume_connection(exchange.connection) }
        postponed = [:]
        if let daemon { MHD_stop_daemon(daemon) }
        daemon = nil
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

    /// Handles the beginning of a request, a piece of its body, or its end.
    private func step(_ callback: RequestCallback) -> MHD_Result {
        guard let known = callback.state.pointee else {
            let request = HTTPRequest(
                method: String(cString: callback.method), path: String(cString: callback.url))
            callback.state.pointee = Unmanaged.passRetained(Exchange(callback.connection, request)).toOpaque()
            return .YES
        }
        let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
        if callback.size.pointee > 0 {
            exchange.append(UnsafeRawBufferPointer(start: callback.bytes, count: callback.size.pointee))
            callback.size.pointee = 0
            return .YES
        }
        return finish(exchange)
    }

    /// Handles a complete request, or the end of its delay.
    private func finish(_ exchange: Exchange) -> MHD_Result {
        if let answer = exchange.answer { return exchange.send(answer.reply) }
        if exchange.isTooLong { return exchange.send(HTTPReply(413, saying: "The body is too long.")) }
        exchange.readHead()
        let answer = handler(exchange.request)
        guard answer.delay > .zero else { return exchange.send(answer.reply) }
        exchange.answer = answer
        do throws(SystemError) {
            try postpone(exchange, answer.delay)
        } catch {
            Log.error("no response: \(error)")
            return .NO
        }
        return .YES
    }

    private func postpone(_ exchange: Exchange, _ delay: Duration) throws(SystemError) {
        exchange.timer = try TimerSource(accuracy: .milliseconds(1)) { [weak self, weak exchange] in
            guard let self, let exchange else { return }
            postponed[ObjectIdentifier(exchange)] = nil
            MHD_resume_connection(exchange.connection)
            run()
        }
        MHD_suspend_connection(exchange.connection)
        postponed[ObjectIdentifier(exchange)] = exchange
        exchange.timer?.arm(after: delay)
    }
}

/// The arguments of libmicrohttpd's callback. It is called on the loop's thread, where all of them are used before the
/// call returns.
private struct RequestCallback: @unchecked Sendable {
    let context: UnsafeMutableRawPointer
    let connection: OpaquePointer
    let url, method: UnsafePointer<CChar>
    let bytes: UnsafePointer<CChar>?
    let size: UnsafeMutablePointer<Int>
    let state: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    @DaemonActor var server: HTTPServer { Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue() }
}

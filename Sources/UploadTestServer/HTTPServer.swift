import CMicroHTTPD
import Glibc
import Platform

/// libmicrohttpd on the event loop: it has no thread of its own.
@DaemonActor
final class HTTPServer {
    /// What is to be answered, and how long after; nil closes the connection.
    struct Answer {
        var reply: HTTPReply?
        var delay: Duration = .zero
    }

    private let handler: @DaemonActor (HTTPRequest) -> Answer
    private var daemon: OpaquePointer?
    private var source: IOSource?
    private var timer: TimerSource?
    private var isRunning = false
    /// Exchanges that are answered later.
    private var postponed: [ObjectIdentifier: Exchange] = [:]

    /// Connections at a time; further ones wait to be accepted.
    private static let mostConnections: UInt32 = 256
    /// How long a connection may be silent.
    private static let idleSeconds: UInt32 = 300

    /// Serves whoever connects to a listening socket, which is the server's from here on: with TLS where there is a
    /// certificate with its key, in PEM.
    init(
        _ socket: consuming OwnedDescriptor, identity: String? = nil,
        handler: @escaping @DaemonActor (HTTPRequest) -> Answer
    ) throws(SystemError) {
        self.handler = handler
        // The server outlives libmicrohttpd's, which `stop` ends and which calls back only from within `run` and `stop`.
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
        // From here on the socket is libmicrohttpd's, which closes it when it is stopped.
        guard daemon != nil else { throw SystemError("start the server", code: EINVAL) }
        _ = socket.release()
        timer = try TimerSource(accuracy: .milliseconds(1)) { [weak self] in self?.run() }
        source = try IOSource(waymark_http_descriptor(daemon), .readable) { [weak self] _ in self?.run() }
        run()
    }

    /// Accepts nothing more, and ends what is under way.
    func stop() {
        source?.cancel()
        source = nil
        timer = nil
        // libmicrohttpd cannot be stopped with connections that wait.
        for exchange in postponed.values { MHD_resume_connection(exchange.connection) }
        postponed = [:]
        if let daemon { MHD_stop_daemon(daemon) }
        daemon = nil
    }

    /// Does what is to be done, and asks to be called again in time.
    private func run() {
        guard let daemon, !isRunning else { return }
        isRunning = true
        var milliseconds: UInt64 = 0
        var isTimed = false
        // What it wants to do at once is done at once, as a timer may go off late; not for ever.
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

    /// A request has begun, or some of its body is there, or it is over.
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

    /// All of the request is there, or the time to answer it has come.
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
            Log.error("no answer: \(error)")
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

/// What libmicrohttpd calls back with. It does so on the loop's thread, where all of it is used before the call returns.
private struct RequestCallback: @unchecked Sendable {
    let context: UnsafeMutableRawPointer
    let connection: OpaquePointer
    let url, method: UnsafePointer<CChar>
    let bytes: UnsafePointer<CChar>?
    let size: UnsafeMutablePointer<Int>
    let state: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    @DaemonActor var server: HTTPServer { Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue() }
}

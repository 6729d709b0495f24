import CMicroHTTPD
import Durations
import Glibc
import Platform

/// A request in progress, and its response.
@DaemonActor
public final class Exchange {
    private enum Phase {
        /// The request line was received.
        case line
        /// The head is complete, and the service has not decided yet.
        case head
        /// The body is being received.
        case body
        /// A part of the body was received, and the service has not accepted it yet.
        case part
        /// The request is complete, and the service has not answered yet.
        case complete
        /// A response waits for libmicrohttpd's next call, or is sent. Without one the connection is closed.
        case answered(HTTPReply?)
        /// libmicrohttpd has ended the request.
        case over
    }

    /// The request. Until it is complete, the part received so far.
    public private(set) var request: ServedRequest
    /// What the service associates with the request.
    public var context: AnyObject?

    /// The connection of the request, valid until the phase is `over`.
    private let connection: OpaquePointer
    private weak var server: HTTPServer?
    private var phase = Phase.line
    private var longestBody = 0
    /// The size of the parts in which the service receives the body; nil if it receives all of it at once.
    private var partSize: Int?
    /// The response to a body that the service does not want the rest of.
    private var refusal: HTTPReply?
    /// When it was decided.
    private var refusedAt: UInt64?
    /// Whether the connection is answered while the client is sending.
    private var lingers = false
    /// The source of the body of a response that is sent in parts.
    private var source: BodySource?
    private var received = 0
    private var isTooLong = false
    /// Whether the body was admitted while the connection was suspended, and libmicrohttpd has not called since.
    private var isAdmittedLate = false
    /// Whether libmicrohttpd waits for `resume`.
    private(set) var isSuspended = false
    /// The body of a response that the service appends to.
    private var stream: StreamedBody?

    init(_ connection: OpaquePointer, target: String, of server: HTTPServer) {
        self.connection = connection
        request = ServedRequest(method: "", target: target)
        self.server = server
    }

    /// Whether the request is over, because it was answered or the connection has failed.
    public var isOver: Bool { if case .over = phase { true } else { false } }

    /// Admits a body of at most this many bytes. A longer one is answered with 413.
    public func admit(bodyUpTo bytes: Int) { admit(bodyUpTo: bytes, inPartsOf: nil) }

    /// Admits a body of at most this many bytes, which the service receives in parts: `request.body` is one of them, and the
    /// last one is that of the complete request. Parts are at least this large, besides the last one.
    public func admit(bodyUpTo bytes: Int, inPartsOf size: Int?) {
        guard case .head = phase else { return }
        longestBody = bytes
        partSize = size
        // A length that is announced saves the client from sending what is not accepted.
        if announcedBytes > bytes { return refuseLength() }
        phase = .body
        isAdmittedLate = isSuspended
        resume()
    }

    /// Continues after a part of the body, which the service has stored.
    public func acceptPart() {
        guard case .part = phase else { return }
        request.body = []
        phase = .body
        resume()
    }

    /// Sends a response to a body of which the service does not want the rest: a response can only follow the body, of which
    /// therefore the rest is received, for some time and up to some bytes at least. A client that does not stop is disconnected.
    public func refusePart(_ reply: HTTPReply) {
        guard case .part = phase else { return self.reply(reply) }
        discardBody(before: reply)
    }

    /// Sends a response to a request whose body the service does not want: after the body, so that the connection stays open, unless
    /// that is very long. A response before it closes the connection, and what the client is still sending is received for some time, so
    /// that it reads the response.
    public func refuseBody(_ reply: HTTPReply) {
        guard case .head = phase, isSendingBody else { return self.reply(reply) }
        guard announcedBytes > Self.mostDiscarded, request.headers["transfer-encoding"] == nil else {
            return discardBody(before: reply)
        }
        self.reply(reply)
    }

    /// Whether the client sends a body without waiting for a decision.
    private var isSendingBody: Bool {
        let headers = request.headers
        if headers["expect"]?.lowercased() == "100-continue" { return false }
        return headers["transfer-encoding"] != nil || announcedBytes > 0
    }

    /// The length of the body that the client announces; 0 if it announces none.
    public var announcedBytes: Int { request.headers["content-length"].flatMap(Int.init) ?? 0 }

    private func discardBody(before reply: HTTPReply) {
        request.body = []
        refusal = reply
        refusedAt = server?.clock.monotonicNanoseconds
        longestBody = received
        phase = .body
        isAdmittedLate = isSuspended && received == 0
        resume()
    }

    /// The bytes of a refused body that are received, however long it takes.
    private static let mostDiscarded = 8 << 20
    /// How long more of it is received.
    private static let longestDiscard = Duration.seconds(30)

    /// Whether a client has sent so much that it is disconnected without a response, which can only follow the body.
    private var isWaste: Bool {
        if refusal == nil, partSize == nil { return received > 2 * longestBody + 1 << 20 }
        guard received > longestBody + Self.mostDiscarded else { return false }
        guard let refusedAt, let now = server?.clock.monotonicNanoseconds else { return true }
        return now >= refusedAt.after(Self.longestDiscard)
    }

    /// Sends a response whose body is so long, and comes in parts: the service provides bytes from an offset on whenever they
    /// are requested.
    public func reply(
        _ reply: HTTPReply, length: Int, request: @escaping @DaemonActor (_ offset: Int) -> Void
    ) {
        source = BodySource(length: length, connection, request) { [weak self] in self?.setWaiting($0) }
        self.reply(reply)
    }

    /// Provides bytes of a response that is sent in parts, at the offset that was requested; none at all closes the connection.
    public func provide(_ bytes: [UInt8]) { source?.provide(bytes) }

    private func setWaiting(_ isWaiting: Bool) {
        isSuspended = isWaiting
        if isWaiting {
            server?.remember(self)
        } else {
            server?.forget(self)
            server?.runSoon()
        }
    }

    /// Sends the response; without one the connection is closed. Only the first response of a request counts. One that is sent before
    /// the body ends the connection, but what the client is still sending is received for some time, so that it reads the response.
    public func reply(_ reply: HTTPReply?) {
        switch phase {
        case .head: lingers = reply != nil && isSendingBody
        case .line, .body, .part, .complete: break
        case .answered, .over: return
        }
        phase = .answered(reply)
        resume()
    }

    /// Begins a response whose body the service appends to until it finishes it.
    public func beginStream(_ reply: HTTPReply) {
        stream = StreamedBody(connection) { [weak self] isWaiting in
            guard let self else { return }
            isSuspended = isWaiting
            if isWaiting { server?.remember(self) } else { server?.forget(self) }
            if !isWaiting { server?.runSoon() }
        }
        self.reply(reply)
    }

    /// Sends bytes of a response that was begun so.
    public func append(_ bytes: [UInt8]) { stream?.append(bytes) }

    /// Ends a response that was begun so.
    public func finishStream() { stream?.finish() }

    private func refuseLength() {
        reply(HTTPReply(413, saying: "The body is too long: at most \(longestBody) bytes are accepted here."))
    }

    private func resume() {
        guard isSuspended else { return }
        isSuspended = false
        server?.forget(self)
        MHD_resume_connection(connection)
        server?.runSoon()
    }

    private func suspend() {
        isSuspended = true
        server?.remember(self)
        MHD_suspend_connection(connection)
    }

    // Called by the server, within libmicrohttpd's callback.

    /// Advances the request: its head, a piece of its body, or its end. After a suspension libmicrohttpd repeats the call.
    func step(_ method: UnsafePointer<CChar>, _ bytes: UnsafeRawBufferPointer) -> MHD_Result {
        switch phase {
        case .line:
            readHead(method)
            phase = .head
            server?.service?.begin(self)
        case .head, .part, .complete: break
        case .body where !bytes.isEmpty:
            append(bytes)
            if isWaste { return .NO }
            if let partSize, request.body.count >= partSize {
                phase = .part
                server?.service?.receivePart(self)
            }
        case .body where isAdmittedLate:
            // The first call after a decision that came later is the one that was suspended, and not the end of the body.
            isAdmittedLate = false
            return .YES
        case .body where refusal != nil: reply(refusal)
        case .body where isTooLong: refuseLength()
        case .body:
            phase = .complete
            server?.service?.answer(self)
        case .answered: break
        case .over: return .NO
        }
        switch phase {
        case .answered(let reply): return send(reply)
        case .head, .part, .complete: suspend()
        default: break
        }
        return .YES
    }

    private func readHead(_ method: UnsafePointer<CChar>) {
        request.method = String(cString: method)
        let headers = Headers()
        waymark_http_headers(
            connection,
            { context, _, name, value in
                guard let context, let name else { return .NO }
                let headers = Unmanaged<Headers>.fromOpaque(context).takeUnretainedValue()
                headers.values[String(cString: name).lowercased()] = value.map { String(cString: $0) } ?? ""
                return .YES
            }, Unmanaged.passUnretained(headers).toOpaque())
        request.headers = headers.values
    }

    private final class Headers {
        var values: [String: String] = [:]
    }

    func end() {
        if lingers { server?.linger(connection) }
        phase = .over
        if isSuspended { server?.forget(self) }
        isSuspended = false
        context = nil
        stream = nil
        source = nil
    }

    /// Resumes a suspended connection, which libmicrohttpd needs before it stops.
    func abandon() {
        stream?.finish()
        source?.provide([])
        reply(nil)
    }

    private func append(_ bytes: UnsafeRawBufferPointer) {
        received += bytes.count
        isTooLong = received > longestBody
        if isTooLong || refusal != nil { request.body = [] } else { request.body.append(contentsOf: bytes) }
    }

    private func send(_ reply: HTTPReply?) -> MHD_Result {
        guard let reply else { return .NO }
        let response =
            stream?.response() ?? source?.response()
            ?? reply.body.withUnsafeBytes { waymark_http_response($0.baseAddress, $0.count) }
        guard let response else { return .NO }
        defer { MHD_destroy_response(response) }
        if let type = reply.type { MHD_add_response_header(response, "Content-Type", type) }
        if let seconds = reply.retryAfter { MHD_add_response_header(response, "Retry-After", "\(seconds)") }
        for header in reply.headers { MHD_add_response_header(response, header.name, header.value) }
        return MHD_queue_response(connection, UInt32(reply.status), response)
    }
}

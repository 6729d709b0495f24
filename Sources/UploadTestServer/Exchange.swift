import CMicroHTTPD
import Glibc
import Platform

/// A request in progress, and its response.
@DaemonActor
final class Exchange {
    /// The connection of the request, valid until libmicrohttpd reports that the request is complete.
    let connection: OpaquePointer
    /// The part received so far.
    private(set) var request: HTTPRequest
    /// Whether the body exceeds the limit.
    private(set) var isTooLong = false
    /// The response that is sent when `timer` fires.
    var answer: HTTPServer.Answer?
    var timer: TimerSource?

    init(_ connection: OpaquePointer, _ request: HTTPRequest) {
        self.connection = connection
        self.request = request
    }

    /// Appends a piece of the body.
    func append(_ bytes: UnsafeRawBufferPointer) {
        isTooLong = isTooLong || request.body.count + bytes.count > HTTPRequest.longestBody
        if isTooLong { request.body = [] } else { request.body.append(contentsOf: bytes) }
    }

    /// Reads the relevant parts of the head.
    func readHead() {
        request.authorization = waymark_http_header(connection, "Authorization").map { String(cString: $0) }
        let query = Query()
        waymark_http_query(
            connection,
            { context, _, name, value in
                guard let context, let name else { return .NO }
                Unmanaged<Query>.fromOpaque(context).takeUnretainedValue().pairs.append(
                    (String(cString: name), value.map { String(cString: $0) } ?? ""))
                return .YES
            }, Unmanaged.passUnretained(query).toOpaque())
        request.query = query.pairs
    }

    private final class Query {
        var pairs: [(name: String, value: String)] = []
    }

    /// Sends a response; without one the connection is closed.
    func send(_ reply: HTTPReply?) -> MHD_Result {
        guard let reply else { return .NO }
        let response = reply.body.withUnsafeBytes { waymark_http_response($0.baseAddress, $0.count) }
        guard let response else { return .NO }
        defer { MHD_destroy_response(response) }
        if let type = reply.type { MHD_add_response_header(response, "Content-Type", type) }
        if let seconds = reply.retryAfter { MHD_add_response_header(response, "Retry-After", "\(seconds)") }
        if reply.status == 405 { MHD_add_response_header(response, "Allow", "POST") }
        return MHD_queue_response(connection, UInt32(reply.status), response)
    }
}

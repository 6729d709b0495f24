import HTTPServing
import Glibc
import Location
import Platform

/// Processes requests: stores their points, and determines the response.
struct Receiver {
    private let options: TestServerOptions
    private let token: String?
    private var file: PointFile?
    private var requests = 0
    /// The points received so far.
    private(set) var ledger = Ledger()

    /// The outcome of a request.
    struct Outcome: Sendable {
        /// The response; nil if the connection is closed without one.
        var reply: HTTPReply?
        /// The endpoint; nil for an unknown path.
        var endpoint: Endpoint?
        /// The points, if the request could be parsed.
        var arrival: Arrival?
        /// The number of points that were stored.
        var stored = 0
        /// The error in the request, or the deliberate failure.
        var remark: String?
    }

    /// A receiver without points, or with those of its file.
    init(_ options: TestServerOptions) throws(SystemError) {
        self.options = options
        if let path = options.tokenFile {
            let text = String(decoding: try BoundedFile.bytes(of: path, limit: 8_192), as: UTF8.self)
            token = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        } else {
            token = nil
        }
        if let path = options.file {
            var found = Ledger()
            file = try PointFile(path: path) { found.find($0) }
            ledger = found
        }
    }

    /// Processes a request.
    mutating func handle(_ request: ServedRequest, at now: UTCTime) -> Outcome {
        guard let endpoint = Endpoint.at(path: request.pathText) else {
            let places = Endpoint.all.map { "/\($0.name)" }.joined(separator: ", ")
            return Outcome(
                reply: HTTPReply(404, saying: "There are \(places) and /."), remark: "there is no such path")
        }
        var outcome = Outcome(endpoint: endpoint)
        requests += 1
        let misbehaviour = requests % options.every == 0 ? options.misbehaviour : nil
        if let misbehaviour { outcome.remark = "\(misbehaviour.text), because of --fail" }
        if let misbehaviour, !misbehaviour.stores {
            outcome.reply = misbehaviour.reply(retryAfter: options.retryAfter)
            return outcome
        }
        outcome.reply = receive(request, at: endpoint, now, &outcome)
        if let misbehaviour, outcome.reply == endpoint.acknowledgement {
            outcome.reply = misbehaviour.reply(retryAfter: options.retryAfter)
        }
        if !options.commands.isEmpty, endpoint.name == "owntracks", outcome.reply == endpoint.acknowledgement {
            let commands = options.commands.map { #"{"_type":"cmd","action":"\#($0)"}"# }
            outcome.reply = HTTPReply(200, json: "[\(commands.joined(separator: ","))]")
        }
        return outcome
    }

    private mutating func receive(
        _ request: ServedRequest, at endpoint: Endpoint, _ now: UTCTime, _ outcome: inout Outcome
    ) -> HTTPReply {
        // A header with a space contains its own scheme.
        if let token, request.authorization != (token.contains(" ") ? token : "Bearer \(token)") {
            outcome.remark = request.authorization == nil ? "no token" : "another token than expected"
            return HTTPReply(401, saying: "The token is missing or wrong.")
        }
        guard endpoint.methods.contains(request.method) else {
            outcome.remark = "\(request.method) is not supported here"
            var reply = HTTPReply(405, saying: "Only POST is supported here.")
            reply.headers = [HTTPReply.Header("Allow", "POST")]
            return reply
        }
        let arrival: Arrival
        do throws(MalformedArrival) {
            arrival = try endpoint.read(request)
        } catch {
            outcome.remark = "not understood: \(error)"
            return HTTPReply(400, saying: "Not understood: \(error).")
        }
        outcome.arrival = arrival
        if let refused = arrival.points.compactMap(\.id).first(where: isRefused) {
            outcome.remark = "refused because of \(refused), because of --reject"
            return HTTPReply(422, saying: "The point \(refused) is not wanted.")
        }
        let new = ledger.new(among: arrival.points)
        do throws(SystemError) {
            try file?.add(new, from: endpoint, at: now)
        } catch {
            outcome.remark = "not stored: \(error)"
            return HTTPReply(507, saying: "It could not be stored: \(SystemError.text(error.code)).")
        }
        ledger.note(arrival.points, stored: new)
        outcome.stored = new.count
        return endpoint.acknowledgement
    }

    private func isRefused(_ id: PointID) -> Bool {
        options.refused.contains("\(id.sequence)") || options.refused.contains(id.description)
    }
}

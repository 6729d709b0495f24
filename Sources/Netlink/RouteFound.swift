import Reachability

/// What one RTM_GETROUTE was answered with: one message, RTM_NEWROUTE or an error.
struct RouteFound {
    private var message = RouteMessage()
    private var hasRoute = false
    private var end: AnswerReader.End?

    /// Reads an answer that has come whole.
    init(_ datagram: UnsafeRawBufferPointer) {
        var reader = AnswerReader()
        reader.receive(datagram) { receive($0) }
        end = reader.end
    }

    /// Reads an answer whose messages are handed on by `query`, which returns how it has ended.
    init(_ query: ((NetlinkMessage) -> Void) -> AnswerReader.End?) {
        end = query { receive($0) }
    }

    private mutating func receive(_ announced: NetlinkMessage) {
        if message.read(announced) { hasRoute = true }
    }

    /// What else than a route was told; nil where a route was.
    private var failure: RouteAnswer? {
        switch end {
        case .refused(let code): .refused(code)
        case .complete, .interrupted: hasRoute ? nil : .noAnswer
        case nil: .noAnswer
        }
    }

    /// What becomes of what is sent so, where this is the route that matches, and what it comes to is asked for then.
    func answer(_ resolved: () -> RouteFound?) -> RouteAnswer {
        if let failure { return failure }
        guard let resolvedRoute = resolved() else { return .noAnswer }
        switch resolvedRoute.failure {
        case nil: return .route(message.resolving(to: resolvedRoute.message.resolved))
        case .refused: return .route(message.resolving(to: nil))
        default: return .noAnswer
        }
    }

    /// What a packet would have, where that was asked.
    var resolvedRoute: RouteAnswer {
        failure ?? .route(Route(kind: message.route.kind, resolved: message.resolved))
    }
}

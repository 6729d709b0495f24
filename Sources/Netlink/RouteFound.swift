import Reachability

/// The reply to one RTM_GETROUTE: a single message, RTM_NEWROUTE or an error.
struct RouteFound {
    private var message = RouteMessage()
    private var hasRoute = false
    private var end: AnswerReader.End?

    /// Reads a reply that has been received completely.
    init(_ datagram: UnsafeRawBufferPointer) {
        var reader = AnswerReader()
        reader.receive(datagram) { receive($0) }
        end = reader.end
    }

    /// Reads a reply whose messages are passed on by `query`, which returns how the reply ended.
    init(_ query: ((NetlinkMessage) -> Void) -> AnswerReader.End?) {
        end = query { receive($0) }
    }

    private mutating func receive(_ announced: NetlinkMessage) {
        if message.read(announced) { hasRoute = true }
    }

    /// The result if the reply is no route; nil if it is a route.
    private var failure: RouteAnswer? {
        switch end {
        case .refused(let code): .refused(code)
        case .complete, .interrupted: hasRoute ? nil : .noAnswer
        case nil: .noAnswer
        }
    }

    /// The matching route, where this reply is the match, completed by a second reply with the resolved interface,
    /// router and source.
    func answer(_ resolved: () -> RouteFound?) -> RouteAnswer {
        if let failure { return failure }
        guard let resolvedRoute = resolved() else { return .noAnswer }
        switch resolvedRoute.failure {
        case nil: return .route(message.resolving(to: resolvedRoute.message.resolved))
        case .refused: return .route(message.resolving(to: nil))
        default: return .noAnswer
        }
    }

    /// The resolved interface, router and source, where the request was for those.
    var resolvedRoute: RouteAnswer {
        failure ?? .route(Route(kind: message.route.kind, resolved: message.resolved))
    }
}

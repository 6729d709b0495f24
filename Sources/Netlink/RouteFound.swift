import Reachability

/// What one RTM_GETROUTE was answered with: one message, RTM_NEWROUTE or an error.
enum RouteFound {
    case message(RouteMessage)
    /// The kernel refuses, with this errno(3).
    case refused(Int32)
    case nothing

    /// Reads an answer that has come whole.
    init(_ datagram: UnsafeRawBufferPointer) {
        var reader = AnswerReader()
        var route: RouteMessage?
        reader.take(datagram) { if let told = RouteMessage($0) { route = told } }
        self.init(reader.end, route)
    }

    /// How an answer has ended, if it has, and the route it told.
    init(_ end: AnswerReader.End?, _ route: RouteMessage?) {
        switch (end, route) {
        case (.refused(let code), _): self = .refused(code)
        case (.complete, let route?), (.interrupted, let route?): self = .message(route)
        case (.complete, nil), (.interrupted, nil), (nil, _): self = .nothing
        }
    }

    /// What becomes of what is sent so, where this is the route that matches, and what it comes to is asked for then.
    func answer(_ resolved: () -> RouteFound) -> RouteAnswer {
        switch self {
        case .refused(let code): return .refused(code)
        case .nothing: return .noAnswer
        case .message(let match):
            var route = match.route
            switch resolved() {
            case .message(let way): route.resolved = way.resolved
            case .refused: route.resolved = nil
            case .nothing: return .noAnswer
            }
            return .route(route)
        }
    }

    /// What a packet would have, where that was asked.
    var way: RouteAnswer {
        switch self {
        case .message(let message): .route(Route(kind: message.route.kind, resolved: message.resolved))
        case .refused(let code): .refused(code)
        case .nothing: .noAnswer
        }
    }
}

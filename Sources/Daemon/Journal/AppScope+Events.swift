import Journal

/// The events that a reader of the journal may see.
extension AppScope {
    /// Whether an event is in this scope.
    func contains(_ event: StoredEvent) -> Bool {
        switch self {
        case .everything: true
        case .app(let app): event.app == app.name && event.uid == app.uid
        }
    }

    /// Whether a reader may request the events about an app of this name. For every other name, an app gets the same
    /// reply.
    func mayQuery(about name: String) -> Bool {
        switch self {
        case .everything: true
        case .app(let app): name == app.name
        }
    }

    /// Restricts a query to this scope.
    func limit(_ query: inout EventQuery) {
        guard case .app(let app) = self else { return }
        query.audience = app
    }

    /// The number by which a reader identifies an event: for an app, its number among the app's own events, which
    /// reveals nothing of others; nil if the reader may not see the event.
    func number(of event: StoredEvent) -> Int64? {
        switch self {
        case .everything: event.sequence
        case .app: contains(event) ? event.appSequence : nil
        }
    }
}

import Authorization
import Journal

/// Which events a reader of the journal may see.
enum JournalScope: Equatable {
    /// All: an operator's.
    case everything
    /// Those about itself: an app's.
    case app(AppID)

    /// Whether an event is among them.
    func contains(_ event: StoredEvent) -> Bool {
        switch self {
        case .everything: true
        case .app(let app): event.app == app.name && event.uid == app.uid
        }
    }

    /// Whether a reader may ask for the events about an app of this name. Of any name but its own an app learns the same.
    func mayAsk(about name: String) -> Bool {
        switch self {
        case .everything: true
        case .app(let app): name == app.name
        }
    }

    /// Leaves of a query what it may find.
    func limit(_ query: inout EventQuery) {
        guard case .app(let app) = self else { return }
        query.audience = app
    }

    /// The number by which a reader knows an event: of an app, its number among the app's own events, from which nothing can
    /// be learnt of others; nil where it may not see the event.
    func number(of event: StoredEvent) -> Int64? {
        switch self {
        case .everything: event.sequence
        case .app: contains(event) ? event.appSequence : nil
        }
    }
}

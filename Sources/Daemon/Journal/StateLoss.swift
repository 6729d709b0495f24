import Journal

/// State of an earlier process that could not be used: the service goes on without it.
struct StateLoss: Equatable, Sendable {
    /// The name of its file, or what it is called where it has none.
    var file: String
    /// The name under which it is kept; nil where it is not.
    var aside: String?
    /// What was wrong with it, for a person.
    var reason: String

    /// What the journal is told.
    var event: Event {
        var details: EventDetails = ["file": .text(file), "reason": .text(reason)]
        if let aside { details.append("aside", .text(aside)) }
        return Event(.stateSetAside, details: details)
    }
}

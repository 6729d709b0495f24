import Journal

/// State of an earlier process that could not be used. The service continues without it.
struct StateLoss: Equatable, Sendable {
    /// The name of its file, or a name for state without a file.
    var file: String
    /// The name under which the file was preserved; nil if it was not.
    var aside: String?
    /// What was wrong with it, for a person.
    var reason: String

    /// The event for the journal.
    var event: Event {
        var details: EventDetails = ["file": .text(file), "reason": .text(reason)]
        if let aside { details.append("aside", .text(aside)) }
        return Event(.stateSetAside, details: details)
    }
}

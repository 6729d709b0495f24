extension Event {
    /// Whether it reports what an operator did: decided, looked, remarked, changed the configuration. Such events have a
    /// retention of their own, so that nothing that users' programs do can push them out of the journal.
    public var isByOperator: Bool {
        if OperatorEvents.kinds.contains(kind) || kind == .note && uid != nil { return true }
        return details.entries.contains { entry in
            switch (entry.name, entry.value) {
            case ("by", .text(let decider)): decider.hasPrefix(OperatorEvents.decider)
            case ("operator", .bool(let isOperator)): isOperator && kind == .positionsSeen
            default: false
            }
        }
    }
}

/// Which stored events are an operator's.
enum OperatorEvents {
    /// The kinds that only an operator causes, or who changes the machine's accounts, whoever is named in them.
    static let kinds: [EventKind] = [
        .accountErased, .accountRestored, .accountSuspended, .configurationReloaded, .reducedKeyRotated,
        .restrictionsChanged, .servicesOff, .servicesOn,
    ]
    /// With what the detail `by` begins where it names an operator.
    static let decider = "operator "

    /// The same rule as `Event.isByOperator`, as a condition for rows of `events`; false or NULL for all others.
    static var condition: String {
        let kinds = kinds.map { "'\($0.rawValue)'" }.joined(separator: ",")
        return """
            (kind IN (\(kinds)) OR kind = '\(EventKind.note.rawValue)' AND uid IS NOT NULL
            OR CASE WHEN json_valid(details) THEN json_extract(details, '$.by') GLOB '\(decider)*'
            OR kind = '\(EventKind.positionsSeen.rawValue)' AND json_extract(details, '$.operator') END)
            """
    }
}

import Events

extension Event {
    /// Whether the event reports an action of an operator: a decision, an inspection, a note, a change of the
    /// configuration. Such events have their own retention, so that nothing that users' programs do can displace them
    /// from the journal.
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

/// The condition for stored events of operators.
enum OperatorEvents {
    /// The kinds that only an operator or an administrator of the machine's accounts causes, whatever user they name.
    static let kinds: [EventKind] = [
        .accountErased, .accountRestored, .accountSuspended, .configurationReloaded, .manifestsChanged,
        .reducedKeyRotated, .restrictionsChanged, .servicesOff, .servicesOn,
    ]
    /// The prefix of the detail `by` if it names an operator.
    static let decider = "operator "

    /// The rule of `Event.isByOperator` as an SQL condition for rows of `events`; false or NULL for all others.
    static var condition: String {
        let kinds = kinds.map { "'\($0.rawValue)'" }.joined(separator: ",")
        return """
            (kind IN (\(kinds)) OR kind = '\(EventKind.note.rawValue)' AND uid IS NOT NULL
            OR CASE WHEN json_valid(details) THEN json_extract(details, '$.by') GLOB '\(decider)*'
            OR kind = '\(EventKind.positionsSeen.rawValue)' AND json_extract(details, '$.operator') END)
            """
    }
}

/// The rules of records, stated a second time with one map for each zone, in plain text and without counters and pages.
struct ReferenceHub {
    struct Version: Equatable {
        var type: String
        var fields: [String: String]
        /// The tag that the hub has given this version; the reference only compares it.
        var tag: String
    }

    struct Entry: Equatable {
        var current: Version
        var before: Version?
    }

    struct Item {
        var name: String
        var type: String
        /// nil deletes the field.
        var fields: [String: String?]
        var tag: String?
        /// ifServerRecordUnchanged, changedKeys, allKeys or delete.
        var policy: String
    }

    enum Outcome: Equatable {
        case saved, deleted, unknownItem, typeDiffers
        case conflict(server: Version, ancestor: Version?)
        case batchRequestFailed(String)
    }

    enum Result: Equatable {
        case outcomes([Outcome])
        case zoneNotFound(String?)

        /// The result as it is repeated: of the versions in a conflict, the tag of the hub's.
        var repeated: Result {
            guard case .outcomes(let outcomes) = self else { return self }
            return .outcomes(
                outcomes.map { outcome in
                    guard case .conflict(let server, _) = outcome else { return outcome }
                    return .conflict(server: Version(type: "", fields: [:], tag: server.tag), ancestor: nil)
                })
        }
    }

    /// The records of the zones that exist.
    private(set) var zones: [String: [String: Entry]] = [:]
    struct Share: Equatable {
        var mayWrite: Bool
        var isAccepted: Bool
    }

    /// With whom zones are shared.
    private(set) var shares: [String: [String: Share]] = [:]
    /// Why zones were deleted that do not exist.
    private(set) var deletions: [String: String] = [:]

    /// What a request would lead to, and the versions it would make; nothing is changed.
    func evaluate(_ items: [Item], in zone: String, isDefault: Bool) -> (result: Result, news: [String: Version?]) {
        guard let entries = zones[zone] ?? (isDefault ? [:] : nil) else {
            return (.zoneNotFound(deletions[zone]), [:])
        }
        var outcomes: [Outcome] = []
        var news: [String: Version?] = [:]
        for item in items {
            let (outcome, new) = Self.evaluate(item, entries[item.name])
            outcomes.append(outcome)
            if let new { news.updateValue(new, forKey: item.name) }
        }
        let isFailed = { (outcome: Outcome) in outcome != .saved && outcome != .deleted }
        if !isDefault, let culprit = outcomes.firstIndex(where: isFailed) {
            for index in outcomes.indices where !isFailed(outcomes[index]) {
                outcomes[index] = .batchRequestFailed(items[culprit].name)
            }
            news = [:]
        }
        return (.outcomes(outcomes), news)
    }

    /// The outcome for one record. `new` is nil where nothing changes, and contains nil where the record is deleted.
    private static func evaluate(_ item: Item, _ entry: Entry?) -> (outcome: Outcome, new: Version??) {
        guard let entry else {
            if item.policy == "delete" { return (.deleted, nil) }
            if item.tag != nil { return (.unknownItem, nil) }
            return (.saved, Version(type: item.type, fields: item.fields.compactMapValues { $0 }, tag: ""))
        }
        let isStale = item.tag != entry.current.tag
        let ancestor = entry.before.flatMap { $0.tag == item.tag ? $0 : nil }
        if item.policy == "delete" {
            if item.tag != nil, isStale { return (.conflict(server: entry.current, ancestor: ancestor), nil) }
            return (.deleted, .some(nil))
        }
        if item.type != entry.current.type { return (.typeDiffers, nil) }
        if item.policy == "ifServerRecordUnchanged", isStale {
            return (.conflict(server: entry.current, ancestor: ancestor), nil)
        }
        var fields = item.policy == "allKeys" ? [:] : entry.current.fields
        for (name, value) in item.fields { fields[name] = value }
        return (.saved, Version(type: item.type, fields: fields, tag: ""))
    }

    /// Makes the versions of a request that was done.
    mutating func apply(_ news: [String: Version?], in zone: String) {
        for (name, version) in news {
            guard let version else {
                zones[zone]?[name] = nil
                continue
            }
            let before = zones[zone]?[name]?.current
            zones[zone, default: [:]][name] = Entry(current: version, before: before)
        }
    }

    /// Makes zones and deletes others; returns those that were changed.
    mutating func modify(made: [String], deleted: [String], reason: String) -> [String] {
        var changed: [String] = []
        for zone in deleted where zones.removeValue(forKey: zone) != nil {
            shares[zone] = nil
            deletions[zone] = reason
            changed.append(zone)
        }
        for zone in made where zones[zone] == nil {
            zones[zone] = [:]
            changed.append(zone)
        }
        return changed
    }

    /// Whether an account may read or write a zone of another account.
    func may(_ account: String, write: Bool, _ zone: String) -> Bool {
        guard let share = shares[zone]?[account], share.isAccepted else { return false }
        return share.mayWrite || !write
    }

    mutating func invite(_ account: String, mayWrite: Bool, to zone: String) {
        let isAccepted = shares[zone]?[account]?.isAccepted ?? false
        shares[zone, default: [:]][account] = Share(mayWrite: mayWrite, isAccepted: isAccepted)
    }

    /// Accepts an invitation; false if there is none.
    mutating func accept(_ account: String, _ zone: String) -> Bool {
        guard shares[zone]?[account] != nil else { return false }
        shares[zone]?[account]?.isAccepted = true
        return true
    }

    mutating func remove(_ account: String, from zone: String) { shares[zone]?[account] = nil }

    /// What the hub forgets with time.
    mutating func forgetDeletion(of zone: String) { deletions[zone] = nil }
}

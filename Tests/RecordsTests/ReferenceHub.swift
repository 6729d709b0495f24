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
        case saved, deleted, unknownItem, typeDiffers, notPermitted
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
    /// With whom records are shared: by zone, account and record.
    private(set) var recordShares: [String: [String: [String: Share]]] = [:]
    /// Why zones were deleted that do not exist.
    private(set) var deletions: [String: String] = [:]

    /// What an account may do because records are shared with it: the records that it sees, and whether it may write them. Nil if no
    /// record is shared with it.
    func part(of zone: String, for account: String) -> [String: Bool]? {
        let roots = roots(in: zone, for: account)
        guard !roots.isEmpty else { return nil }
        var part: [String: Bool] = [:]
        let entries = zones[zone] ?? [:]
        for start in entries.keys {
            var above: Set<String> = []
            var next: String? = start
            while let name = next, let entry = entries[name], above.insert(name).inserted {
                if let root = roots[name] { part[start] = part[start] ?? false || root.mayWrite }
                next = entry.current.fields["parent"]
            }
        }
        return part
    }

    /// The records that are shared with an account, which has accepted them.
    func roots(in zone: String, for account: String) -> [String: Share] {
        (recordShares[zone]?[account] ?? [:]).filter(\.value.isAccepted)
    }

    /// The outcomes that are different for somebody who sees a part of the zone only.
    private func restrict(
        _ evaluated: [(outcome: Outcome, new: Version??)], _ items: [Item], in zone: String, to account: String
    ) -> [(outcome: Outcome, new: Version??)] {
        let entries = zones[zone] ?? [:]
        let roots = roots(in: zone, for: account)
        var writable = Set((part(of: zone, for: account) ?? [:]).filter(\.value).map(\.key))
        let seen = writable
        // A new record below another new one counts as that one does.
        for _ in items {
            for item in items where item.policy != "delete" && entries[item.name] == nil {
                if let parent = item.fields["parent"] ?? nil, writable.contains(parent) { writable.insert(item.name) }
            }
        }
        return zip(items, evaluated).map { item, result in
            guard let entry = entries[item.name] else {
                guard item.policy != "delete", item.tag == nil else { return result }
                let parent = item.fields["parent"] ?? nil
                let isPlaced = parent.map { $0 != item.name && writable.contains($0) } ?? false
                return isPlaced ? result : (.notPermitted, nil)
            }
            guard seen.contains(item.name) else { return (.notPermitted, nil) }
            if item.policy == "delete" { return roots[item.name] == nil ? result : (.notPermitted, nil) }
            guard case .saved = result.outcome, let new = result.new ?? nil else { return result }
            let parent = new.fields["parent"]
            guard parent != entry.current.fields["parent"] else { return result }
            guard let parent, parent != item.name, roots[item.name] == nil, writable.contains(parent) else {
                return (.notPermitted, nil)
            }
            return result
        }
    }

    /// What a request would lead to, and the versions it would make; nothing is changed.
    /// - Parameters:
    ///   - isGuest: Whether somebody else than the owner of the zone sends it, who sees no earlier versions.
    ///   - account: Somebody who sees a part of the zone only.
    func evaluate(
        _ items: [Item], in zone: String, isDefault: Bool, isGuest: Bool = false, for account: String? = nil
    ) -> (result: Result, news: [String: Version?]) {
        guard let entries = zones[zone] ?? (isDefault ? [:] : nil) else {
            return (.zoneNotFound(deletions[zone]), [:])
        }
        var outcomes: [Outcome] = []
        var news: [String: Version?] = [:]
        var evaluated = items.map { Self.evaluate($0, entries[$0.name], isGuest: isGuest) }
        if let account { evaluated = restrict(evaluated, items, in: zone, to: account) }
        for (item, (outcome, new)) in zip(items, evaluated) {
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
    private static func evaluate(
        _ item: Item, _ entry: Entry?, isGuest: Bool
    ) -> (outcome: Outcome, new: Version??) {
        guard let entry else {
            if item.policy == "delete" { return (.deleted, nil) }
            if item.tag != nil { return (.unknownItem, nil) }
            return (.saved, Version(type: item.type, fields: item.fields.compactMapValues { $0 }, tag: ""))
        }
        let isStale = item.tag != entry.current.tag
        let ancestor = isGuest ? nil : entry.before.flatMap { $0.tag == item.tag ? $0 : nil }
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
                for account in (recordShares[zone] ?? [:]).keys { recordShares[zone]?[account]?[name] = nil }
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
            recordShares[zone] = nil
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

    mutating func invite(_ account: String, mayWrite: Bool, to zone: String, _ record: String?) {
        if let record {
            let isAccepted = recordShares[zone]?[account]?[record]?.isAccepted ?? false
            recordShares[zone, default: [:]][account, default: [:]][record] = Share(
                mayWrite: mayWrite, isAccepted: isAccepted)
            return
        }
        let isAccepted = shares[zone]?[account]?.isAccepted ?? false
        shares[zone, default: [:]][account] = Share(mayWrite: mayWrite, isAccepted: isAccepted)
    }

    /// Accepts an invitation; false if there is none.
    mutating func accept(_ account: String, _ zone: String, _ record: String?) -> Bool {
        if let record {
            guard recordShares[zone]?[account]?[record] != nil else { return false }
            recordShares[zone]?[account]?[record]?.isAccepted = true
            return true
        }
        guard shares[zone]?[account] != nil else { return false }
        shares[zone]?[account]?.isAccepted = true
        return true
    }

    mutating func remove(_ account: String, from zone: String, _ record: String?) {
        if let record { recordShares[zone]?[account]?[record] = nil } else { shares[zone]?[account] = nil }
    }

    /// What the hub forgets with time.
    mutating func forgetDeletion(of zone: String) { deletions[zone] = nil }
}

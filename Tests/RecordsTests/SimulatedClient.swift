import Records

/// A device of an account: its copy of the zones, its tokens, and the one request that it has not seen an answer to.
struct SimulatedClient {
    /// The copy of a zone.
    struct Copy {
        var records: [String: ReferenceHub.Version] = [:]
        var tags: [String: ChangeTag] = [:]
        /// nil until the first page.
        var token: [UInt8]?
        /// The records so far of a fetch without a token; they replace the copy when it is complete.
        var fresh: (records: [String: ReferenceHub.Version], tags: [String: ChangeTag])? = ([:], [:])
    }

    /// A request that waits for its answer.
    struct Pending {
        var key: String
        var request: SimulatedRequest
    }

    let account: AccountID
    let device: DeviceID
    /// Whether the client works with the zones of the other account that are shared, and not with its own.
    let isGuest: Bool
    var copies: [ZoneID: Copy] = [:]
    /// The zones that have to be fetched.
    var dirty: Set<ZoneID> = []
    /// The zones that the database lists, as far as the client knows.
    var known: Set<ZoneID> = []
    var token: [UInt8]?
    /// The zones so far of a list that was begun without a token.
    var listing: Set<ZoneID>? = []
    var pending: Pending?
    /// The tags that conflicts and saves have shown, more recent than those of the copy.
    var hints: [ZoneID: [String: ChangeTag]] = [:]
    var lastKey = 0
    /// The zones with a push that the client should find pending, and how often each was pushed until now.
    var expectedPushes: [ZoneID: Int] = [:]
    /// The zones with a push that may be pending although nothing that the client sees was changed.
    var possiblePushes: Set<ZoneID> = []
    var pushCount = 0

    init(_ account: AccountID, _ device: String, isGuest: Bool = false) {
        self.isGuest = isGuest
        self.account = account
        self.device = name(device)
    }

    var caller: Caller { .device(device, of: account) }
    var database: DatabaseID { DatabaseID(World.container, isGuest ? .shared(account) : .privately(account)) }
    /// The account whose zones the client works with.
    var host: AccountID { isGuest ? other : account }
    /// The other account.
    var other: AccountID { account == World.alice ? World.bob : World.alice }

    /// Forgets everything, as a device that was set up anew does. Copies of its unanswered request are still in the network.
    mutating func forget() {
        copies = [:]
        dirty = []
        known = []
        token = nil
        listing = []
        hints = [:]
        pending = nil
    }

    /// Applies a page of the list of zones.
    mutating func apply(_ page: DatabaseChanges) {
        for deletion in page.deleted {
            copies[deletion.zone] = nil
            hints[deletion.zone] = nil
            dirty.remove(deletion.zone)
            known.remove(deletion.zone)
            listing?.remove(deletion.zone)
        }
        dirty.formUnion(page.changed)
        known.formUnion(page.changed)
        listing?.formUnion(page.changed)
        token = page.token
        guard !page.moreComing, let complete = listing else { return }
        for zone in known.subtracting(complete) {
            copies[zone] = nil
            dirty.remove(zone)
        }
        known = complete
        listing = nil
    }

    /// Begins the list of zones anew, because the token has expired.
    mutating func listAgain() {
        token = nil
        listing = []
    }

    /// Applies a page of a zone's changes.
    mutating func apply(_ page: ZoneChanges, of zone: ZoneID) {
        var copy = copies[zone] ?? Copy()
        var (records, tags) = copy.fresh ?? (copy.records, copy.tags)
        for record in page.changed {
            records[record.name.text] = ReferenceHub.Version(record)
            tags[record.name.text] = record.changeTag
        }
        for deletion in page.deleted {
            records[deletion.name.text] = nil
            tags[deletion.name.text] = nil
        }
        if copy.fresh == nil || !page.moreComing {
            (copy.records, copy.tags, copy.fresh) = (records, tags, nil)
        } else {
            copy.fresh = (records, tags)
        }
        copy.token = page.token
        copies[zone] = copy
        if !page.moreComing {
            dirty.remove(zone)
            hints[zone] = nil
        }
    }
}

/// A request in both forms: for the hub, and for the reference.
enum SimulatedRequest {
    case records(ModifyRecords, [ReferenceHub.Item])
    case zones(ModifyZones)
    case sharing(ModifySharing)
}

/// The answer to a request.
enum SimulatedAnswer: Equatable {
    case records(ModifyRecordsAnswer)
    case zones(ModifyZonesAnswer)
    case sharing(ModifySharingAnswer)
}

extension SimulatedAnswer {
    /// The answer as it is repeated.
    var withoutRecords: SimulatedAnswer {
        guard case .records(let answer) = self else { return self }
        return .records(answer.withoutRecords)
    }
}

extension ReferenceHub.Version {
    /// The version of a record in the reference's words.
    init(_ record: Record) {
        var fields: [String: String] = [:]
        for (name, value) in record.fields {
            switch value {
            case .string(let text): fields[name.text] = text
            case .reference(let record): fields[name.text] = record.text
            default: break
            }
        }
        self.init(type: record.type.text, fields: fields, tag: record.changeTag.text)
    }
}

extension ReferenceHub.Item {
    init(_ save: ModifyRecords.Save) {
        var fields: [String: String?] = [:]
        for (name, value) in save.draft.fields {
            switch value {
            case .string(let text): fields[name.text] = text
            case .reference(let record): fields[name.text] = record.text
            default: break
            }
        }
        for name in save.draft.removed { fields.updateValue(nil, forKey: name.text) }
        self.init(
            name: save.draft.name.text, type: save.draft.type.text, fields: fields, tag: save.draft.changeTag?.text,
            policy: save.policy.rawValue)
    }

    init(_ deletion: ModifyRecords.Deletion) {
        self.init(name: deletion.name.text, type: "", fields: [:], tag: deletion.changeTag?.text, policy: "delete")
    }
}

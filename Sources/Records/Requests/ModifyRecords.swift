/// When a save is applied if the record was changed by others meanwhile.
public enum SavePolicy: String, Sendable, CaseIterable {
    /// Never: the change tag of the draft has to be that of the record. The draft's fields replace those of the record,
    /// and others stay.
    case ifServerRecordUnchanged
    /// Always: the draft's fields replace those of the record, and others stay.
    case changedKeys
    /// Always: the draft's fields replace all fields.
    case allKeys
}

/// The request to save and delete records of a zone.
///
/// In a custom zone either everything is done or nothing. In a default zone each item is done or refused on its own.
public struct ModifyRecords: Equatable, Sendable {
    /// A record to save.
    public struct Save: Equatable, Sendable {
        /// The record.
        public var draft: RecordDraft
        /// What happens if it was changed meanwhile.
        public var policy: SavePolicy

        /// A save of these two.
        public init(_ draft: RecordDraft, _ policy: SavePolicy = .ifServerRecordUnchanged) {
            self.draft = draft
            self.policy = policy
        }
    }

    /// A record to delete.
    public struct Deletion: Equatable, Sendable {
        /// The name.
        public var name: RecordName
        /// The version to delete; nil for any.
        public var changeTag: ChangeTag?

        /// A deletion of these two.
        public init(_ name: RecordName, changeTag: ChangeTag? = nil) {
            self.name = name
            self.changeTag = changeTag
        }
    }

    /// The zone.
    public var zone: ZoneID
    /// The records to save.
    public var saves: [Save]
    /// The records to delete.
    public var deletions: [Deletion]

    /// A request of these parts.
    public init(_ zone: ZoneID, saves: [Save] = [], deletions: [Deletion] = []) {
        self.zone = zone
        self.saves = saves
        self.deletions = deletions
    }

    /// The names of all records, in the order of the answer: first those to save.
    public var names: [RecordName] { saves.map(\.draft.name) + deletions.map(\.name) }

    /// The refusal of a request that exceeds a limit or names a record twice, whatever is stored. A single record that is
    /// too large is an error of its item.
    func refusal(_ limits: Limits) -> Refusal? {
        if let refusal = limits.refusal(saves.count + deletions.count, .records) { return refusal }
        let bytes = saves.reduce(0) { $0 + $1.draft.size } + deletions.reduce(0) { $0 + $1.name.text.utf8.count }
        if let refusal = limits.refusal(bytes, .requestBytes) { return refusal }
        // A machine that sends what it should have sealed is not served: so nothing of it is stored.
        let isSealed = saves.allSatisfy { save in
            save.draft.fields.values.allSatisfy { value in
                switch value {
                case .encrypted: false
                case .sealed: zone.owner != nil
                default: true
                }
            }
        }
        guard isSealed else { return .invalidRequest(.notSealed) }
        let names = names
        return Set(names).count == names.count ? nil : .invalidRequest(.namedTwice)
    }
}

/// What became of one record of a request to modify.
public enum RecordOutcome: Equatable, Sendable {
    /// It is saved.
    case saved(SavedRecord)
    /// It is deleted, or did not exist.
    case deleted
    /// Another change came first.
    case conflict(Conflict)
    /// The draft has a change tag, and the record was deleted.
    case unknownItem
    /// Another record of the same batch was refused: the first one is named.
    case batchRequestFailed(culprit: RecordName)
    /// The record exists with this type, which a save cannot change.
    case typeDiffers(RecordType)
    /// The record would exceed a limit.
    case limitExceeded(Limits.Subject, most: Int)
    /// The record does not fit the schema.
    case notInSchema(SchemaViolation)
    /// The caller may not do this to this record.
    case notPermitted
    /// The record has the asset with this digest, and the account has not uploaded it to the zone.
    case assetNotFound([UInt8])

    /// Whether the request was fulfilled for this record.
    public var isDone: Bool {
        switch self {
        case .saved, .deleted: true
        default: false
        }
    }
}

/// The system fields of a record that was saved.
public struct SavedRecord: Equatable, Sendable {
    /// The version.
    public var changeTag: ChangeTag
    /// When and by whom the record was made.
    public var created: Record.Stamp
    /// When and by whom this version was made.
    public var modified: Record.Stamp

    /// The system fields of a record.
    public init(_ record: Record) {
        self.init(changeTag: record.changeTag, created: record.created, modified: record.modified)
    }

    /// Fields of these values.
    public init(changeTag: ChangeTag, created: Record.Stamp, modified: Record.Stamp) {
        self.changeTag = changeTag
        self.created = created
        self.modified = modified
    }
}

/// What a client needs in order to merge its change with another one. Its own version is what it sent.
public struct Conflict: Equatable, Sendable {
    /// The version of the hub.
    public var serverChangeTag: ChangeTag
    /// The record of the hub; nil if the answer would become too large, or is a repetition: then the client fetches it.
    public var server: Record?
    /// The version that both changes began with, if it is the one before the hub's version; nil if it is older and no
    /// longer stored, if the client named none, or if the zone is one of another account, which may have shared the record
    /// after that version: then the client uses its own copy.
    public var ancestor: Record?

    /// A conflict of these parts.
    public init(serverChangeTag: ChangeTag, server: Record?, ancestor: Record?) {
        self.serverChangeTag = serverChangeTag
        self.server = server
        self.ancestor = ancestor
    }
}

/// The answer to a request to modify records.
public enum ModifyRecordsAnswer: Equatable, Sendable {
    /// The outcome of each record, in the order of the request: saves, then deletions.
    case outcomes([RecordOutcome])
    /// Nothing was changed.
    case refused(Refusal)
}

extension ModifyRecordsAnswer {
    /// The answer without the records of conflicts: as it is repeated.
    public var withoutRecords: ModifyRecordsAnswer {
        guard case .outcomes(let outcomes) = self else { return self }
        return .outcomes(
            outcomes.map { outcome in
                guard case .conflict(var conflict) = outcome else { return outcome }
                conflict.server = nil
                conflict.ancestor = nil
                return .conflict(conflict)
            })
    }
}

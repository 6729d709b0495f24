import Records

/// A zone: records that are fetched, shared and deleted together. What `CKRecordZone` is in CloudKit.
public struct RecordZone: Hashable, Sendable {
    /// The name of a zone and of the account that it belongs to.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// The zone's name, unique among those of its owner: 1 to 255 bytes of visible ASCII.
        public let zoneName: String
        /// The name of the account that shares the zone; `ID.ownAccount` for a zone of the machine's account.
        public let ownerName: String

        /// The owner's name in the IDs of zones of the machine's own account. No account has this name.
        public static let ownAccount = "__defaultOwner__"

        /// The ID of a zone.
        public init(zoneName: String, ownerName: String = ID.ownAccount) {
            self.zoneName = zoneName
            self.ownerName = ownerName
        }

        /// The zone that every private database has.
        public static let `default` = ID(zoneName: ZoneName.defaultZone.text)

        /// The name, and after an at sign the owner.
        public var description: String { isOwn ? zoneName : "\(zoneName)@\(ownerName)" }
    }

    /// Which zone it is.
    public let zoneID: ID
    /// Whether it was made on this machine, and the hub does not know it yet.
    public let isPending: Bool

    /// A zone of the machine's account. It is made by saving it.
    public init(zoneName: String) { self.init(zoneID: ID(zoneName: zoneName)) }

    /// A zone with this ID. It is made by saving it.
    public init(zoneID: ID) { self.init(zoneID, isPending: false) }

    init(_ zoneID: ID, isPending: Bool) {
        self.zoneID = zoneID
        self.isPending = isPending
    }

    /// Why a zone was deleted.
    public enum DeletionReason: Sendable, Equatable, CaseIterable {
        /// It was deleted by an app.
        case deleted
        /// The person has deleted all data of the app. Do not save it again without asking.
        case purged
        /// The person has lost the key of encrypted fields, and the hub's records were removed. The zone is still there, or was made
        /// again: its records are reported again. Values of encrypted fields that only the app has, it saves again.
        case encryptedDataReset
        /// It is not shared with the account any more.
        case withdrawn
    }
}

extension RecordZone.ID {
    /// Whether it is a zone of the machine's account.
    var isOwn: Bool { ownerName == Self.ownAccount }
    /// The owner as a parameter of calls.
    var owner: String? { isOwn ? nil : ownerName }

    init(owner: String?, name: String) { self.init(zoneName: name, ownerName: owner ?? Self.ownAccount) }
}

extension RecordZone.DeletionReason {
    init(_ word: String) {
        self =
            switch ZoneDeletionReason(rawValue: word) {
            case .purged: .purged
            case .encryptedDataReset: .encryptedDataReset
            case .withdrawn: .withdrawn
            case .deleted, nil: .deleted
            }
    }
}

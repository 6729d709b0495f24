/// The limits of requests and answers.
public struct Limits: Equatable, Sendable {
    /// What a limit limits.
    public enum Subject: String, Sendable, CaseIterable {
        /// Bytes of a record without assets.
        case recordBytes
        /// Fields of a record.
        case fields
        /// Records that a request saves, deletes or names.
        case records
        /// Bytes of all records of a request, and of a request's JSON.
        case requestBytes
        /// Zones that a request saves or deletes.
        case zonesOfRequest
        /// Zones of a database.
        case zones
        /// Subscriptions of an account in a database.
        case subscriptions
        /// Devices of an account in a container.
        case devices
        /// Accounts that a zone is shared with, or a record.
        case participants
        /// Accounts that records of a zone are shared with, counted once for each record.
        case recordParticipants
        /// Records of a zone that are shared with an account because of records above them.
        case hierarchy
        /// Types of a container.
        case types
        /// Accounts in the team of a container.
        case members
        /// Records that a query sorts.
        case sortedRecords
        /// Bytes of an asset.
        case assetBytes
        /// Assets that an account has uploaded, wholly or in part, and that no record has yet.
        case uploads
        /// Bytes of these assets.
        case uploadBytes
    }

    /// Bytes of a record without assets.
    public var recordBytes = 1 << 20
    /// Fields of a record.
    public var fields = 1_000
    /// Records of a request, and of a page of an answer.
    public var records = 400
    /// Bytes of the records of a request, and of a page of an answer.
    public var requestBytes = 2 << 20
    /// Zones of a request, and of a page of an answer.
    public var zonesOfRequest = 200
    /// Zones of a database.
    public var zones = 1_000
    /// Subscriptions of an account in a database.
    public var subscriptions = 100
    /// Devices of an account in a container.
    public var devices = 100
    /// Accounts that a zone is shared with, or a record.
    public var participants = 100
    /// Accounts that records of a zone are shared with, counted once for each record.
    public var recordParticipants = 1_000
    /// Records of a zone that are shared with an account because of records above them.
    public var hierarchy = 100_000
    /// Types of a container. Each has at most as many fields as a record.
    public var types = 1_000
    /// Accounts in the team of a container.
    public var members = 100
    /// Records that a query sorts where no index has its order.
    public var sortedRecords = 10_000
    /// Bytes of an asset.
    public var assetBytes = Int(Asset.mostBytes)
    /// Assets that an account has uploaded, wholly or in part, and that no record has yet.
    public var uploads = 1_000
    /// Bytes of these assets.
    public var uploadBytes = 2 << 30

    /// The defaults.
    public init() {}

    /// The most that is permitted.
    public func most(_ subject: Subject) -> Int {
        switch subject {
        case .recordBytes: recordBytes
        case .fields: fields
        case .records: records
        case .requestBytes: requestBytes
        case .zonesOfRequest: zonesOfRequest
        case .zones: zones
        case .subscriptions: subscriptions
        case .devices: devices
        case .participants: participants
        case .recordParticipants: recordParticipants
        case .hierarchy: hierarchy
        case .types: types
        case .members: members
        case .sortedRecords: sortedRecords
        case .assetBytes: assetBytes
        case .uploads: uploads
        case .uploadBytes: uploadBytes
        }
    }

    /// The refusal of more; nil if a number is permitted.
    func refusal(_ number: Int, _ subject: Subject) -> Refusal? {
        let most = most(subject)
        return number > most ? .limitExceeded(subject, most: most) : nil
    }
}

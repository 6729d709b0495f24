// CloudKit's names that are spelled differently in Waymark: the compiler's error names the replacement.

/// `Container`.
@available(*, unavailable, renamed: "Container")
public typealias CKContainer = Container
/// `Account.Status`.
@available(*, unavailable, renamed: "Account.Status")
public typealias CKAccountStatus = Account.Status
/// `Database`.
@available(*, unavailable, renamed: "Database")
public typealias CKDatabase = Database
/// `Record`.
@available(*, unavailable, renamed: "Record")
public typealias CKRecord = Record
/// `RecordValueConvertible`.
@available(*, unavailable, renamed: "RecordValueConvertible")
public typealias CKRecordValueProtocol = RecordValueConvertible
/// `Record.Asset`, which describes a file; its bytes are at the hub.
@available(*, unavailable, renamed: "Record.Asset")
public typealias CKAsset = Record.Asset
/// `RecordZone`.
@available(*, unavailable, renamed: "RecordZone")
public typealias CKRecordZone = RecordZone
/// `RecordQuery`.
@available(*, unavailable, renamed: "RecordQuery")
public typealias CKQuery = RecordQuery
/// `ChangeToken`.
@available(*, unavailable, renamed: "ChangeToken")
public typealias CKServerChangeToken = ChangeToken
/// `Share`.
@available(*, unavailable, renamed: "Share")
public typealias CKShare = Share
/// `RecordError`.
@available(*, unavailable, renamed: "RecordError")
public typealias CKError = RecordError
/// `SyncEngine`.
@available(*, unavailable, renamed: "SyncEngine")
public typealias CKSyncEngine = SyncEngine
/// `SyncEngineDelegate`.
@available(*, unavailable, renamed: "SyncEngineDelegate")
public typealias CKSyncEngineDelegate = SyncEngineDelegate
/// `RecordZone.ID.ownAccount`.
@available(*, unavailable, renamed: "RecordZone.ID.ownAccount")
public let CKCurrentUserDefaultName = RecordZone.ID.ownAccount
/// `QuerySubscription`.
@available(*, unavailable, renamed: "QuerySubscription")
public typealias CKQuerySubscription = QuerySubscription
/// `QuerySubscription.NotificationInfo`.
@available(*, unavailable, renamed: "QuerySubscription.NotificationInfo")
public typealias CKNotificationInfo = QuerySubscription.NotificationInfo
/// `SyncEngine`, which gets every change without a subscription.
@available(*, unavailable, message: "a SyncEngine gets every change of its database without a subscription")
public typealias CKSubscription = SyncEngine
/// `SyncEngine`, which gets every change without a subscription.
@available(*, unavailable, message: "a SyncEngine gets every change of its database without a subscription")
public typealias CKDatabaseSubscription = SyncEngine
/// `SyncEngine`, which gets every change without a subscription.
@available(*, unavailable, message: "a SyncEngine gets every change of its database without a subscription")
public typealias CKRecordZoneSubscription = SyncEngine
/// `Database.records(matching:inZoneWith:desiredKeys:resultsLimit:)`.
@available(*, unavailable, message: "use the asynchronous calls of Database, such as modifyRecords(saving:deleting:)")
public typealias CKModifyRecordsOperation = Database

extension Container {
    /// `publicDatabase`.
    @available(*, unavailable, renamed: "publicDatabase")
    public var publicCloudDatabase: Database { publicDatabase }
    /// `privateDatabase`.
    @available(*, unavailable, renamed: "privateDatabase")
    public var privateCloudDatabase: Database { privateDatabase }
    /// `sharedDatabase`.
    @available(*, unavailable, renamed: "sharedDatabase")
    public var sharedCloudDatabase: Database { sharedDatabase }
}

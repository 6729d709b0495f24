import Location
import Records

/// An engine in memory.
final class MemoryEngine: RecordEngine {
    /// The tables.
    struct Tables: Equatable {
        struct Place: Hashable {
            var database: DatabaseID
            var zone: ZoneID
        }

        struct PushKey: Hashable {
            var target: PushTarget
            var zone: ZoneID
            var subscription: SubscriptionName?

            init(_ push: Push) {
                target = push.target
                zone = push.zone
                subscription = push.subscription
            }
        }

        struct ShareKey: Hashable {
            var account: AccountID
            var root: RecordName?

            init(_ participant: Participant) { (account, root) = (participant.account, participant.root) }
        }

        struct SubscriberKey: Hashable {
            var container: Container
            var account: AccountID
            var name: SubscriptionName
        }

        var accountDevices: [AccountDevice: DeviceRow] = [:]
        var invitations: [AccountDevice: InvitationRow] = [:]
        var types: [Container: [RecordType: TypeDefinition]] = [:]
        var teams: [ContainerName: [AccountID: TeamMember]] = [:]
        var databases: [DatabaseID: DatabaseRow] = [:]
        var zones: [ZoneID: ZoneRow] = [:]
        var feed: [Place: FeedRow] = [:]
        var records: [ZoneID: [RecordName: RecordRow]] = [:]
        var participants: [ZoneID: [ShareKey: Participant]] = [:]
        var answers: [AnswerRow.Key: AnswerRow] = [:]
        var subscriptions: [DatabaseID: [SubscriptionName: Subscription]] = [:]
        var publicSubscriptions: [SubscriberKey: Subscription] = [:]
        var devices: Set<PushTarget> = []
        var pushes: [PushKey: Push] = [:]
        var entries: [ZoneID: Set<IndexEntry>] = [:]
        var assets: [AssetKey: AssetRow] = [:]
        var assetUses: [ZoneID: Set<AssetUse>] = [:]
        var discarded: [Int64: AssetRow] = [:]

        struct AssetKey: Hashable {
            var zone: ZoneID
            var digest: [UInt8]
            var account: AccountID?
        }
    }

    /// The bytes of assets.
    var assetBytes: [Int64: [UInt8]] = [:]
    var lastAsset: Int64 = 0

    var tables = Tables()
    var undo: [(inout Tables) -> Void] = []

    func read<Value>(
        _ body: (inout MemoryTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        var transaction = MemoryTransaction(self)
        return try body(&transaction)
    }

    func write<Value>(
        _ body: (inout MemoryTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        undo = []
        var transaction = MemoryTransaction(self)
        do throws(EngineFailure) {
            let value = try body(&transaction)
            undo = []
            return value
        } catch {
            for step in undo.reversed() { step(&tables) }
            throw error
        }
    }

    /// Changes a table so that it can be undone.
    func change<Key: Hashable, Row>(
        _ table: WritableKeyPath<Tables, [Key: Row]>, _ key: Key, _ row: Row?
    ) {
        let old = tables[keyPath: table][key]
        tables[keyPath: table][key] = row
        undo.append { $0[keyPath: table][key] = old }
    }
}

extension Dictionary {
    /// The table of a key, empty if there is none, and no empty tables.
    subscript<Inner: Hashable, Row>(orEmpty key: Key) -> [Inner: Row] where Value == [Inner: Row] {
        get { self[key] ?? [:] }
        set { self[key] = newValue.isEmpty ? nil : newValue }
        _modify {
            var inner = removeValue(forKey: key) ?? [:]
            yield &inner
            if !inner.isEmpty { self[key] = inner }
        }
    }
}

import HTTP
import JSONText
import Platform
import Records
import Storage
import SyncInterface
import Varlink

extension SyncService: SyncInterface.Handler {
    // Zones

    func modifyZones(_ call: MethodCall<SyncInterface.ModifyZones>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let account = try account
        func names(_ texts: [String]?, _ argument: String) throws(Failure) -> [ZoneName] {
            try (texts ?? []).map { (text) throws(Failure) in
                try Self.name(text, argument, ZoneName.init(stored:), "a zone: 1 to 255 visible ASCII characters")
            }
        }
        let saves = try names(parameters.save, "save")
        let deletions = try names(parameters.delete, "delete")
        try edit { (tables) throws(StorageError) -> Result<Void, EditRefusal> in
            let row = try tables.open(container)
            let refusal = try tables.modify(row, of: account.id.account, saving: saves, deleting: deletions)
            return refusal.map { .failure($0) } ?? .success(())
        }
        call.reply(.init())
    }

    func listZones(_ call: MethodCall<SyncInterface.ListZones>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let own = try account.id.account
        let zones = try write { (tables) throws(StorageError) in
            try tables.zones(.readZones, in: try tables.open(container))
        }
        noteUse(of: container)
        call.reply(
            .init(
                zones: zones.map { row in
                    .init(
                        owner: row.zone.owner == own ? nil : row.zone.owner?.text, name: row.zone.name.text,
                        pending: row.mustMake)
                }))
    }

    // Records

    func modifyRecords(_ call: MethodCall<SyncInterface.ModifyRecords>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let zone = try zone(parameters.owner, parameters.zone, in: container)
        let own = try account.id.account
        let request: ModifyRecords
        do throws(FormatError) { request = try ModifyRecords(zone, json: parameters.request.bytes) } catch {
            throw .invalidArgument(argument: "request", message: "It is no request to modify records: \(error).")
        }
        if request.hasEncryptedValues {
            try requireOwn(zone, of: own)
            guard keys.present != nil else { return try waitForKey(call) }
        }
        let revision = try edit { (tables) throws(StorageError) -> Result<Int64, EditRefusal> in
            let row = try tables.open(container)
            guard let present = try tables.present(zone, in: row, of: own) else {
                return .failure(.zoneNotFound(zone.name))
            }
            let sealed = try seal(request, with: tables, in: present)
            if let refusal = try tables.modify(present, sealed, unchangedSince: parameters.unchangedSince) {
                return .failure(refusal)
            }
            return .success(try tables.find(container)?.revision ?? 0)
        }
        call.reply(.init(revision: revision))
    }

    func getRecords(_ call: MethodCall<SyncInterface.GetRecords>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let zone = try zone(parameters.owner, parameters.zone, in: container)
        guard parameters.names.count <= Limits().records else {
            throw .limitExceeded(
                limit: Limits.Subject.records.rawValue, most: Int64(Limits().records), message: "Ask for less at once.")
        }
        let names = try parameters.names.map { (text) throws(Failure) in
            try Self.name(text, "names", RecordName.init, "a record")
        }
        let (records, revision) = try reading(zone, container) {
            (tables, row) throws(StorageError) -> ([LocalRecord], Int64?) in
            var found: [LocalRecord] = []
            for name in Set(names).sorted() {
                if let record = try tables.seen(name, in: row) { found.append(record) }
            }
            return (found, try tables.find(container)?.revision)
        }
        call.reply(.init(records: try json(records, in: zone), revision: revision))
    }

    func listRecords(_ call: MethodCall<SyncInterface.ListRecords>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let zone = try zone(parameters.owner, parameters.zone, in: container)
        let limit = try Self.limit(parameters.limit)
        let query: Query?
        do throws(FormatError) {
            query = try parameters.query.map { (json) throws(FormatError) in try Query(json: json.bytes) }
        } catch { throw .invalidArgument(argument: "query", message: "It is no query: \(error).") }
        if let query, !query.order.isEmpty {
            let result = try reading(zone, container) { (tables, row) throws(StorageError) in
                try tables.sort(row, after: parameters.after, limit: limit, matching: query)
            }
            switch result {
            case .success(let page):
                return call.reply(.init(records: try json(page.records, in: zone), next: page.last))
            case .failure(.unknownStart):
                throw .invalidArgument(argument: "after", message: "It is the `next` of another page of this query.")
            case .failure(.tooMany(let most)):
                throw .limitExceeded(
                    limit: Limits.Subject.sortedRecords.rawValue, most: Int64(most),
                    message: "The zone has too many records to sort. Query without an order.")
            }
        }
        let page = try reading(zone, container) { (tables, row) throws(StorageError) in
            try tables.list(row, after: parameters.after ?? "", limit: limit, matching: query)
        }
        call.reply(.init(records: try json(page.records, in: zone), next: page.last))
    }

    static func limit(_ limit: Int64?) throws(Failure) -> Int {
        guard let limit else { return Limits().records }
        guard (1...Int64(Limits().records)).contains(limit) else {
            throw .invalidArgument(argument: "limit", message: "It is from 1 to \(Limits().records).")
        }
        return Int(limit)
    }

    /// Reads of a zone that programs see.
    private func reading<Value>(
        _ zone: ZoneID, _ container: Container, _ body: (CacheTables, ZoneRow) throws(StorageError) -> Value
    ) throws(Failure) -> Value {
        let own = try account.id.account
        let value = try write { (tables) throws(StorageError) -> Value? in
            let row = try tables.open(container)
            guard let present = try tables.present(zone, in: row, of: own) else { return nil }
            return try body(tables, present)
        }
        noteUse(of: container)
        guard let value else { throw .zoneNotFound(message: "There is no zone \(zone.name) here.") }
        return value
    }

    // Changes

    func getChanges(_ call: MethodCall<SyncInterface.GetChanges>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let limit = try Self.limit(parameters.limit)
        guard isOpen || !call.call.wantsMore else { return waitForOpening(call) }
        _ = try account
        _ = try write { (tables) throws(StorageError) in try tables.open(container) }
        noteUse(of: container)
        guard call.call.wantsMore else {
            return call.reply(try changes(container, since: parameters.since, of: parameters.copy, limit: limit))
        }
        watch(
            ChangeWatch(
                call: call.later, container: container, revision: parameters.since, limit: limit, copy: parameters.copy)
        )
    }

    func listRefusedChanges(_ call: MethodCall<SyncInterface.ListRefusedChanges>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let own = try account.id.account.text
        let limit = try parameters.limit.map { (limit) throws(Failure) in Int64(try Self.limit(limit)) }
        // One more than the page has, which says whether there is another page.
        let found = try read { (tables) throws(StorageError) in
            try tables.find(container).map { (row) throws(StorageError) in
                try tables.refused(in: row, after: parameters.after ?? 0, limit: limit.map { $0 + 1 } ?? .max)
            } ?? []
        }
        let refused = limit.map { found.prefix(Int($0)) } ?? found[...]
        call.reply(
            .init(
                refused: refused.map { change in
                    let (wanted, outcome) = opened(change, in: container)
                    return .init(
                        owner: change.owner == own ? nil : change.owner, zone: change.zone, name: change.name,
                        change: wanted, outcome: outcome)
                }, next: refused.count < found.count ? refused.last?.number : nil))
    }

    static func json(_ text: String) -> JSON {
        (try? JSON.parse(Array(text.utf8), maximumDepth: 14, maximumValues: .max)) ?? .emptyObject
    }

    func discardChanges(_ call: MethodCall<SyncInterface.DiscardChanges>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let zone = try zone(parameters.owner, parameters.zone, in: container)
        let names = try parameters.names.map { (text) throws(Failure) in
            try Self.name(text, "names", RecordName.init, "a record")
        }
        try edit { (tables) throws(StorageError) -> Result<Void, EditRefusal> in
            guard let row = try tables.find(container), let found = try tables.find(zone, in: row) else {
                return .failure(.zoneNotFound(zone.name))
            }
            try tables.discard(names, in: found, onlyRefused: parameters.refused ?? false)
            return .success(())
        }
        call.reply(.init())
    }

    func synchronize(_ call: MethodCall<SyncInterface.Synchronize>) throws(Failure) {
        try requireAnybody(call.connection)
        _ = try account
        carrier.synchronize { [call = call.later] problem in
            if let problem { call.fail(.networkUnavailable(message: problem)) } else { call.reply(.init()) }
        }
    }
}

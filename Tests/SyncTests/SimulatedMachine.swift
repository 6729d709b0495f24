import Cryptography
import JSONText
import Location
import Records
import RecordsSQLite
import Storage
import TestSupport
import Upload

@testable import HTTPServing
@testable import Hub
@testable import Sync

/// The rules of a hub without a server, whose requests can be lost, answered in vain and repeated.
final class SimulatedHub {
    private let api: HubAPI<SQLiteEngine, HubSigner>
    let account = named("alice") as AccountID
    /// Microseconds since 1970.
    var now: Int64 = 1_780_000_000_000_000
    /// The field values that the hub has had, ever.
    private(set) var values: Set<Int64> = []
    /// How often a record has appeared that the hub did not have.
    private(set) var births: [String: Int] = [:]
    /// The answer to each request of an upload instead of the rules' own, if there is one.
    var uploadAnswer: HTTPAnswer?
    /// The requests of uploads so far.
    private(set) var uploads = 0
    private var existing: Set<String> = []
    private var tokens: [String: String] = [:]

    init(folder: String) throws {
        guard let key = try SymmetricKey(copying: RandomBytes.make(SymmetricKey.size)) else {
            preconditionFailure("the size is that of a key")
        }
        api = HubAPI(
            store: RecordStore(try SQLiteEngine(folder: folder), HubSigner(key: key)), random: RandomBytes.make)
    }

    var time: UTCTime { UTCTime(microseconds: now) }

    /// Adds a device, and returns its token.
    func join(_ device: String) throws -> String {
        let code = RandomBytes.make(10)
        let id = AccountDevice(account, named(device))
        guard case .success = try api.store.invite(id, code: code, for: 60, at: time) else {
            throw SimulationError(description: "\(device) is not invited")
        }
        let token = DeviceToken(RandomBytes.make(DeviceToken.size))
        guard case .success = try api.store.join(code: code, token: token.bytes, at: time) else {
            throw SimulationError(description: "\(device) does not join")
        }
        tokens[device] = token.text
        return token.text
    }

    /// Performs a request of a device.
    func answer(_ request: HubRequest, token: String) throws -> HubReply {
        var served = ServedRequest(method: request.method.rawValue, target: request.path)
        served.headers["authorization"] = "Bearer \(token)"
        if !request.key.isEmpty { served.headers["idempotency-key"] = request.key }
        for header in request.headers { served.headers[header.name.lowercased()] = header.value }
        served.body = request.body
        if request.method == .put || request.method == .patch, request.path.contains("/assets/") {
            uploads += 1
            if let uploadAnswer { return HubReply(.answered(uploadAnswer)) }
        }
        let answer = api.answer(served, to: Resource(path: served.path), at: time)
        if request.method == .post { try observe() }
        var headers = answer.reply.headers.map { HTTPAnswer.Header($0.name, $0.value) }
        if let seconds = answer.reply.retryAfter { headers.append(HTTPAnswer.Header("Retry-After", "\(seconds)")) }
        return HubReply(.answered(HTTPAnswer(status: answer.reply.status, headers: headers, body: answer.reply.body)))
    }

    /// Performs a request of a device of the account, by its name.
    func request(_ request: HubRequest, by device: String) throws -> HubReply {
        guard let token = tokens[device] else { throw SimulationError(description: "\(device) has not joined") }
        return try answer(request, token: token)
    }

    /// The pending pushes of a device.
    func pushes(to device: String) throws -> [Push] {
        try api.store.pushes(to: .device(named(device), of: account)).get()
    }

    /// Removes a device from the account.
    func remove(_ device: String) throws {
        let id = AccountDevice(account, named(device))
        _ = try api.store.removeKey(of: id, at: time)
        guard try api.store.remove(id) == nil else {
            throw SimulationError(description: "\(device) is not removed")
        }
    }

    /// Removes pushes that a device has received.
    func acknowledge(_ pushes: [Push], by device: String) throws {
        _ = try api.store.acknowledge(pushes, by: .device(named(device), of: account))
    }

    /// Removes what is older than the hub remembers.
    func removeOld() throws { while try api.store.removeOld(at: time) {} }

    /// All records of all zones: "zone/name" with the values of its fields.
    func records() throws -> [String: [String: Int64]] {
        var found: [String: [String: Int64]] = [:]
        let caller = Caller.device(named("observer"), of: account)
        let database = DatabaseID(SimulatedMachine.container, .privately(account))
        guard case .success(let list) = try api.store.changes(of: database, since: nil, limit: .max, by: caller) else {
            throw SimulationError(description: "the zones are not listed")
        }
        for zone in list.changed {
            var token: [UInt8]?
            while true {
                guard case .success(let page) = try api.store.changes(of: zone, since: token, limit: .max, by: caller)
                else { break }
                for record in page.changed { found["\(zone.name)/\(record.name)"] = record.fields.integers }
                token = page.token
                if !page.moreComing { break }
            }
        }
        return found
    }

    private func observe() throws {
        let records = try records()
        for (place, fields) in records {
            values.formUnion(fields.values)
            if existing.insert(place).inserted { births[place, default: 0] += 1 }
        }
        existing = Set(records.keys)
    }
}

struct SimulationError: Error, CustomStringConvertible {
    let description: String
}

/// A name that a test writes down.
func named<Rule>(_ text: String) -> Name<Rule> {
    guard let name = Name<Rule>(text) else { preconditionFailure("\(text) is no name") }
    return name
}

extension [FieldName: FieldValue] {
    /// The integers among the values.
    var integers: [String: Int64] {
        reduce(into: [:]) { result, field in
            if case .integer(let number) = field.value { result[field.key.text] = number }
        }
    }
}

/// A machine with its copy, and an app on it that follows the changes of the copy.
final class SimulatedMachine {
    static let container = Container(named("org.example.notes"), .production)

    let name: String
    private let folder: String
    private let hub: SimulatedHub
    private let token: String
    private var opened: SyncCache?
    private var mostRecords = Limits().records
    /// What the app has read of the changes: "zone/name" with the values of its fields.
    private(set) var mirror: [String: [String: Int64]] = [:]
    private var revision: Int64 = 0
    /// How many more pauses may follow from answers before a step fails.
    var permittedPauses = 0

    init(_ name: String, folder: String, hub: SimulatedHub) throws {
        self.name = name
        self.folder = folder
        self.hub = hub
        token = try hub.join(name)
        opened = try SyncCache(folder: folder)
        try cache.write { (tables) throws(StorageError) in
            try tables.join(.test(hub.account, named(name), token: token, copy: HexText.text(RandomBytes.make(16))))
            _ = try tables.open(Self.container)
        }
    }

    var cache: SyncCache {
        guard let opened else { preconditionFailure("the copy is opened before anything else") }
        return opened
    }

    /// Loses everything but the file.
    func crash() throws {
        // The folder is unlocked with the last reference.
        opened = nil
        opened = try SyncCache(folder: folder)
        mostRecords = Limits().records
    }

    /// What happens to a request on its route.
    enum Fate: CaseIterable {
        case delivered, requestLost, answerLost, crashBefore, crashAfter
    }

    /// Does the next piece of work. Returns whether there was one.
    func step(_ fate: Fate, past: inout [(HubRequest, String)]) throws -> Bool {
        let most = mostRecords
        let (hub, now) = (hub, hub.now)
        let work = try cache.write { (tables) throws(StorageError) -> SyncWork? in
            if let work = try tables.nextWork() { return work }
            _ = try tables.prepare(
                key: HexText.text(RandomBytes.make(16)), of: hub.account, most: most, at: now)
            if let work = try tables.nextWork() { return work }
            return try tables.nextUpload()
        }
        guard let work else { return false }
        if case .send(_, let zone, let request) = work, hub.now - request.made > 29 * 86_400 * 1_000_000 {
            try cache.write { (tables) throws(StorageError) in try tables.putBack(request, in: zone) }
            return true
        }
        if fate == .crashBefore {
            try crash()
            return true
        }
        let step = WorkStep(work: work)
        var reply = HubReply.failed(.connect)
        for request in step.requests {
            if fate == .requestLost { return true }
            reply = try hub.answer(request, token: token)
            if request.method == .post { past.append((request, token)) }
            guard case .done = reply else { break }
        }
        if fate == .answerLost { return true }
        if fate == .crashAfter {
            try crash()
            return true
        }
        switch try step.apply(reply, to: cache) {
        case .next: break
        case .less: mostRecords = max(1, mostRecords / 2)
        case .pause where permittedPauses > 0: permittedPauses -= 1
        case .pause(let reply):
            throw SimulationError(description: "\(name): \(step.requests.map(\.path)) is answered \(reply)")
        }
        return true
    }

    /// Fetches what the hub has for it: what a push does.
    func markStale() throws {
        try cache.write { (tables) throws(StorageError) in try tables.markAllStale() }
    }

    /// The app reads some changes of the copy.
    func follow(limit: Int) throws {
        let since = revision
        let page = try cache.read { (tables) throws(StorageError) in
            guard let row = try tables.find(Self.container) else { throw CacheTables.damaged("the container") }
            return (row, try tables.changes(in: row, since: since, limit: limit))
        }
        if since > 0, since < page.0.forgottenThrough {
            (mirror, revision) = ([:], 0)
            return
        }
        for change in page.1.changes {
            revision = change.revision
            guard let name = change.name else {
                mirror = mirror.filter { !$0.key.hasPrefix(change.zone + "/") }
                continue
            }
            mirror["\(change.zone)/\(name)"] = change.record?.fields.integers
        }
    }

    /// Whether the app has read everything.
    var isFollowing: Bool {
        get throws {
            try cache.read { (tables) throws(StorageError) in try tables.find(Self.container)?.revision == revision }
        }
    }

    /// What programs see.
    func records() throws -> [String: [String: Int64]] {
        try cache.read { (tables) throws(StorageError) in
            guard let row = try tables.find(Self.container) else { return [:] }
            var found: [String: [String: Int64]] = [:]
            for zone in try tables.zones(.readZones, in: row) {
                var last: String? = ""
                while let after = last {
                    let page = try tables.list(zone, after: after, limit: 7, matching: nil)
                    for record in page.records { found["\(zone.zone.name)/\(record.name)"] = record.fields.integers }
                    last = page.last
                }
            }
            return found
        }
    }

    /// The values of the changes that the hub has refused, by "zone/name".
    func refused() throws -> [String: Set<Int64>] {
        try cache.read { (tables) throws(StorageError) in
            guard let row = try tables.find(Self.container) else { return [:] }
            var found: [String: Set<Int64>] = [:]
            for change in try tables.refused(in: row, after: 0, limit: .max) {
                let values =
                    (attempt { try JSON.parse(Array(change.change.utf8), maximumDepth: 14) })?["save"]?[0]?["record"]?[
                        "fields"]?.objectValue ?? []
                found["\(change.zone)/\(change.name)"] = Set(values.compactMap { $0.value["integer"]?.integerValue })
            }
            return found
        }
    }

    /// Changes the copy as a program does. Returns the refusal.
    func edit(
        _ body: (CacheTables, ContainerRow, AccountID) throws(StorageError) -> EditRefusal?
    ) throws -> EditRefusal? {
        var refusal: EditRefusal?
        let account = hub.account
        do throws(StorageError) {
            try cache.write { (tables) throws(StorageError) in
                guard let row = try tables.find(Self.container) else { throw CacheTables.damaged("the container") }
                refusal = try body(tables, row, account)
                if refusal != nil { throw StorageError("edit", .closed, "refused") }
            }
        } catch { if refusal == nil { throw error } }
        return refusal
    }
}

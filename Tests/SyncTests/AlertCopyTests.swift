import Containers
import JSONText
import Location
import Records
import Storage
import TestSupport
import TestTraits
import Testing

@testable import Sync

/// Which changes of the copy the person is alerted of.
@Suite(.waits) struct AlertCopyTests {
    var machines: TwoMachines
    var hub: SimulatedHub { machines.hub }
    var laptop: SimulatedMachine { machines.laptop }
    var phone: SimulatedMachine { machines.phone }

    init() throws { machines = try TwoMachines() }

    /// Gives a machine the pushes of the hub, and does what follows.
    mutating func receive(_ machine: SimulatedMachine) throws -> [Push] {
        let pushes = try hub.pushes(to: machine.name)
        try machine.cache.write { (tables) throws(StorageError) in try tables.apply(pushes) }
        try hub.acknowledge(pushes, by: machine.name)
        try machines.synchronize(machine, stale: false)
        return pushes
    }

    func subscribe(
        _ name: String = "s", on: [String] = ["create"], once: Bool = false, database: DatabaseScope = .private,
        alert: String? = #"{"body":{"key":"New","arguments":["value","text"]}}"#
    ) throws {
        let members = [
            #""query":{"type":"Note"}"#, #""on":["\#(on.joined(separator: #"",""#))"]"#, once ? #""once":true"# : nil,
            alert.map { #""alert":\#($0)"# },
        ]
        let address = HubAddress.subscription(named(name), SimulatedMachine.container, database)
        let body = Array("{\(members.compactMap(\.self).joined(separator: ","))}".utf8)
        let reply = try hub.request(HubRequest(method: .put, path: address, body: body), by: "phone")
        guard case .done = reply else { throw SimulationError(description: "\(reply)") }
    }

    func makeZone(_ machine: SimulatedMachine, _ name: String = "notes") throws {
        _ = try machine.edit { (tables, row, account) throws(StorageError) in
            try tables.modify(row, of: account, saving: [named(name)], deleting: [])
        }
    }

    mutating func save(
        _ machine: SimulatedMachine, _ name: String, _ value: Int64, in zone: String = "notes"
    ) throws {
        try edit(machine, name, value, in: zone)
        try machines.synchronize(machine)
    }

    func edit(
        _ machine: SimulatedMachine, _ name: String, _ value: Int64, in zone: String = "notes"
    ) throws {
        let refusal = try machine.edit { (tables, row, account) throws(StorageError) in
            let id = ZoneID(SimulatedMachine.container, owner: account, named(zone))
            guard let zone = try tables.present(id, in: row, of: account) else { return .zoneNotFound(named(zone)) }
            let fields: [FieldName: FieldValue] = [
                named("value"): .integer(value), named("text"): .string("text \(value)"),
                named("other"): .string("of no argument"),
            ]
            let draft = RecordDraft(named(name), named("Note"), fields)
            return try tables.modify(zone, ModifyRecords(id, saves: [ModifyRecords.Save(draft, .allKeys)]))
        }
        #expect(refusal == nil)
    }

    mutating func delete(_ machine: SimulatedMachine, _ name: String) throws {
        try editDeletion(machine, name)
        try machines.synchronize(machine)
    }

    func editDeletion(_ machine: SimulatedMachine, _ name: String) throws {
        _ = try machine.edit { (tables, row, account) throws(StorageError) in
            let id = ZoneID(SimulatedMachine.container, owner: account, named("notes"))
            guard let zone = try tables.present(id, in: row, of: account) else { return .zoneNotFound(named("notes")) }
            return try tables.modify(zone, ModifyRecords(id, deletions: [ModifyRecords.Deletion(named(name))]))
        }
    }

    /// Has the hub do what a machine has changed, and loses the answer for so long that the machine gives the request up: it fetches its own
    /// change then, before it sends it again.
    mutating func loseAnswer(_ machine: SimulatedMachine) throws {
        _ = try machine.step(.answerLost, past: &machines.past)
        hub.now += 30 * 86_400 * 1_000_000
        try machines.synchronize(machine)
    }

    func alerts(_ machine: SimulatedMachine) throws -> [PendingAlert] {
        try machine.cache.read { (tables) throws(StorageError) in try tables.pendingAlerts() }
    }

    /// The subscriptions with alerts, with the number of changes and the value of the latest record.
    func summary(_ machine: SimulatedMachine) throws -> [String] {
        try alerts(machine).map { alert in
            let value: String =
                if case .integer(let number)? = alert.record?.fields[named("value")] { "\(number)" } else { "-" }
            return "\(alert.name) \(alert.count) \(value)"
        }
    }

    func acknowledgeAll(_ machine: SimulatedMachine) throws {
        for alert in try alerts(machine) {
            try machine.cache.write { (tables) throws(StorageError) in
                try tables.acknowledgeAlert(alert.number, alert.count)
            }
        }
    }

    /// Both machines have the zone.
    mutating func begin() throws {
        try makeZone(phone)
        for machine in [phone, laptop] { try machines.synchronize(machine) }
    }

    @Test mutating func `changes of another machine are counted, with the values of the latest one`() throws {
        try begin()
        try subscribe()
        let pushes = try receive(laptop)
        #expect(pushes.map(\.subscription) == [.alerts])
        try save(phone, "n1", 1)
        _ = try receive(laptop)
        #expect(try summary(laptop) == ["s 1 1"])
        for number in 2...4 { try save(phone, "n\(number)", Int64(number)) }
        _ = try receive(laptop)
        #expect(try summary(laptop) == ["s 4 4"])
        let alert = try #require(try alerts(laptop).first)
        #expect(alert.record?.fields.keys.map(\.text).sorted() == ["text", "value"], "and nothing else of it")
        #expect(alert.zone?.name == named("notes") && alert.database == "private")
        // Two of the changes were shown.
        try laptop.cache.write { (tables) throws(StorageError) in try tables.acknowledgeAlert(alert.number, 3) }
        #expect(try summary(laptop) == ["s 1 4"])
        try acknowledgeAll(laptop)
        #expect(try summary(laptop).isEmpty)
        // An update and a deletion are not what it is about, and the phone has made all of it itself.
        try save(phone, "n1", 5)
        try delete(phone, "n2")
        _ = try receive(laptop)
        #expect(try summary(laptop).isEmpty && summary(phone).isEmpty)
    }

    @Test mutating func `what this machine has changed alerts nobody here`() throws {
        try begin()
        try subscribe(on: ["create", "update", "delete"])
        // The phone has made the subscription itself, and gets no push of it.
        for machine in [laptop, phone] { try machines.synchronize(machine) }
        try save(laptop, "n1", 1)
        try save(laptop, "n1", 2)
        _ = try receive(laptop)
        _ = try receive(phone)
        #expect(try summary(laptop).isEmpty)
        #expect(try summary(phone) == ["s 1 2"])
        try acknowledgeAll(phone)
        try delete(laptop, "n1")
        _ = try receive(laptop)
        _ = try receive(phone)
        #expect(try summary(laptop).isEmpty)
        #expect(try summary(phone) == ["s 1 2"], "a deletion has the values that the record had")
    }

    @Test mutating func `what this machine has changed alerts nobody here, also after a lost answer`()
        throws
    {
        try begin()
        try subscribe(on: ["create", "update", "delete"])
        for machine in [laptop, phone] { try machines.synchronize(machine) }
        let values = [1, 2] as [Int64]
        for value in values {
            try edit(laptop, "n1", value)
            try loseAnswer(laptop)
            _ = try receive(phone)
            #expect(try summary(laptop).isEmpty && alerts(phone).first?.count ?? 0 > 0)
            try acknowledgeAll(phone)
        }
        // The deletion of one that was fetched before.
        try editDeletion(laptop, "n1")
        try loseAnswer(laptop)
        _ = try receive(phone)
        #expect(try summary(laptop).isEmpty)
        #expect(try summary(phone) == ["s 1 2"])
        #expect(try hub.records().isEmpty)
        // A deletion by the other machine is one to alert of.
        try save(phone, "n2", 3)
        _ = try receive(laptop)
        try acknowledgeAll(laptop)
        try delete(phone, "n2")
        _ = try receive(laptop)
        #expect(try summary(laptop) == ["s 1 3"])
    }

    @Test mutating func `what was there before this machine alerts nobody, and a zone that is made later does`() throws
    {
        try makeZone(phone)
        try machines.synchronize(phone)
        try subscribe()
        for number in 1...5 { try save(phone, "n\(number)", Int64(number)) }
        try machines.synchronize(laptop)
        #expect(try summary(laptop).isEmpty)
        // Another zone, and the default zone, which the laptop has never fetched.
        try makeZone(phone, "lists")
        try save(phone, "l1", 6, in: "lists")
        _ = try receive(laptop)
        #expect(try summary(laptop) == ["s 1 6"])
        try save(phone, "l2", 7, in: "lists")
        _ = try receive(laptop)
        #expect(try summary(laptop) == ["s 2 7"])
        try acknowledgeAll(laptop)
        // The token is not accepted any more: everything is fetched once more, and is not new.
        try laptop.cache.write { (tables) throws(StorageError) in
            guard let row = try tables.find(SimulatedMachine.container) else { return }
            for zone in try tables.zones(.readZones, in: row) { try tables.fetchAgain(zone) }
            try tables.expire(.private, in: row)
        }
        try machines.synchronize(laptop)
        #expect(try summary(laptop).isEmpty)
        try save(phone, "n9", 9)
        _ = try receive(laptop)
        #expect(try summary(laptop) == ["s 1 9"])
    }

    @Test mutating func `a subscription for once has one alert, a silent one none, and a removed one no further`()
        throws
    {
        try begin()
        try subscribe("once", once: true)
        try subscribe("silent", alert: nil)
        try subscribe("other")
        _ = try receive(laptop)
        for number in 1...3 { try save(phone, "n\(number)", Int64(number)) }
        _ = try receive(laptop)
        #expect(try summary(laptop).sorted() == ["once 1 1", "other 3 3"] || summary(laptop).count == 2)
        #expect(try alerts(laptop).first { $0.name == "once" }?.count == 1)
        try acknowledgeAll(laptop)
        try unsubscribe("other")
        try save(phone, "n4", 4)
        _ = try receive(laptop)
        #expect(try summary(laptop).isEmpty)
    }

    @Test mutating func `a subscription is known before the changes are fetched that came with it`() throws {
        try begin()
        try subscribe()
        // The laptop was off the network: one answer has all pushes.
        try save(phone, "n1", 1)
        let pushes = try receive(laptop)
        #expect(pushes.contains { $0.subscription == .alerts } && pushes.contains { $0.subscription == named("s") })
        #expect(try summary(laptop) == ["s 1 1"])
    }

    @Test mutating func `an alert is as durable as the page, and a crash counts nothing twice`() throws {
        try begin()
        try subscribe()
        _ = try receive(laptop)
        try save(phone, "n1", 1)
        try laptop.markStale()
        for fate in [SimulatedMachine.Fate.answerLost, .crashBefore, .requestLost, .crashAfter] {
            _ = try laptop.step(fate, past: &machines.past)
        }
        try machines.synchronize(laptop)
        try laptop.crash()
        #expect(try summary(laptop) == ["s 1 1"])
    }

    @Test mutating func `an alert of the public database is one of the push, also before the list was read`() throws {
        try begin()
        try subscribe("severe", database: .public, alert: #"{"title":{"text":"Severe"}}"#)
        try subscribe("quiet", database: .public, alert: nil)
        let device = PushTarget(SimulatedMachine.container, named("alice"), named("laptop"))
        let zone = ZoneID(SimulatedMachine.container, owner: nil, .defaultZone)
        func push(_ name: String) -> Push { Push(device, zone.database, zone, named(name), 7) }
        try laptop.cache.write { (tables) throws(StorageError) in
            try tables.markAllStale()
            try tables.apply([push("severe"), push("quiet"), push("foreign")])
        }
        #expect(try summary(laptop).isEmpty, "nobody knows yet what it says")
        try machines.synchronize(laptop)
        #expect(try summary(laptop) == ["severe 1 -"])
        try laptop.cache.write { (tables) throws(StorageError) in try tables.apply([push("severe"), push("quiet")]) }
        #expect(try summary(laptop) == ["severe 2 -"])
        #expect(try alerts(laptop).first?.alert == SubscriptionAlert(title: .init("Severe")))
    }

    @Test mutating func `old alerts and too many are forgotten`() throws {
        try begin()
        for number in 0..<70 { try subscribe("s\(number)") }
        _ = try receive(laptop)
        try save(phone, "n1", 1)
        _ = try receive(laptop)
        #expect(try alerts(laptop).count == 64)
        let now = hub.now
        try laptop.cache.write { (tables) throws(StorageError) in try tables.ageAlerts(at: now, before: now) }
        #expect(try alerts(laptop).count == 64)
        try laptop.cache.write { (tables) throws(StorageError) in try tables.ageAlerts(at: now, before: now + 1) }
        #expect(try alerts(laptop).isEmpty)
    }

    @Test mutating func `of too many alerts those remain that changed last`() throws {
        try begin()
        try subscribe("first", on: ["create", "delete"])
        _ = try receive(laptop)
        try save(phone, "n1", 1)
        _ = try receive(laptop)
        for number in 0..<63 { try subscribe("s\(number)", on: ["update"]) }
        _ = try receive(laptop)
        hub.now += 1_000_000
        try save(phone, "n1", 2)
        _ = try receive(laptop)
        hub.now += 1_000_000
        try delete(phone, "n1")
        _ = try receive(laptop)
        try subscribe("last")
        _ = try receive(laptop)
        hub.now += 1_000_000
        try save(phone, "n2", 1)
        _ = try receive(laptop)
        let remaining = try summary(laptop)
        #expect(remaining.count == 64)
        for name in ["first", "last"] { #expect(remaining.contains { $0.hasPrefix("\(name) ") }, "\(remaining)") }
    }

    @Test mutating func `leaving the account removes alerts, and not what the person has set`() throws {
        try begin()
        try subscribe()
        _ = try receive(laptop)
        try save(phone, "n1", 1)
        _ = try receive(laptop)
        try laptop.cache.write { (tables) throws(StorageError) in
            try tables.mute("org.example.notes", true)
            try tables.mute("org.example.other", true)
            try tables.mute("org.example.other", false)
            try tables.wipe()
        }
        #expect(try summary(laptop).isEmpty)
        let muted = try laptop.cache.read { (tables) throws(StorageError) in try tables.mutedApps() }
        #expect(muted == ["org.example.notes"])
    }

    @Test func `a value is short, on one line and visible`() throws {
        #expect(AlertArgument.text(nil) == "")
        #expect(AlertArgument.text(.string("a\u{0}b\u{1b}[2J\nc\u{202e}d\u{200b}e")) == "a b [2J c d e")
        let long = AlertArgument.text(.string(String(repeating: "m", count: 100_000)))
        #expect(long.count == AlertArgument.longest && long.hasSuffix("…"))
        #expect(AlertArgument.text(.integer(-7)) == "-7")
        #expect(AlertArgument.text(.string("%@ <b>")) == "%@ <b>")
        let place = StoredPlace(try #require(Coordinate(latitude: 52.5, longitude: 13.25)))
        #expect(AlertArgument.text(.location(place)) == "…")
        #expect(AlertArgument.text(.bytes([1])) == "…" && AlertArgument.text(.reference(named("n"))) == "…")
        let encrypted = try #require(EncryptedValue(.string("diary")))
        #expect(AlertArgument.text(.encrypted(encrypted)) == "diary")
        let sealed = try #require(SealedField(.string, isList: false, [1]))
        #expect(AlertArgument.text(.sealed(sealed)) == "…")
    }
}

import Containers
import JSONText
import Location
import Records
import Storage
import TestSupport
import TestTraits
import Testing
@testable import Sync

// Alerts of a machine that was off.

extension AlertCopyTests {
    /// Does what a machine does first when everything was fetched.
    func forget(_ machine: SimulatedMachine) throws {
        try machine.cache.write { (tables) throws(StorageError) in
            for container in try tables.containersWithFiredAlerts() { try tables.forgetFiredAlerts(in: container) }
        }
    }

    func unsubscribe(_ name: String) throws {
        let address = HubAddress.subscription(named(name), SimulatedMachine.container, .private)
        _ = try hub.request(HubRequest(method: .delete, path: address), by: "phone")
    }

    @Test mutating func `a machine that was off has the alert of a subscription for once that has fired meanwhile`()
        throws
    {
        try begin()
        try subscribe("once", once: true)
        _ = try receive(laptop)
        try save(phone, "n1", 1)
        try save(phone, "n2", 2)
        // It reads the list of subscriptions first, and the hub has removed this one.
        try machines.synchronize(laptop)
        #expect(try summary(laptop) == ["once 1 1"])
        // The pushes come once more until they are acknowledged.
        #expect(try receive(laptop).contains { $0.subscription == named("once") })
        #expect(try summary(laptop) == ["once 1 1"])
        try forget(laptop)
        try save(phone, "n3", 3)
        _ = try receive(laptop)
        #expect(try summary(laptop) == ["once 1 1"])
    }

    @Test mutating func `a machine that was off has no alert of a subscription for once that was removed`() throws {
        try begin()
        try subscribe("once", once: true)
        _ = try receive(laptop)
        try unsubscribe("once")
        try save(phone, "n1", 1)
        try machines.synchronize(laptop)
        _ = try receive(laptop)
        #expect(try summary(laptop).isEmpty)
    }

    @Test
    mutating func `a subscription for once fires once, also where the record has been deleted before it is fetched`()
        throws
    {
        try begin()
        try subscribe("once", once: true)
        _ = try receive(laptop)
        try save(phone, "n1", 1)
        try delete(phone, "n1")
        try machines.synchronize(laptop)
        _ = try receive(laptop)
        #expect(try summary(laptop).isEmpty)
        try forget(laptop)
        try save(phone, "n2", 2)
        _ = try receive(laptop)
        #expect(try summary(laptop).isEmpty)
    }

    @Test mutating func `a machine that was off has the alert of the public database that has fired once`() throws {
        try begin()
        try subscribe("once", once: true, database: .public, alert: #"{"body":{"text":"A new note."}}"#)
        _ = try receive(laptop)
        let reply = try hub.request(
            HubRequest(
                method: .post, path: HubAddress.records(ZoneID(SimulatedMachine.container, owner: nil, .defaultZone)),
                key: "k1",
                body: Array(#"{"save":[{"record":{"name":"p1","type":"Note","fields":{}}}]}"#.utf8)), by: "phone")
        guard case .done = reply else { throw SimulationError(description: "\(reply)") }
        try machines.synchronize(laptop)
        try forget(laptop)
        _ = try receive(laptop)
        #expect(try alerts(laptop).map(\.name) == ["once"] && alerts(laptop).first?.count == 1)
    }
}

import Hub
import Interfaces
import JSONText
import TestHubs
import TestSupport
import TestTraits
import Testing

/// What a person and an app do with a hub, step by step, with `curl`'s means only.
@Suite(.waits, .timeLimit(.minutes(15))) struct WalkThroughTests {
    let hub: HubProcess

    init() throws { hub = try HubProcess() }

    @Test func `a change on one device is pushed to the other one, which fetches the difference`() throws {
        let phone = try hub.join("phone", "alice")
        let laptop = try hub.join("laptop", "alice")
        // The first start makes zone and subscription once.
        for device in [phone, laptop] {
            try device.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["notes"]}"#)
            for _ in 0..<2 {
                try device.json("PUT", "\(HubDevice.container)/private/subscriptions/all", status: 204)
                try device.json("PUT", "\(HubDevice.container)/device", status: 204)
            }
        }
        let subscriptions = try laptop.json("GET", "\(HubDevice.container)/private/subscriptions")
        #expect(subscriptions["subscriptions"]?.arrayValue?.count == 1)
        let waiting = try InBackground { try laptop.json("GET", "/v1/pushes?wait=60") }
        try hub.waitUntilWaiting(1)
        #expect(try hub.call(HubInterface.List(account: nil, device: nil)).devices.map(\.waiting) == [true, false])

        try phone.save("n1", "milk")
        let pushes = try waiting.result()
        let push = try #require(pushes["pushes"]?[0])
        #expect(pushes["pushes"]?.arrayValue?.count == 1)
        #expect(push["zone"]?["name"] == "notes" && push["zone"]?["owner"] == "alice" && push["database"] == "private")
        #expect(!pushes.description.contains("milk"))
        #expect(try phone.json("GET", "/v1/pushes")["pushes"]?.arrayValue?.isEmpty == true)

        let database = try laptop.json("GET", "\(HubDevice.container)/private/changes")
        #expect(database["changed"]?[0]?["name"] == "notes")
        let first = try laptop.changes()
        #expect(first.changed == ["n1": "milk"])
        try laptop.json("POST", "/v1/pushes", #"{"pushes":[\#(push)]}"#, status: 204)
        #expect(try laptop.json("GET", "/v1/pushes")["pushes"]?.arrayValue?.isEmpty == true)

        // Only the difference is fetched later.
        try phone.save("n2", "bread")
        try phone.json("DELETE", "\(phone.notes)/records/n1")
        let second = try laptop.changes(since: first.token)
        #expect(second.changed == ["n2": "bread"] && second.deleted == ["n1"])
    }

    @Test func `a push that nobody waited for is stored, also by a hub that is killed`() throws {
        let phone = try hub.join("phone", "alice")
        let laptop = try hub.join("laptop", "alice")
        try phone.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["notes"]}"#)
        try laptop.json("PUT", "\(HubDevice.container)/private/subscriptions/all", status: 204)
        try laptop.json("PUT", "\(HubDevice.container)/device", status: 204)
        try phone.save("n1", "milk")
        try hub.crash()
        #expect(try laptop.json("GET", "/v1/pushes?wait=60")["pushes"]?.arrayValue?.count == 1)
        #expect(try laptop.changes().changed == ["n1": "milk"])
    }

    @Test func `a conflict answers with both versions, and the web's conditions do the same`() throws {
        let phone = try hub.join("phone", "alice")
        try phone.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["notes"]}"#)
        let first = try #require(try phone.save("n1", "milk"))
        _ = try phone.save("n1", "bread", tag: first)
        let body =
            #"{"save":[{"record":{"name":"n1","type":"Note","fields":{"text":{"string":"eggs"}},"changeTag":"\#(first)"}}]}"#
        let conflict = try phone.json("POST", "\(phone.notes)/records", body)["outcomes"]?[0]
        #expect(conflict?["error"] == "serverRecordChanged")
        #expect(conflict?["server"]?["fields"]?["text"]?["string"] == "bread")
        #expect(conflict?["ancestor"]?["fields"]?["text"]?["string"] == "milk")

        let path = "\(phone.notes)/records/n1"
        let note = #"{"type":"Note","fields":{"done":{"integer":1}}}"#
        let got = try phone.send("GET", path)
        let tag = try #require(got.headers["etag"])
        #expect(try phone.send("GET", path, headers: ["If-None-Match: \(tag)"]).status == 304)
        #expect(try phone.send("PATCH", path, note, headers: ["If-Match: \"\(first)\""]).status == 412)
        let changed = try phone.send("PATCH", path, note, headers: ["If-Match: \(tag)"])
        #expect(changed.status == 200 && changed.headers["etag"] != tag)
        let fields = try phone.json("GET", path)["fields"]
        #expect(fields?["text"]?["string"] == "bread" && fields?["done"]?["integer"] == 1)
        #expect(try phone.send("PUT", path, note, headers: ["If-None-Match: *"]).status == 412)
        #expect(try phone.send("PUT", path, note).status == 200)
        #expect(try phone.json("GET", path)["fields"]?["text"] == nil)
        #expect(try phone.send("DELETE", path, headers: ["If-Match: \(tag)"]).status == 412)
        #expect(try phone.send("DELETE", path).status == 200)
        #expect(try phone.send("GET", path).status == 404)
        #expect(try phone.send("PUT", path, note, headers: ["If-None-Match: *"]).status == 201)
    }

    @Test func `a request that is sent again is done once, and has the answer of the first time`() throws {
        let phone = try hub.join("phone", "alice")
        let zones = "\(HubDevice.container)/private/zones"
        let first = try phone.send("POST", zones, #"{"save":["notes"]}"#, key: "k1")
        #expect(first.status == 200 && first.headers["idempotency-replayed"] == nil)
        let again = try phone.send("POST", zones, #"{"save":["notes"]}"#, key: "k1")
        #expect(again.status == 200 && again.body == first.body && again.headers["idempotency-replayed"] == "true")
        #expect(try phone.send("POST", zones, #"{"save":["other"]}"#, key: "k1").status == 422)
        let path = "\(phone.notes)/records/n1"
        let made = try phone.send("PUT", path, #"{"type":"Note","fields":{}}"#, key: "k2")
        try hub.crash()
        let repeated = try phone.send("PUT", path, #"{"type":"Note","fields":{}}"#, key: "k2")
        #expect(repeated.body == made.body && repeated.headers["etag"] == made.headers["etag"])
    }

    @Test func `a zone is shared, and withdrawn with the answer`() throws {
        let alice = try hub.join("phone", "alice")
        let bob = try hub.join("tablet", "bob")
        try alice.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["notes"]}"#)
        try alice.save("n1", "milk")
        #expect(try bob.send("GET", "\(alice.notes)/changes").status == 403)
        try alice.json("POST", "\(alice.notes)/participants", #"{"invite":"bob","permission":"write"}"#)
        let zones = try bob.json("GET", "\(HubDevice.container)/shared/zones")["zones"]
        #expect(zones?[0]?["owner"] == "alice" && zones?[0]?["name"] == "notes" && zones?[0]?["accepted"] == false)
        #expect(try bob.send("GET", "\(alice.notes)/changes").status == 403)
        try bob.json("POST", "\(alice.notes)/participants", #"{"accept":true}"#)
        #expect(try bob.changes(in: alice.notes).changed == ["n1": "milk"])
        try bob.save("n2", "bread", in: alice.notes)
        #expect(try alice.changes().changed == ["n1": "milk", "n2": "bread"])
        #expect(try bob.json("GET", "\(HubDevice.container)/shared/changes")["changed"]?[0]?["name"] == "notes")
        try alice.json("POST", "\(alice.notes)/participants", #"{"withdraw":"bob"}"#)
        #expect(try bob.send("GET", "\(alice.notes)/changes").status == 403)
        let deleted = try bob.json("GET", "\(HubDevice.container)/shared/changes")
        #expect(deleted["changed"]?.arrayValue?.isEmpty == true)
        #expect(try alice.json("GET", "\(alice.notes)/participants")["participants"]?.arrayValue?.isEmpty == true)
    }

    @Test func `a device of another account is woken by a record of the public database that its query finds`() throws {
        let alice = try hub.join("phone", "alice")
        let bob = try hub.join("tablet", "bob")
        let subscriptions = "\(HubDevice.container)/public/subscriptions"
        let subject =
            #"{"query":{"type":"Report","filter":{"field":"level","greater":{"integer":2}}},"on":["create","update"]}"#
        try bob.json("PUT", "\(HubDevice.container)/device", status: 204)
        try bob.json("PUT", "\(subscriptions)/severe", subject, status: 204)
        #expect(try bob.json("GET", subscriptions)["subscriptions"]?[0]?["name"]?.stringValue == "severe")
        #expect(try alice.json("GET", subscriptions)["subscriptions"]?.arrayValue?.isEmpty == true)
        #expect(try bob.send("PUT", "\(subscriptions)/all").status == 400)
        #expect(try bob.send("GET", "\(HubDevice.container)/public/changes").status == 404)
        let open = HubDevice.zone("_public", "_defaultZone")
        func report(_ name: String, _ level: Int) throws {
            let record = #"{"type":"Report","fields":{"level":{"integer":\#(level)}}}"#
            #expect(try alice.send("PUT", "\(open)/records/\(name)", record).status == 201)
        }
        let waiting = try InBackground { try bob.json("GET", "/v1/pushes?wait=100") }
        try hub.waitUntilWaiting(1)
        try report("r1", 1)
        try report("r2", 3)
        let push = try #require(try waiting.result()["pushes"]?[0])
        #expect(push["subscription"]?.stringValue == "severe" && push["database"]?.stringValue == "public")
        #expect(push["zone"]?["owner"] == nil && push["zone"]?["name"]?.stringValue == "_defaultZone")
        try bob.json("POST", "/v1/pushes", #"{"pushes":[\#(push)]}"#, status: 204)
        #expect(try bob.json("GET", "/v1/pushes")["pushes"]?.arrayValue?.isEmpty == true)
        try bob.json("DELETE", "\(subscriptions)/severe", status: 204)
        try report("r3", 5)
        #expect(try bob.json("GET", "/v1/pushes")["pushes"]?.arrayValue?.isEmpty == true)
    }

    @Test func `records are found by a condition, in pages, also in the public database without an account`() throws {
        let alice = try hub.join("phone", "alice")
        let open = HubDevice.zone("_public", "_defaultZone")
        for number in 0..<5 {
            let note = #"{"type":"Note","fields":{"number":{"integer":\#(number)}}}"#
            #expect(try alice.send("PUT", "\(open)/records/n%2F\(number)", note).status == 201)
        }
        let query = #"{"type":"Note","filter":{"field":"number","greater":{"integer":1}}}"#
        var names: [String] = []
        var cursor = ""
        repeat {
            let page = try hub.anybody.json("POST", "\(open)/query?limit=2\(cursor)", query)
            names += (page["records"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
            cursor = page["cursor"]?.stringValue.map { "&cursor=\($0)" } ?? ""
        } while !cursor.isEmpty
        #expect(names == ["n/2", "n/3", "n/4"])
        let two = try hub.anybody.json("GET", "\(open)/records?name=n%2F1&name=n%2F4&name=none")
        #expect(two["records"]?.arrayValue?.count == 2)
        #expect(try hub.anybody.send("PUT", "\(open)/records/mine", #"{"type":"Note","fields":{}}"#).status == 401)
    }

    @Test func `a removed device gets nothing any more, also what waits`() throws {
        let phone = try hub.join("phone", "alice")
        let laptop = try hub.join("laptop", "alice")
        let waiting = try InBackground { try phone.send("GET", "/v1/pushes?wait=60").status }
        try hub.waitUntilWaiting(1)
        _ = try hub.call(HubInterface.Remove(account: "alice", device: "phone"))
        #expect(try waiting.result() == 401)
        #expect(try phone.send("GET", "/v1/device").status == 401)
        #expect(try laptop.send("DELETE", "/v1/device").status == 204)
        #expect(try laptop.send("GET", "/v1/device").status == 401)
    }
}

import Hub
import Interfaces
import JSONText
import TestHubs
import TestSupport
import TestTraits
import Testing

/// Everybody at every address: nothing of one account is in an answer to another.
@Suite(.waits, .timeLimit(.minutes(15))) struct AccessTests {
    /// A text in everything that Alice stores.
    private static let secret = "qx7secretqx7"

    @Test func `nobody gets anything of another account, at any address`() throws {
        let hub = try HubProcess()
        let alice = try hub.join("phone", "alice")
        let bob = try hub.join("tablet", "bob")
        let friend = try hub.join("watch", "carol")
        try alice.json(
            "POST", "\(HubDevice.container)/private/zones", #"{"save":["notes","\#(Self.secret)","shared"]}"#)
        try alice.save("n1", Self.secret)
        try alice.save(Self.secret, "x")
        try alice.save("n1", Self.secret, in: HubDevice.zone("alice", Self.secret))
        try alice.save("n1", Self.secret, in: HubDevice.zone("alice", "_defaultZone"))
        try alice.json("PUT", "\(HubDevice.container)/private/subscriptions/\(Self.secret)", status: 204)
        // Carol was invited to one zone, has accepted, and lost it again.
        let shared = HubDevice.zone("alice", "shared")
        try alice.save("n1", Self.secret, in: shared)
        try alice.json("POST", "\(shared)/participants", #"{"invite":"carol","permission":"write"}"#)
        try friend.json("POST", "\(shared)/participants", #"{"accept":true}"#)
        let token = try friend.changes(in: shared).token
        try alice.json("POST", "\(shared)/participants", #"{"withdraw":"carol"}"#)
        // Dora shares a record of another zone, and nothing else of it.
        let reader = try hub.join("desk", "dora")
        try alice.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["trips"]}"#)
        let trips = HubDevice.zone("alice", "trips")
        try alice.save("n1", "open", in: trips)
        try alice.save("\(Self.secret)-1", Self.secret, in: trips)
        try alice.json("POST", "\(trips)/participants", #"{"invite":"dora","permission":"write","record":"n1"}"#)
        try reader.json("POST", "\(trips)/participants", #"{"accept":true,"record":"n1"}"#)
        let part = try reader.changes(in: trips)
        #expect(part.changed == ["n1": "open"])
        let before = try alice.changes().changed

        let bodies = [
            "", "{}", #"{"accept":true}"#, #"{"leave":true}"#, #"{"invite":"bob","permission":"write"}"#,
            #"{"withdraw":"alice"}"#, #"{"save":["notes"]}"#, #"{"delete":["notes"]}"#, #"{"type":"Note"}"#,
            #"{"type":"Note","fields":{}}"#, #"{"delete":[{"name":"n1"}]}"#,
            #"{"save":[{"policy":"allKeys","record":{"name":"n1","type":"Note","fields":{}}}]}"#, #"{"pushes":[]}"#,
            #"{"zone":{"owner":"alice","name":"notes"}}"#,
            #"{"pushes":[{"container":"org.example.notes","environment":"production","database":"private","zone":{"owner":"alice","name":"notes"},"position":99}]}"#,
        ]
        var asked = 0
        let queries = [#"{"type":"Note"}"#, #"{"type":"Note","filter":{"words":"\#(Self.secret)"}}"#]
        let posted = queries + bodies.filter { !$0.contains("leave") }
        for (path, methods) in AddressTests.addresses where path.contains("{zone}") {
            let address = AddressTests.filled(path, owner: "alice", zone: "trips")
            // She may write her record, and leave; both is tested elsewhere.
            for method in methods where method == "GET" || method == "POST" {
                let names = "?name=n1&name=\(Self.secret)-1"
                for query in method == "GET" ? ["", "?token=\(part.token)", "?limit=1", names] : ["", "?limit=1"] {
                    for body in method == "GET" ? [""] : posted {
                        let answer = try reader.send(method, address + query, body)
                        #expect(!answer.body.contains(Self.secret), "\(method) \(address)\(query) \(body)")
                        asked += 1
                    }
                }
            }
        }
        for method in ["GET", "PUT", "PATCH", "DELETE"] {
            let address = "\(trips)/records/\(Self.secret)-1"
            let answer = try reader.send(method, address, method.hasPrefix("P") ? #"{"type":"Note","fields":{}}"# : "")
            #expect([403, 404].contains(answer.status) && !answer.body.contains(Self.secret), "\(method) \(answer)")
        }
        for (path, methods) in AddressTests.addresses {
            for zone in ["notes", "shared", "_defaultZone", Self.secret]
            where zone == "notes" || path.contains("{zone}") {
                let address = AddressTests.filled(path, owner: "alice", zone: zone)
                for device in [bob, friend, hub.anybody] {
                    for method in methods where address != "/v1/device" || method == "GET" {
                        for body in method == "GET" ? [""] : bodies {
                            for query in method == "GET" ? ["", "?token=\(token)", "?name=n1"] : [""] {
                                let answer = try device.send(method, address + query, body)
                                // A name that the request contains may be repeated by nothing but an error about it.
                                #expect(!answer.body.contains(Self.secret), "\(method) \(address) \(body)")
                                if path.contains("{owner}") {
                                    // To leave a zone that is not shared changes nothing, whether or not it exists.
                                    let isNothing = answer.status == 200 && answer.body == #"{"done":true}"#
                                    #expect(
                                        isNothing || [400, 401, 403].contains(answer.status),
                                        "\(method) \(address) \(body)")
                                }
                                asked += 1
                            }
                        }
                    }
                }
            }
        }
        #expect(asked > 500)
        #expect(try alice.changes().changed == before)
        #expect(try alice.json("GET", "\(alice.notes)/participants")["participants"]?.arrayValue?.isEmpty == true)
        #expect(
            try alice.json("GET", "\(alice.notes)/records/n1")["fields"]?["text"]?["string"]?.stringValue == Self.secret
        )
        #expect(!hub.log.contains(Self.secret))
    }
}

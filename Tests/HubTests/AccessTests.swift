import Hub
import Interfaces
import JSONText
import TestHubs
import TestSupport
import Testing

/// Everybody at every address: nothing of one account is in an answer to another.
@Suite(.timeLimit(.minutes(5))) struct AccessTests {
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

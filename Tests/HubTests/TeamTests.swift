import JSONText
import Platform
import Records
import TestHubs
import TestSupport
import TestTraits
import Testing

@testable import Hub

/// The team of a container at a real hub: the administrator's commands, the requests of accounts, and the log.
@Suite(.waits, .timeLimit(.minutes(15))) struct TeamTests {
    private static let notes = "org.example.notes"
    private static let team = "/v1/team/\(notes)"
    private static let development = "/v1/development/\(notes)/schema"
    private static let production = "/v1/production/\(notes)/schema"

    private static func run(_ hub: HubProcess, _ arguments: String...) throws -> CompletedProcess {
        try CompletedProcess.run(
            Products.program("waymark-hub"), arguments + ["--folder", hub.folder.file("hub")],
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"])
    }

    @Test func `a family needs no team, and a team decides who changes the schema`() throws {
        let hub = try HubProcess()
        let alice = try hub.join("phone", "alice")
        let bob = try hub.join("tablet", "bob")
        func save(_ record: String, _ field: String, _ status: Int) throws -> JSON {
            try bob.json(
                "PUT", "/v1/development/\(Self.notes)/zones/bob/_defaultZone/records/\(record)",
                #"{"type":"Note","fields":{"\#(field)":{"string":"qx7secretqx7"}}}"#, status: status)
        }
        _ = try save("n1", "text", 201)
        #expect(try Self.run(hub, "team", "list", Self.notes).output.contains("has no team"))
        for method in ["GET", "POST"] { #expect(try alice.send(method, Self.production).status == 403) }
        #expect(try alice.send("GET", Self.team).status == 403)

        let made = try Self.run(hub, "team", "add", Self.notes, "alice")
        #expect(made.output.contains("alice is the agent of org.example.notes"), "\(made.error)")
        let refused = try save("n2", "colour", 422)
        #expect(refused["error"] == "notInSchema" && refused["field"] == "colour")
        #expect(refused["message"]?.stringValue?.contains("editDevelopment") == true)
        #expect(hub.log.contains("account bob was refused a save in development of \(Self.notes)"))
        // The refusal of a batch is logged too; its repetition is not.
        let batch = #"{"save":[{"record":{"name":"n3","type":"Thing","fields":{}}}]}"#
        let address = "/v1/development/\(Self.notes)/zones/bob/_defaultZone/records"
        for _ in 0..<2 { #expect(try bob.send("POST", address, batch, key: "k").status == 200) }
        #expect(hub.log.split(separator: "refused a save").count == 3, "\(hub.log)")

        try alice.json("PUT", Self.team + "/bob", #"{"rights":["editDevelopment"]}"#)
        #expect(
            hub.log.contains(
                "account alice has put account bob into the team of \(Self.notes) with the rights editDevelopment"))
        _ = try save("n2", "colour", 201)
        #expect(try bob.json("GET", Self.team)["members"]?[1]?["account"] == "bob")
        let schema = try bob.json("GET", Self.development)
        #expect(schema["types"]?[0]?["fields"]?.arrayValue?.count == 2)
        #expect(try bob.send("GET", Self.production).status == 403)
        #expect(try bob.send("POST", Self.production).status == 403)
        #expect(
            hub.log.contains("account bob was refused a request about \(Self.notes): it lacks the right editProduction")
        )
        let smaller = #"{"types":[{"name":"Note","fields":[{"name":"text","kind":"string","indexes":["queryable"]}]}]}"#
        let changed = try bob.json("PUT", Self.development, smaller)["differences"]?.arrayValue ?? []
        #expect(changed.contains { $0["addition"] == true } && changed.contains { $0["addition"] == false })
        #expect(hub.log.contains("account bob has replaced the schema of \(Self.notes) in development"))
        #expect(try bob.send("PUT", Self.development, "{}").status == 400)

        #expect(try alice.json("GET", Self.production + "/differences")["differences"]?.arrayValue?.count == 3)
        #expect(try alice.send("POST", Self.production, #"{"changeRoles":1}"#).status == 400)
        #expect(try alice.json("POST", Self.production)["differences"]?.arrayValue?.count == 3)
        #expect(hub.log.contains("was deployed to production by account alice"))
        let lost = try bob.send("PUT", Self.development, #"{"types":[]}"#)
        #expect(lost.status == 409 && lost.json["error"] == "schemaConflict", "\(lost.body)")

        // The agent stays, whatever others may.
        try alice.json("PUT", Self.team + "/bob", #"{"rights":["manageTeam"]}"#)
        let agent = try bob.send("DELETE", Self.team + "/alice")
        #expect(agent.status == 403 && agent.body.contains("agent"))
        #expect(try bob.send("PUT", Self.team + "/bob", #"{"agent":true}"#).status == 403)
        #expect(try bob.send("PUT", Self.team + "/nobody", #"{"rights":[]}"#).status == 404)
        #expect(hub.log.contains("account bob was refused a request about \(Self.notes): account alice is the agent"))
        try bob.json("DELETE", Self.team + "/bob")
        #expect(try bob.send("GET", Self.team).status == 403)
        let token = try #require(bob.token)
        #expect(!hub.log.contains("qx7secretqx7") && !hub.log.contains(token))
    }

    @Test func `the administrator changes every team, also after a restart`() throws {
        let hub = try HubProcess()
        _ = try hub.join("phone", "alice")
        _ = try hub.join("tablet", "bob")
        let unknown = try Self.run(hub, "team", "add", Self.notes, "carol")
        #expect(unknown.status == .exited(1) && unknown.error.contains("waymark-hub invite"), "\(unknown.error)")
        _ = try Self.run(hub, "team", "add", Self.notes, "alice")
        let added = try Self.run(hub, "team", "add", Self.notes, "bob", "--edit-production", "--manage-team")
        #expect(
            added.output == "bob is in the team of \(Self.notes), with manageTeam, editProduction.\n", "\(added.error)")
        let early = try Self.run(hub, "team", "remove", Self.notes, "alice")
        #expect(early.status == .exited(1) && early.error.contains("Make another account the agent first"))
        try hub.crash()
        let list = try Self.run(hub, "team", "list", Self.notes).output
        #expect(list.contains("agent, all rights") && list.contains("manageTeam, editProduction"), "\(list)")
        _ = try Self.run(hub, "team", "add", Self.notes, "bob", "--agent")
        #expect(try Self.run(hub, "team", "remove", Self.notes, "alice").status == .exited(0))
        let json = try Self.run(hub, "team", "list", Self.notes, "--json").output
        #expect(try JSON.parse(Array(json.utf8))["members"]?.arrayValue?.count == 1)
        let last = try Self.run(hub, "team", "remove", Self.notes, "bob")
        #expect(last.output.contains("has no team any more"))
        let none = try Self.run(hub, "team", "remove", Self.notes, "bob")
        #expect(none.status == .exited(1) && none.error.contains("not in the team"))
        #expect(hub.log.contains("the administrator has made account bob the agent of \(Self.notes)"))
    }

    @Test func `a client can neither fill the log with refusals nor displace those of others`() throws {
        var log = RefusalLog()
        let (alice, bob) = (try #require(AccountID("alice")), try #require(AccountID("bob")))
        let entries = (0..<150).map { log.entry(of: alice, at: UInt64($0)) }
        #expect(entries.filter { $0 == .refusal }.count == 100 && entries.filter { $0 == .omission }.count == 1)
        #expect(log.entry(of: bob, at: 200) == .refusal && log.entry(of: nil, at: 200) == .refusal)
        #expect(log.entry(of: alice, at: 61_000_000_000) == .refusal)
    }
}

import Hub
import JSONText
import Platform
import TestClients
import TestHubs
import TestSupport
import TestTraits
import Testing

/// `waymark sync team` and `waymark sync schema`: what members of a container's team do on their own machines.
@Suite(.waits, .timeLimit(.minutes(5))) struct TeamCommandTests {
    private let hub: HubProcess
    private let alice: SyncMachine
    private let bob: SyncMachine

    init() throws {
        hub = try HubProcess(more: [])
        alice = try SyncMachine(hub, as: "laptop")
        bob = try SyncMachine(hub, as: "tablet", of: "bob")
    }

    private func run(
        _ machine: SyncMachine, _ arguments: String..., input: String = "", fails: Bool = false
    ) throws -> String {
        let result = try CompletedProcess.run(
            Products.program("waymark"), ["sync"] + arguments + ["--sync-socket", machine.socket],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"], input: input, seconds: 60)
        #expect(
            (result.status == .exited(1)) == fails, "\(arguments): \(result.status) \(result.output) \(result.error)")
        return fails ? result.error : result.output
    }

    @Test func `members see and change a team and a schema as far as their rights go`() throws {
        let notes = SyncMachine.container
        #expect(try run(alice, "team", "list", notes, fails: true).contains("team"))
        _ = try hub.call(HubInterface.SetTeamMember(container: notes, account: "alice", rights: [], agent: false))
        #expect(try run(alice, "team", "list", notes).contains("alice    agent, all rights"))
        #expect(try run(bob, "team", "list", notes, fails: true).contains("team"))
        #expect(try run(bob, "team", "add", notes, "bob", "--edit-production", fails: true).contains("team"))

        let added = try run(alice, "team", "add", notes, "bob", "--edit-development")
        #expect(added.contains("bob      editDevelopment"), "\(added)")
        #expect(try run(bob, "team", "list", notes).contains("bob      editDevelopment"))

        let schema = #"{"types":[{"name":"Note","fields":[{"name":"text","kind":"string","indexes":["queryable"]}]}]}"#
        let imported = try run(bob, "schema", "import", notes, input: schema)
        #expect(imported.hasPrefix("Development has changed:\n") && imported.contains("the type Note is added"))
        #expect(try run(bob, "schema", "import", notes, input: schema).contains("is like that already"))
        #expect(try run(bob, "schema", "import", notes, input: "{", fails: true).contains("not JSON"))
        #expect(try run(bob, "schema", "import", notes, input: "{}", fails: true).contains("types"))
        let exported = try JSON.parse(Array(run(bob, "schema", "export", notes).utf8))
        #expect(exported["types"]?[0]?["fields"]?[0]?["indexes"]?[0] == "queryable")

        for words in [["diff", notes], ["deploy", notes], ["export", notes, "--environment", "production"]] {
            let refused = try CompletedProcess.run(
                Products.program("waymark"), ["sync", "schema"] + words + ["--sync-socket", bob.socket],
                environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"], seconds: 60)
            #expect(refused.status == .exited(1) && refused.error.contains("editProduction"), "\(refused.error)")
        }
        #expect(try run(alice, "schema", "diff", notes).hasPrefix("A deployment would change production:\n"))
        #expect(try run(alice, "schema", "deploy", notes).hasPrefix("Production has changed:\n"))
        #expect(try run(alice, "schema", "deploy", notes).contains("Production has the schema of development."))
        // A rule about schemas says why, in words.
        let lost = try run(bob, "schema", "import", notes, input: #"{"types":[]}"#, fails: true)
        #expect(lost.contains("Note"), "\(lost)")

        #expect(try run(bob, "team", "remove", notes, "alice", fails: true).contains("manageTeam"))
        #expect(!(try run(alice, "team", "remove", notes, "bob").contains("bob")))
        #expect(try run(bob, "schema", "export", notes, fails: true).contains("team"))
        #expect(try run(alice, "team", "remove", notes, "alice").contains("has no team"))
    }
}

import Glibc
import Hub
import Interfaces
import JSONText
import Platform
import TestHubs
import TestSupport
import TestTraits
import Testing

@Suite(.waits, .timeLimit(.minutes(15))) struct AdministrationTests {
    private static func run(_ hub: HubProcess?, _ arguments: String..., environment: [String: String] = [:]) throws
        -> CompletedProcess
    {
        let folder = hub.map { ["--folder", $0.folder.file("hub")] } ?? []
        var whole = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
        whole.merge(environment) { $1 }
        return try CompletedProcess.run(
            Products.program("waymark-hub"), arguments + folder, environment: whole)
    }

    @Test func `a person invites devices, lists and removes them`() throws {
        let hub = try HubProcess(more: [])
        let empty = try Self.run(hub, "devices")
        #expect(empty.output.contains("waymark-hub invite"))
        let first = try Self.run(hub, "invite", "laptop", environment: ["SUDO_USER": "alice"])
        #expect(first.output.contains("account alice") && first.output.contains("    waymark join https://localhost:"))
        #expect(first.output.contains(".") && first.status == .exited(0), "\(first.error)")
        // The account is known from then on.
        let second = try Self.run(hub, "invite", "phone", "--json")
        #expect(try JSON.parse(Array(second.output.utf8))["account"] == "alice")
        #expect(try Self.run(hub, "devices").output.contains("invited until"))
        #expect(try Self.run(hub, "remove", "phone").status == .exited(0))
        let again = try Self.run(hub, "remove", "phone")
        #expect(again.status == .exited(1) && again.error.contains("no device phone"))
        _ = try Self.run(hub, "invite", "tablet", "--account", "bob")
        let ambiguous = try Self.run(hub, "invite", "watch")
        #expect(ambiguous.status == .exited(1) && ambiguous.error.contains("--account"))
        let wrong = try Self.run(hub, "invite", "my watch", "--account", "bob")
        #expect(wrong.status == .exited(1) && wrong.error.contains("letters"))
        let code = try JSON.parse(Array(second.output.utf8))["code"]?.stringValue?.prefix(19) ?? ""
        #expect(code.count == 19 && !hub.log.contains(code))
    }

    @Test func `invitations of a hub behind a proxy have the proxy's address`() throws {
        let hub = try HubProcess(more: ["--without-tls", "--url", "https://hub.example.org/"])
        let invited = try Self.run(hub, "invite", "laptop", "--account", "alice")
        #expect(invited.output.contains("\n    waymark join https://hub.example.org\n"), "\(invited.output)")
        for wrong in [
            "hub.example.org", "https://", "https:///", "ftp://hub", "https://a b", "https://a@b",
            "http://hub.example.org", "https://a?b",
        ] {
            let refused = try Self.run(
                nil, "serve", "--without-tls", "--url", wrong, "--folder", hub.folder.file("none"))
            #expect(refused.status == .exited(2) && refused.error.contains("https://hub.example.org"), "\(wrong)")
        }
    }

    @Test func `a schema is made in development, gets an index, and is deployed`() throws {
        let hub = try HubProcess()
        let phone = try hub.join("phone", "alice")
        let notes = "org.example.notes"
        let testing = "/v1/development/\(notes)/zones/alice/_defaultZone"
        #expect(try Self.run(hub, "schema", "show", notes).output.contains("no types yet"))
        let draft = #"{"type":"Note","fields":{"text":{"string":"milk"}}}"#
        try phone.json("PUT", testing + "/records/n1", draft, status: 201)
        #expect(try Self.run(hub, "schema", "show", notes).output == "Note\n    text: string\n")
        #expect(try Self.run(hub, "schema", "diff", notes).output.contains("the type Note is added"))

        let query = #"{"type":"Note","filter":{"field":"text","equal":{"string":"milk"}}}"#
        let refused = try phone.json("POST", testing + "/query", query, status: 422)
        #expect(refused["error"] == "indexMissing" && refused["index"] == "queryable")
        #expect(refused["message"]?.stringValue?.contains("waymark-hub schema import") == true)

        let exported = try Self.run(hub, "schema", "export", notes).output
        let indexed = exported.replacing(#""kind":"string""#, with: #""kind":"string","indexes":["queryable"]"#)
        let file = try hub.folder.write("schema.json", indexed)
        let imported = try Self.run(hub, "schema", "import", notes, file)
        #expect(imported.output.contains("Note.text becomes queryable"), "\(imported.error)")
        #expect(try phone.json("POST", testing + "/query", query)["records"]?[0]?["name"] == "n1")

        #expect(try Self.run(hub, "schema", "deploy", notes).output.contains("Production has changed"))
        #expect(try Self.run(hub, "schema", "diff", notes).output.contains("Production has the schema"))
        let smaller = try hub.folder.write("smaller.json", exported)
        let lost = try Self.run(hub, "schema", "import", notes, smaller)
        #expect(lost.status == .exited(1) && lost.error.contains("Note.text ceases to be queryable"), "\(lost.error)")
        let broken = try hub.folder.write("broken.json", indexed.replacing("indexes", with: "indices"))
        let unknown = try Self.run(hub, "schema", "import", notes, broken)
        #expect(unknown.error.contains("types.0.fields.0.indices is not known here"), "\(unknown.error)")
        let missing = try phone.json(
            "PUT", "/v1/production/\(notes)/zones/alice/_defaultZone/records/t1", #"{"type":"Thing","fields":{}}"#,
            status: 422)
        #expect(missing["error"] == "notInSchema" && missing["type"] == "Thing")
        #expect(missing["message"]?.stringValue?.contains("deploy the schema") == true)
        #expect(hub.log.contains("deployed to production"))
        // It is there after a restart.
        try hub.crash()
        let production = try Self.run(hub, "schema", "show", notes, "--environment", "production")
        #expect(production.output == "Note\n    text: string, queryable\n")
    }

    @Test func `the statistics are for people, programs and Prometheus`() throws {
        let hub = try HubProcess()
        _ = try hub.join("phone", "alice")
        #expect(try Self.run(hub, "stats").output.contains("1 with 201"))
        #expect(try JSON.parse(Array(Self.run(hub, "stats", "--json").output.utf8))["responses"]?[0]?["status"] == 201)
        let metrics = try Self.run(hub, "stats", "--openmetrics").output
        #expect(metrics.contains("waymark_hub_responses_total{status=\"201\"} 1") && metrics.hasSuffix("# EOF\n"))
    }

    @Test func `a hub that does not run, and a folder that is in use, are said`() throws {
        let folder = try TemporaryDirectory()
        let none = try CompletedProcess.run(
            Products.program("waymark-hub"), ["stats", "--folder", folder.file("hub")])
        #expect(none.status == .exited(3) && none.error.contains("waymark-hub serve"))
        let unknown = try CompletedProcess.run(
            Products.program("waymark-hub"), ["restored", "--folder", folder.file("hub")])
        #expect(unknown.status == .exited(1) && unknown.error.contains("records.sqlite"))
        let hub = try HubProcess()
        for command in [["serve", "--listen", "127.0.0.1:0"], ["restored"]] {
            let second = try CompletedProcess.run(
                Products.program("waymark-hub"), command + ["--folder", hub.folder.file("hub")])
            #expect(second.status == .exited(1), "\(command): \(second.error)")
        }
        #expect(try hub.anybody.send("GET", "/v1").status == 200)
    }

    @Test(.enabled(if: geteuid() == 0, "needs another user, which root has"))
    func `another user cannot administrate the hub, nor read its folder`() throws {
        let hub = try HubProcess()
        let folder = hub.folder.file("hub")
        #expect(try hub.call(HubInterface.GetStatistics()).version == WaymarkVersion.text)
        for file in ["", "/control.sock", "/hub.key", "/records.sqlite"] {
            var status = stat()
            #expect(stat(folder + file, &status) == 0 && status.st_mode & 0o077 == 0, "\(file)")
        }
    }
}

import Glibc
import Hub
import Interfaces
import JSONText
import Platform
import TestHubs
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct AdministrationTests {
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
        #expect(first.output.contains("account alice") && first.output.contains("Hub   https://localhost:"))
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

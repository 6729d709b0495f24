import Interfaces
import Platform
import TestSupport
import Testing
import Varlink

@testable import Waymark

/// A program of this release and a daemon of another one, which knows less, or more.
@Suite struct ReleaseTests {
    /// A service that says it is a daemon of some release, and has one method of all.
    @DaemonActor private final class OtherDaemon {
        let server: Server

        init(_ path: String, version: String) throws {
            let service = try Service(
                info: ServiceInfo(vendor: "Waymark", product: "waymarkd", version: version, url: "https://varlink.org"))
            let text = """
                interface io.waymark.Location
                method GetAuthorization(whim: ?string) -> (authorization: object, novelty: int)
                """
            try service.register(text) { call in
                call.reply { writer in
                    writer.key("authorization")
                    writer.object { writer in
                        writer.member("status", "denied")
                        writer.member("accuracy", "full")
                        writer.member("diagnostics", [String]())
                        writer.member("isInUse", false)
                        writer.member("novelty", 7)
                    }
                    writer.member("novelty", 7)
                }
            }
            server = try Server(service, tooManyConnections: "io.waymark.Location.TooManyConnections")
            try server.listen(on: UnixSocket.listen(path: path, mode: 0o600))
        }
    }

    private let directory: TemporaryDirectory
    private var path: String { directory.file("socket") }

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
    }

    @Test(arguments: [("0.0.9", "older"), ("9.1", "newer")])
    func `what another release does not know is said with both releases`(_ version: String, _ word: String) async throws
    {
        let daemon = try await OtherDaemon(path, version: version)
        let client = WaymarkClient(socketPath: path)
        #expect(try client.release().version == version)
        #expect(try client.release().interfaces.contains("io.waymark.Location"))
        let error = #expect(throws: WaymarkError.self) { try client.position() }
        guard case .incompatible(let message)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        for part in [version, word, WaymarkVersion.text, "io.waymark.Location.GetPosition"] {
            #expect(message.contains(part), "\(message)")
        }
        await #expect(throws: WaymarkError.incompatible(message: message.replacing("GetPosition", with: "Monitor"))) {
            for try await _ in client.updates() {}
        }
        let run = try CompletedProcess.run(
            try Products.program("waymark"), ["get", "--socket", path], environment: ["PATH": "/usr/bin:/bin"])
        #expect(run.status == .exited(1) && run.error.contains(message), "\(run.error)")
        await daemon.server.stop()
    }

    @Test(arguments: ["0.0.9", "9.1"])
    func `what both know works, whatever else there is`(_ version: String) async throws {
        let daemon = try await OtherDaemon(path, version: version)
        let reply = try WaymarkClient(socketPath: path).call(
            LocationMethod.getAuthorization.rawValue, parameters: Array(#"{"notion":1}"#.utf8))
        #expect(reply["authorization"]?["status"]?.stringValue == "denied")
        await daemon.server.stop()
    }

    @Test func `the same release is not blamed`() async throws {
        let daemon = try await OtherDaemon(path, version: WaymarkVersion.text)
        let error = #expect(throws: WaymarkError.self) { try WaymarkClient(socketPath: path).position() }
        if case .incompatible? = error { Issue.record("it is blamed") }
        await daemon.server.stop()
    }

    @Test(arguments: [
        ("0.1.0", "0.1.0", 0), ("0.1", "0.1.0", 0), ("0.9.0", "0.10.0", -1), ("1.0", "0.99.99", 1),
        ("0.1.0~rc1", "0.1.0", 0), ("", "0.0.1", -1), ("x", "0", 0),
    ])
    func `releases are compared number by number`(_ left: String, _ right: String, _ order: Int) {
        #expect(DaemonRelease.compare(left, right) == order)
        #expect(DaemonRelease.compare(right, left) == -order)
    }
}

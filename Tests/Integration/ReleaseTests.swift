import Interfaces
import JSONText
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

@testable import Waymark

/// A program of this release and a daemon of another one, which supports less, or more.
@Suite(.waits) struct ReleaseTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("socket") }
    private var client: WaymarkClient { WaymarkClient(socketPath: path) }

    init() throws { directory = try TemporaryDirectory() }

    /// The number of the protocol before the present one.
    private static let earlier = WaymarkVersion.protocolNumber - 1

    private static let authorization: JSON = [
        "status": "denied", "accuracy": "full", "diagnostics": [], "isInUse": false, "novelty": 7,
    ]
    private static let update: JSON = [
        "authorizationStatus": "denied", "accuracyAuthorization": "full", "diagnostics": ["novelty"],
        "stationary": false, "dropped": 0, "novelty": ["of": "a later release"],
    ]
    private static let answers: [String: JSON] = [
        LocationInterface.Method.getAuthorization.rawValue: ["authorization": authorization, "novelty": 7],
        LocationInterface.Method.monitor.rawValue: ["update": update],
        LocationInterface.Method.getPosition.rawValue: [:],
        ManageInterface.Method.status.rawValue: [
            "status": [
                "version": "0.0.9", "protocol": .integer(Int64(earlier)), "processID": 7, "startedAt": 1_700_000_000,
                "health": "ok",
                "summary": "All is well.", "receiver": ["gpsd": "none", "state": "unconfigured", "undated": "none"],
                "journal": ["state": "running", "path": "journal.db"], "clients": [:], "authorization": [:],
                "recordings": [:], "uploads": [:], "regions": [:],
            ]
        ],
    ]

    /// A daemon of an earlier protocol, which lacks some parameters and a method that were added later, and lists no
    /// features.
    private func olderDaemon() async throws -> OtherDaemon {
        let later = [
            "method HoldInUse() -> (authorization: Authorization)\n", "distanceFilter: ?float, ", ", precise: ?bool",
            ", onRevoke: ?OnRevoke",
        ]
        let texts = PinnedProtocol.present.texts.dropFirst().map { text in
            later.reduce(text) { $0.replacing($1, with: "") }
        }
        #expect(later.allSatisfy { part in PinnedProtocol.present.texts.contains { $0.contains(part) } })
        let info = ServiceInfo(
            vendor: "Waymark", product: "waymarkd", version: "0.0.9", url: "https://varlink.org",
            protocolNumber: Self.earlier)
        return try await OtherDaemon.start(at: path, info, interfaces: texts, answers: Self.answers)
    }

    /// A daemon of a future protocol: more features, more parameters, more members in each reply, and without one
    /// method.
    private func newerDaemon() async throws -> OtherDaemon {
        let texts = WaymarkInterface.allCases.map { interface in
            interface.text.replacing("method GetPosition(", with: "method GetPlace(whim: ?string, ")
                .replacing("method Monitor(\n", with: "method Monitor(\n  whim: ?string,\n")
        }
        let info = ServiceInfo(
            vendor: "Waymark", product: "waymarkd", version: "9.1", url: "https://varlink.org",
            protocolNumber: WaymarkVersion.protocolNumber + 97, features: ["positions", "teleport"])
        return try await OtherDaemon.start(at: path, info, interfaces: texts, answers: Self.answers)
    }

    private func waymark(_ arguments: String...) throws -> CompletedProcess {
        try CompletedProcess.run(
            try Products.program("waymark"), arguments + ["--socket", path], environment: ["PATH": "/usr/bin:/bin"])
    }

    // An older daemon

    @Test func `a daemon of an earlier protocol is older, and may offer no optional feature`() async throws {
        let daemon = try await olderDaemon()
        let release = try client.release()
        #expect(release.version == "0.0.9" && release.protocolNumber == Self.earlier && release.features == [])
        #expect(release.age == -1 && release.interfaces.contains("io.waymark.Location"))
        await daemon.stop()
    }

    @Test func `a service that reports no protocol is older than every release`() {
        let release = DaemonRelease(ServiceInfo(vendor: "", product: "waymarkd", version: "9.0", url: ""))
        #expect(release.protocolNumber == 0 && release.age == -1)
    }

    @Test func `a filter that an older daemon would ignore is not sent to it`() async throws {
        let daemon = try await olderDaemon()
        let error = await #expect(throws: WaymarkError.self) {
            for try await _ in client.updates(MonitorRequest(distanceFilter: 10)) { break }
        }
        guard case .incompatible(let message)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let parts = [
            "0.0.9 (protocol \(Self.earlier))", "is older than this program", WaymarkVersion.described,
            "distanceFilter",
            "io.waymark.Location.Monitor", "Update the daemon",
        ]
        for part in parts { #expect(message.contains(part), "\(message)") }
        let run = try waymark("watch", "--distance", "10", "--json")
        #expect(run.status == .exited(1) && run.error.isEmpty && run.output.contains("Incompatible"), "\(run.output)")
        #expect(run.output.contains("distanceFilter"))
        #expect(await daemon.calls == [], "the call was sent all the same")
        await daemon.stop()
    }

    @Test func `members within a parameter are checked, too`() async throws {
        let daemon = try await olderDaemon()
        let recording = client.recording("trip")
        let error = await #expect(throws: WaymarkError.self) {
            try await recording.start(RecordingOptions(onRevoke: .keep))
        }
        #expect(
            error?.description.contains("options.onRevoke of io.waymark.Recording.Start") == true,
            "\(String(describing: error))")
        #expect(await daemon.calls == [])
        await daemon.stop()
    }

    @Test func `a person's answer is not sent without its limits`() async throws {
        let daemon = try await olderDaemon()
        let run = try waymark("answer", "1", "while-using", "--reduced")
        #expect(run.status == .exited(1) && run.error.contains("it does not know precise of"), "\(run.error)")
        #expect(await !daemon.calls.contains(ManageInterface.Method.answer.rawValue))
        await daemon.stop()
    }

    @Test func `calls that an older daemon supports work, and its status says that it is older`() async throws {
        let daemon = try await olderDaemon()
        #expect(try await client.authorization().status == .denied)
        for try await update in client.updates(MonitorRequest(desiredAccuracy: 50, interval: 2)) {
            #expect(update.diagnostics.count == 1)
            break
        }
        let status = try waymark("status")
        #expect(status.status == .exited(0))
        #expect(status.output.contains("version 0.0.9 (protocol \(Self.earlier)), process 7"), "\(status.output)")
        #expect(status.output.contains("it is older than this program, \(WaymarkVersion.described). Update the daemon"))
        let doctor = try waymark("doctor", "--timeout", "1")
        #expect(
            doctor.output.contains(
                "! Release: the daemon, 0.0.9 (protocol \(Self.earlier)), is older than this program"),
            "\(doctor.output)")
        await daemon.stop()
    }

    @Test func `a method that an older daemon lacks is reported with both releases`() async throws {
        let daemon = try await olderDaemon()
        let session = BackgroundActivitySession(client: client)
        let error = await #expect(throws: WaymarkError.self) { _ = try await session.begun() }
        guard case .incompatible(let message)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.contains("older") && message.contains("io.waymark.Location.HoldInUse"), "\(message)")
        await daemon.stop()
    }

    // A newer daemon

    @Test func `a newer daemon's features are reported unchanged, and its new members ignored`() async throws {
        let daemon = try await newerDaemon()
        let release = try client.release()
        #expect(release.protocolNumber == WaymarkVersion.protocolNumber + 97 && release.age == 1)
        #expect(release.features == [.positions, DaemonFeature(rawValue: "teleport")])
        #expect(try await client.authorization().status == .denied)
        for try await update in client.updates(MonitorRequest(distanceFilter: 10)) {
            #expect(update.authorizationStatus == .denied)
            break
        }
        let reply = try client.call(
            LocationInterface.Method.getAuthorization.rawValue, parameters: Array(#"{"notion":1}"#.utf8))
        #expect(reply["authorization"]?["status"]?.stringValue == "denied")
        await daemon.stop()
    }

    @Test func `a method that a newer daemon no longer has is reported with both releases`() async throws {
        let daemon = try await newerDaemon()
        let error = #expect(throws: WaymarkError.self) { try client.position() }
        guard case .incompatible(let message)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let parts = [
            "9.1 (protocol", "is newer than this program", WaymarkVersion.described, "GetPosition",
            "Update the program",
        ]
        for part in parts { #expect(message.contains(part), "\(message)") }
        let run = try waymark("get")
        #expect(run.status == .exited(1) && run.error.contains(message), "\(run.error)")
        await daemon.stop()
    }

    // Both sides

    @Test func `the version is printed for both sides, with the older one`() async throws {
        let nobody = try waymark("--version")
        #expect(nobody.status == .exited(0))
        #expect(nobody.output == "waymark \(WaymarkVersion.described)\nno daemon responds at \(path)\n")
        let older = try await olderDaemon()
        let reported = try waymark("--version")
        #expect(
            reported.output == """
                waymark \(WaymarkVersion.described)
                waymarkd 0.0.9 (protocol \(Self.earlier)) responds at \(path)
                it is older than this program, \(WaymarkVersion.described). Update the daemon, or restart it if that was \
                done: `systemctl restart waymark`.

                """)
        await older.stop()
        let newer = try await newerDaemon()
        let lines = try waymark("--version").output.split(separator: "\n")
        #expect(
            lines.dropFirst().first
                == "waymarkd 9.1 (protocol \(WaymarkVersion.protocolNumber + 97)) responds at \(path)")
        #expect(lines.dropFirst(2).first == "it offers positions")
        #expect(lines.last?.hasSuffix("Update the program.") == true)
        await newer.stop()
    }

    @Test func `a daemon of the same release and protocol causes no remark`() async throws {
        let info = ServiceInfo(
            vendor: "Waymark", product: "waymarkd", version: WaymarkVersion.text, url: "https://varlink.org",
            protocolNumber: WaymarkVersion.protocolNumber)
        let daemon = try await OtherDaemon.start(at: path, info, interfaces: ["interface io.waymark.Location\n"])
        let error = #expect(throws: WaymarkError.self) { try client.position() }
        guard case .failed? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await daemon.stop()
    }

    @Test(arguments: [
        ("0.1.0", "0.1.0", 0), ("0.1", "0.1.0", 0), ("0.9.0", "0.10.0", -1), ("1.0", "0.99.99", 1),
        ("0.1.0~rc1", "0.1.0", 0), ("", "0.0.1", -1), ("x", "0", 0),
    ])
    func `releases are compared number by number`(_ left: String, _ right: String, _ order: Int) {
        #expect(DaemonRelease.compare(left, right) == order)
        #expect(DaemonRelease.compare(right, left) == -order)
    }

    @Test func `the protocol counts before the release`() {
        func age(_ version: String, _ number: Int) -> Int {
            DaemonRelease(
                ServiceInfo(vendor: "", product: "", version: version, url: "", protocolNumber: number)
            ).age
        }
        #expect(age("99.0", WaymarkVersion.protocolNumber - 1) == -1)
        #expect(age("0.0.1", WaymarkVersion.protocolNumber + 1) == 1)
        #expect(age("0.0.1", WaymarkVersion.protocolNumber) == -1)
        #expect(age(WaymarkVersion.text, WaymarkVersion.protocolNumber) == 0)
    }
}

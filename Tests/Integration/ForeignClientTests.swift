import Interfaces
import JSONText
import Location
import NetworkPaths
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// The daemon, called by a program of another project, PyPI's `varlink`.
@Suite(.waits) struct ForeignClientTests {
    private struct Said {
        let what: String
        let value: JSON
    }

    @Test func `a foreign client uses every interface unchanged`() throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try DaemonProcess(gpsd: receiver.address)
        let said = try run(daemon, positions: 5)
        func all(_ what: String) -> [JSON] { said.filter { $0.what == what }.map(\.value) }
        func one(_ what: String) throws -> JSON { try #require(all(what).first, "no output about \(what)") }

        let interfaces = WaymarkInterface.allCases.map(\.rawValue)
        #expect(
            Set(all("interface").compactMap { $0["name"]?.stringValue }) == Set(interfaces + ["org.varlink.service"]))
        let usual = try one("usual")
        #expect(usual["version"] == .string(WaymarkVersion.text) && usual["protocol"] == nil, "as of any service")
        let info = try one("info")
        #expect(info["protocol"]?.integerValue == Int64(WaymarkVersion.protocolNumber))
        #expect(info["features"]?.arrayValue?.contains("positions") == true, "\(info)")
        let status = try #require(DaemonStatus(try one("status")), "a status that the own client understands too")
        #expect(status.processID == Int(daemon.processID))
        #expect(try one("authorization")["status"] == "authorizedAlways")
        let position = try #require(Position(try one("position")))
        #expect(abs(position.coordinate.latitude) <= 90 && position.horizontalAccuracy > 0)

        let updates = all("update").compactMap(LocationUpdate.init)
        let times = updates.compactMap { $0.position?.timestamp }
        #expect(times.count == 5 && times == times.sorted())

        #expect(try one("refusal")["error"] == "org.varlink.service.InvalidParameter")
        #expect(try one("refusal")["parameters"]?["parameter"] == "timeout")
        #expect(try one("unavailable")["error"] == "io.waymark.Location.PositionUnknown")
        #expect(try one("unavailable")["parameters"]?["reason"] == "inaccurate")
        #expect(try one("withoutMore")["error"] == "org.varlink.service.ExpectedMore")

        let path = try #require(NetworkPath(try one("path")))
        #expect(try NetworkPath(one("MonitorPath"))?.status == path.status)
        let target = try #require(TargetAnswer(try one("target")))
        #expect(target.target.status == .reachable && target.target.isLocal && target.target.port == 9)
        #expect(target.steps.contains { $0.subject == .route && $0.outcome == .good })
        #expect(try TargetReachability(one("MonitorTarget"))?.host == "::1")
        #expect(try one("report") == [:])
        #expect(try one("host")["error"] == "io.waymark.Reachability.InvalidHost")

        let note = try #require(one("note")["sequence"]?.integerValue)
        let events = try one("events").arrayValue ?? []
        let remark = try #require(events.first { $0["sequence"]?.integerValue == note })
        #expect(remark["kind"] == "note")
        #expect(remark["details"]?["text"] == "a remark of a foreign program: ü \u{1f9ed} \"quoted\"\n")
        #expect(events.compactMap { $0["sequence"]?.integerValue } == (1...Int64(events.count)).map { $0 })
        #expect(try one("page").arrayValue?.count == 1)
        #expect(try one("verification")["isSound"] == true)
        #expect(try one("metrics").stringValue?.hasSuffix("# EOF\n") == true)
        #expect(try one("reload")["changed"] == [])
        #expect(try one("health").stringValue != nil)
    }

    /// The output of the client, by lines.
    private func run(_ daemon: DaemonProcess, positions: Int) throws -> [Said] {
        let python = try Products.file(".build/python/bin/python")
        let script = try Products.file("Tests/Integration/Foreign/client.py")
        let client = try CompletedProcess.run(python, [script, daemon.socketPath, "\(positions)"], seconds: 60)
        #expect(client.status.isSuccess, "\(client.status): \(client.error)\n\(daemon.log)")
        return try client.output.split(separator: "\n").map { line in
            let json = try JSON.parse(Array(line.utf8))
            return Said(what: json["what"]?.stringValue ?? "", value: json["value"] ?? .null)
        }
    }
}

import Glibc
import Interfaces
import JSONText
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// What OwnTracks' users expect beside positions: battery, the command reportLocation and Home Assistant's discovery, with a
/// real daemon, a real uploader, mosquitto and a bus.
@Suite(.waits, .timeLimit(.minutes(20)), .enabled(if: BrokerProcess.isPossible, "mosquitto and its clients are needed"))
struct UploadOwnTracksTests {
    private func configuration(_ scene: UploadScene, _ broker: BrokerProcess, _ more: String = "") -> String {
        scene.configuration("owntracks", more).replacing(
            "URL=\(scene.server.address)/owntracks?secret=geheim", with: "URL=mqtt://127.0.0.1:\(broker.port)")
    }

    @Test func `a simulated receiver reports the present, marked, and messages have the battery of the present`() throws
    {
        let receiver = try SimulatedReceiverProcess()
        let apps = try TestApps()
        let program = try apps.program("carrier", of: "waymark-upload")
        try apps.add("carrier", name: "Carrier", program: program, "Record=yes")
        let daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address)
        try OperatorClient(daemon).authorize("carrier", .always, uid: geteuid())
        let broker = try BrokerProcess()
        let bus = try PrivateBus()
        let desk = try UPowerDesk(bus, .init(66, state: 2))
        let uploader = try UploaderProcess(
            program, to: daemon.socketPath,
            configuration: """
                [Destination]
                URL=mqtt://127.0.0.1:\(broker.port)
                Format=owntracks
                [Filter]
                Distance=none
                Stationary=none
                [Device]
                User=jane
                Name=boat
                """, environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
        #expect(eventually { broker.messages.contains { $0["batt"] == 66 && $0["bs"] == 1 } }, "\(uploader.log)")
        desk.change(.init(65, state: 1))
        #expect(eventually { broker.messages.last?["batt"] == 65 && broker.messages.last?["bs"] == 2 })
        let now = Double(SystemClock().utcMicroseconds) / 1e6
        let time = try #require(broker.messages.last?["tst"]?.numberValue)
        #expect((now - time).magnitude < 60, "\(now - time)")
        let position = try JSON.parse(Array(daemon.waymark(["get", "--json"]).output.utf8))
        #expect(position["isSimulated"] == true, "no setting says so")
        desk.leave()
        try uploader.kill()
        try broker.end()
    }

    @Test
    func `a command over the broker is performed, others are ignored and counted, and without the setting all are`()
        throws
    {
        let scene = try UploadScene()
        defer { scene.end() }
        let broker = try BrokerProcess()
        let command = #"{"_type":"cmd","action":"reportLocation"}"#
        try scene.start(configuration(scene, broker))
        try scene.eventually("positions") { broker.numbers.count >= 5 }
        try broker.publish("owntracks/jane/boat/cmd", command)
        try scene.uploader?.reload(configuration(scene, broker, "[OwnTracks]\nReportLocation=yes"))
        try scene.eventually("read again") { scene.uploader?.log.contains("configuration read again") == true }
        let count = broker.numbers.count
        try scene.eventually("positions again") { broker.numbers.count >= count + 5 }
        #expect(!broker.messages.contains { $0["t"] != nil })
        try broker.publish("owntracks/jane/boat/cmd", #"{"_type":"cmd","action":"dump"}"#)
        // By one program: the second one is ignored within ten seconds only.
        try broker.publish("owntracks/jane/boat/cmd", command, times: 2)
        try scene.eventually("the newest position was sent") { broker.messages.contains { $0["t"] == "r" } }
        try scene.eventually("the commands are counted") {
            let status = try scene.upload()?.status
            return status?.commands == 1 && status?.ignoredCommands == 2
        }
        #expect(broker.messages.filter { $0["t"] == "r" }.count == 1)
        #expect(try scene.upload()?.status.state != "blocked")
        try broker.end()
    }

    @Test func `Home Assistant discovers the device as long as the setting is there`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        let broker = try BrokerProcess()
        try scene.start(configuration(scene, broker, "[MQTT]\nHomeAssistantDiscovery=yes"))
        try scene.eventually("positions") { broker.numbers.count >= 5 }
        var retained: [String] = []
        try scene.eventually("the device is announced") {
            retained = try broker.retained("homeassistant/#")
            return !retained.isEmpty
        }
        let line = try #require(retained.first)
        #expect(retained.count == 1 && line.contains("/device_tracker/waymark_owntracks_jane_boat_"))
        #expect(line.contains(#""json_attributes_topic":"owntracks/jane/boat""#))
        try scene.uploader?.reload(configuration(scene, broker))
        try scene.eventually("read again") { scene.uploader?.log.contains("configuration read again") == true }
        let count = broker.numbers.count
        try scene.eventually("positions again") { broker.numbers.count >= count + 5 }
        try scene.eventually("the device is removed") { try broker.retained("homeassistant/#") == [] }
        try broker.end()
    }

    @Test func `the device is removed later if the broker is unavailable at the reload`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        let broker = try BrokerProcess()
        try scene.start(configuration(scene, broker, "[MQTT]\nHomeAssistantDiscovery=yes"))
        try scene.eventually("the device is announced") { try !broker.retained("homeassistant/#").isEmpty }
        try broker.stop()
        try scene.uploader?.reload(configuration(scene, broker))
        try scene.eventually("read again") { scene.uploader?.log.contains("configuration read again") == true }
        try broker.restart()
        try scene.eventually("the device is removed") { try broker.retained("homeassistant/#") == [] }
        try broker.end()
    }

    @Test func `a server's response over HTTP commands as well`() throws {
        let scene = try UploadScene(server: ["--command", "reportLocation", "--command", "dump"])
        defer { scene.end() }
        try scene.start(scene.configuration("owntracks", "[OwnTracks]\nReportLocation=yes"))
        try scene.waitForPoints(10)
        try scene.eventually("commands") { try scene.upload()?.status.commands ?? 0 >= 1 }
        try scene.eventually("others are ignored") { try scene.upload()?.status.ignoredCommands ?? 0 >= 1 }
        try scene.waitUntilDrained()
    }
}

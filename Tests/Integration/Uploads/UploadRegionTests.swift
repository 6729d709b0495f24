import Glibc
import Interfaces
import JSONText
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// Waypoints and transitions of OwnTracks, with a real daemon, gpsd, uploader and server or broker.
@Suite(.waits, .timeLimit(.minutes(20))) struct UploadRegionTests {
    /// A drive along a meridian with an uploader that has regions.
    private final class Journey {
        let scene: RegionScene
        let uploader: UploaderProcess
        private let apps: TestApps
        private let file: String
        private(set) var second = 0

        static let yard =
            #"{"type":"Feature","id":"yard","properties":{"radius":100,"tst":1700000000},"geometry":{"type":"Point","coordinates":[-30,47]}}"#
        /// A square around a place 1 km farther north.
        static let field =
            #"{"type":"Feature","id":"field","properties":{},"geometry":{"type":"Polygon","coordinates":[[[-30.002,47.008],[-29.998,47.008],[-29.998,47.010],[-30.002,47.010],[-30.002,47.008]]]}}"#
        static let pier =
            #"{"type":"Feature","id":"pier","properties":{"radius":50},"geometry":{"type":"Point","coordinates":[-30,48]}}"#

        init(
            url: String, features: [String] = [yard, field],
            accuracy: AccuracyAuthorization = .full, _ more: String = ""
        ) throws {
            apps = try TestApps()
            let program = try apps.program("carrier", of: "waymark-upload")
            try apps.add("carrier", name: "Carrier", program: program, "Record=yes")
            scene = try RegionScene(in: apps.directory, configuration: apps.configuration())
            try OperatorClient(scene.daemon).authorize("carrier", .always, uid: geteuid(), accuracy: accuracy)
            file = apps.directory.file("home.geojson")
            _ = try apps.directory.write("home.geojson", Self.collection(features))
            uploader = try UploaderProcess(
                program, to: scene.daemon.socketPath, configuration: Self.configuration(url, file) + "\n\(more)")
        }

        static func collection(_ features: [String]) -> String {
            #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
        }

        static func configuration(_ url: String, _ file: String?) -> String {
            """
            [Destination]
            URL=\(url)
            Format=owntracks
            Timeout=30s
            [Device]
            User=jane
            Name=van
            [OwnTracks]
            \(file.map { "Regions=\($0)" } ?? "")
            """
        }

        func reload(_ url: String, features: [String]?) throws {
            if let features { _ = try apps.directory.write("home.geojson", Self.collection(features)) }
            try uploader.reload(Self.configuration(url, features == nil ? nil : file))
        }

        /// Drives 600 m through the yard, northwards or back.
        func cross(north: Bool) {
            let start = second
            scene.drive(start..<start + 40) { (north ? 1 : -1) * (15 * Double($0 - start) - 300) }
            second += 600
        }

        /// Drives to the field and through it.
        func visitField() {
            let start = second
            scene.drive(start..<start + 100) { 15 * Double($0 - start) + 300 }
            second += 600
        }

        func status() throws -> UploadStatus? { try OperatorClient(scene.daemon).uploads().first?.status }
        func monitor() throws -> RegionsInterface.MonitorSummary? {
            try scene.monitors().first { $0.name == "waypoints-home" }
        }

        func eventually(_ what: String, within seconds: Double = 60, _ condition: () throws -> Bool) throws {
            guard try !TestSupport.eventually(within: seconds, condition) else { return }
            let found = try monitor().map { "\($0)" } ?? "no monitor"
            let regions = try status()?.regions.map { "\($0)" } ?? "no regions"
            Issue.record(
                "\(what)\n\(found)\n\(regions)\n\(uploader.log.suffix(4_000))\n\(scene.daemon.log.suffix(4_000))")
            throw NotInTime()
        }

        func waitUntilMonitored(_ regions: Int64 = 2) throws {
            try eventually("the regions are monitored") {
                try monitor()?.regions == regions && status()?.regions?.state == .monitored
            }
            try scene.waitForDemand()
        }

        func end() {
            scene.gpsd.stop()
            do {
                try uploader.kill()
                _ = try scene.daemon.stop(graceSeconds: 2)
            } catch {
                Issue.record("\(error)")
            }
        }

        struct NotInTime: Error {}
    }

    /// The transitions that a server has stored, in order: `enter yard`, each as often as it arrived.
    private func transitions(_ server: UploadServerProcess) throws -> [JSON] {
        let text = String(decoding: try BoundedFile.bytes(of: server.file, limit: 1 << 26), as: UTF8.self)
        return try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .compactMap { try JSON.parse(Array($0.utf8))["sent"] }.filter { $0["_type"] == "transition" }
    }

    private func words(_ message: JSON) -> String {
        "\(message["event"]?.stringValue ?? "?") \(message["desc"]?.stringValue ?? "?")"
    }

    /// The number of the event from which a transition follows.
    private func number(_ message: JSON) -> Int64? {
        let parts = message["_id"]?.stringValue?.split(separator: "/").last?.split(separator: "-")
        return parts?.dropFirst().first.flatMap { Int64($0) }
    }

    @Test func `regions of a file are reported over HTTP, changed at a reload, and removed with the setting`() throws {
        let server = try UploadServerProcess()
        let url = "\(server.address)/owntracks"
        let journey = try Journey(url: url)
        defer { journey.end() }
        try journey.waitUntilMonitored()
        journey.cross(north: true)
        journey.visitField()
        try journey.eventually("transitions") { try transitions(server).count >= 4 }
        let found = try transitions(server)
        #expect(found.map(words) == ["enter yard", "leave yard", "enter field", "leave field"])
        let enter = found[0]
        let seconds = journey.scene.start / 1_000_000
        #expect(enter["tst"]?.integerValue == seconds + 14 && enter["wtst"] == 1_700_000_000)
        let latitude = try #require(enter["lat"]?.numberValue)
        #expect(abs(latitude - (47 - 90 / 111_195)) < 1e-6 && enter["lon"]?.numberValue == -30)
        #expect(enter["t"] == "c" && enter["tid"] == "an" && enter["topic"] == "owntracks/jane/van/event")
        try journey.eventually("the events are acknowledged") { try journey.monitor()?.pending == 0 }
        try journey.eventually("the counts") {
            // A waypoint and four transitions; twice, outside was determined first.
            let regions = try journey.status()?.regions
            return regions?.sent == 5 && regions?.skipped == 2 && regions?.pending == 0 && regions?.refused == 0
        }

        try journey.reload(url, features: [Journey.yard.replacing("100", with: "90"), Journey.pier])
        try journey.eventually("the new regions") {
            try journey.scene.monitors().first { $0.name == "waypoints-home" }?.regions == 2
                && journey.status()?.regions?.sent == 7
        }
        // A file that cannot be used changes nothing.
        try journey.reload(url, features: [Journey.yard, Journey.yard])
        try journey.eventually("the problem is reported") {
            journey.uploader.log.contains("feature 2 (yard): feature 1 has the same identifier")
        }
        journey.cross(north: true)
        try journey.eventually("the yard is still reported") { try transitions(server).count >= 6 }
        try journey.reload(url, features: nil)
        try journey.eventually("the monitor is removed") { try journey.monitor() == nil }
        try journey.eventually("no regions") { try journey.status()?.regions == nil }
        #expect(!journey.uploader.log.contains("\(latitude)".prefix(8)), "a coordinate in the log")
    }

    @Test func `without full accuracy positions are sent, and why no regions are reported is said once`() throws {
        let server = try UploadServerProcess()
        let journey = try Journey(url: "\(server.address)/owntracks", accuracy: .reduced)
        defer { journey.end() }
        try journey.eventually("withheld") {
            let regions = try journey.status()?.regions
            return regions?.state == .withheld && regions?.message?.contains("full accuracy") == true
        }
        let shown = try journey.scene.daemon.waymark("uploads")
        #expect(shown.output.contains("home, its regions: regions need positions of full accuracy"), "\(shown.output)")
        // Reduced positions come at most three times an hour; nothing holds them.
        try journey.eventually("everything is sent") { try journey.status()?.state == .idle }
        let line = "no messages about regions are sent"
        #expect(journey.uploader.log.split(separator: "\n").count { $0.contains(line) } == 1)
        #expect(try transitions(server).isEmpty)
        try OperatorClient(journey.scene.daemon).authorize("carrier", .always, uid: geteuid(), accuracy: .full)
        try journey.waitUntilMonitored()
        journey.cross(north: true)
        try journey.eventually("transitions") {
            try transitions(server).map(words).suffix(2) == ["enter yard", "leave yard"]
        }
        // A withdrawal ends it at once.
        try OperatorClient(journey.scene.daemon).authorize("carrier", .always, uid: geteuid(), accuracy: .reduced)
        try journey.eventually("withheld again") { try journey.status()?.regions?.state == .withheld }
        // The events are erased by another thread.
        try journey.eventually("nothing is pending") { try journey.monitor()?.pending == 0 }
    }

    @Test(.enabled(if: BrokerProcess.isPossible, "mosquitto and its clients are needed"))
    func `a broker gets waypoints and transitions at the topics of OwnTracks' apps, and does not retain them`() throws {
        let broker = try BrokerProcess()
        let journey = try Journey(url: "mqtt://127.0.0.1:\(broker.port)")
        defer { journey.end() }
        try journey.waitUntilMonitored()
        journey.cross(north: true)
        func messages(_ type: String) -> [JSON] {
            broker.messages.filter { $0["_type"]?.stringValue == type }
        }
        try journey.eventually("transitions") { messages("transition").count >= 2 }
        #expect(messages("transition").map(words) == ["enter yard", "leave yard"])
        let waypoint = try #require(messages("waypoint").first)
        #expect(messages("waypoint").count == 1 && waypoint["topic"] == nil)
        #expect(waypoint["desc"] == "yard" && waypoint["rad"] == 100 && waypoint["tst"] == 1_700_000_000)
        #expect(
            broker.topics.contains("owntracks/jane/van/waypoint") && broker.topics.contains("owntracks/jane/van/event"))
        let retained = try broker.retained("owntracks/#")
        #expect(!retained.contains { $0.contains("transition") || $0.contains("waypoint") }, "\(retained)")
        try journey.eventually("the events are acknowledged") { try journey.monitor()?.pending == 0 }
        try broker.end()
    }

    @Test(.enabled(if: BrokerProcess.isPossible, "mosquitto and its clients are needed"))
    func `waypoints are sent again when Home Assistant has started, and when the configuration is read again`() throws {
        let broker = try BrokerProcess()
        let url = "mqtt://127.0.0.1:\(broker.port)"
        let journey = try Journey(url: url, "[MQTT]\nHomeAssistantDiscovery=yes")
        defer { journey.end() }
        try journey.waitUntilMonitored()
        func count() -> Int { broker.messages.filter { $0["_type"] == "waypoint" }.count }
        try journey.eventually("the waypoint") { count() == 1 }
        try broker.publish("homeassistant/status", "offline")
        try broker.publish("homeassistant/status", "online")
        try journey.eventually("the waypoint again") { count() == 2 }
        try journey.reload(url, features: [Journey.yard, Journey.field])
        try journey.eventually("another configuration") { count() == 3 }
        try journey.reload(url, features: [Journey.yard, Journey.field])
        try journey.eventually("the same configuration") { count() == 4 }
        try broker.end()
    }

    @Test func `no transition is lost when daemon, uploader and server are killed in turn`() throws {
        let server = try UploadServerProcess()
        let journey = try Journey(url: "\(server.address)/owntracks")
        defer { journey.end() }
        try journey.waitUntilMonitored()
        for round in 0..<12 {
            let before = try journey.monitor()?.last ?? 0
            journey.cross(north: round % 2 == 0)
            // At once, or while the messages are sent.
            if round % 4 < 2 { try journey.eventually("an event") { try journey.monitor()?.last ?? 0 > before } }
            switch round % 3 {
            case 0:
                try journey.uploader.kill()
                try journey.uploader.restart()
            case 1:
                try server.kill()
                try server.restart()
            default:
                let connections = journey.scene.gpsd.connections
                journey.scene.daemon.signal(SIGKILL)
                try journey.scene.daemon.restart()
                try journey.eventually("gpsd is in use again") { journey.scene.gpsd.connections > connections }
            }
            // Reports that a daemon has not read before its end, or does not request yet, are lost.
            var drives = 0
            while drives < 20, try !eventually(within: 2, { try journey.monitor()?.last ?? 0 >= before + 2 }) {
                journey.cross(north: drives % 2 == 0)
                drives += 1
            }
            try journey.eventually("the yard was crossed") { try journey.monitor()?.last ?? 0 >= before + 2 }
        }
        // The reports of a drive that was not needed may still be on their path to the daemon. The first two events
        // determine that the machine is outside.
        var last: Int64 = 0
        var arrived: [JSON] = []
        try journey.eventually("all events are acknowledged, and have arrived") {
            guard let monitor = try journey.monitor(), monitor.pending == 0, monitor.last > 2 else { return false }
            last = monitor.last
            arrived = try transitions(server)
            return Set(arrived.compactMap(number)) == Set(3...last)
        }
        var first: [Int64] = []
        for number in arrived.compactMap(number) where !first.contains(number) { first.append(number) }
        #expect(first == first.sorted(), "the first arrivals are in order: \(first)")
        let yard = arrived.filter { $0["desc"] == "yard" }
        var sides: [String] = []
        for number in first {
            if let message = yard.first(where: { self.number($0) == number }) { sides.append(words(message)) }
        }
        // Each entry is followed by the departure: none is missing between them.
        #expect(!zip(sides, sides.dropFirst()).contains { $0 == $1 }, "\(sides)")
        print("\(last) events, \(arrived.count) transitions arrived")
    }
}

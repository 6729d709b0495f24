import Glibc
import Interfaces
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// The daemon, the uploader and the receiving server are killed one after the other while positions are recorded and
/// sent: in the end the server has every recorded position, and no other.
///
/// `WAYMARK_UPLOAD_KILLS` is the number of kills, `WAYMARK_UPLOAD_FORMAT` the format, `WAYMARK_UPLOAD_RATE` the number
/// of positions a second; `Scripts/check-kill-uploads` runs enough kills to meet rare interleavings.
@Suite(.waits) struct UploadKillTests {
    /// The format of the positions, and the kind of destination.
    enum Format: String, CaseIterable, Sendable {
        case geojson, overland, owntracks, osmand
        /// OwnTracks over MQTT.
        case mqtt
    }

    /// The destination, which is killed with the others and knows in the end which positions arrived.
    private enum Destination {
        case server(UploadServerProcess)
        case broker(BrokerProcess)

        init(_ format: Format) throws {
            self = format == .mqtt ? .broker(try BrokerProcess()) : .server(try UploadServerProcess())
        }

        func url(_ format: Format) -> String {
            switch self {
            case .server(let server): "\(server.address)/\(format.rawValue)"
            case .broker(let broker): "mqtt://127.0.0.1:\(broker.port)"
            }
        }

        /// The received ids, each as often as it was stored.
        func ids() throws -> [String] {
            switch self {
            case .server(let server): try server.storedIDs()
            case .broker(let broker): broker.ids
            }
        }

        /// Ends it and starts it again. A broker persists confirmed messages only when it is ended by SIGTERM,
        /// mosquitto(8).
        func restart() throws {
            switch self {
            case .server(let server):
                try server.kill()
                try server.restart()
            case .broker(let broker): try broker.restart()
            }
        }

        /// How many points have come since it was started that it had already.
        var recognized: Int64 {
            guard case .server(let server) = self else { return 0 }
            return server.lines.reduce(0) { sum, line in
                guard line["event"] == "request", let points = line["points"]?.arrayValue?.count else { return sum }
                return sum + Int64(points) - (line["stored"]?.integerValue ?? 0)
            }
        }

        func end() throws {
            switch self {
            case .server(let server): _ = try server.stop()
            case .broker(let broker): try broker.end()
            }
        }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static let kills = variable("WAYMARK_UPLOAD_KILLS").flatMap { Int($0) } ?? 9
    private static let seed = variable("WAYMARK_UPLOAD_SEED").flatMap { UInt64($0) } ?? 1
    /// Multiples of ten positions a second; usually more than one, so that positions are recorded between any two
    /// kills.
    private static let pace = (variable("WAYMARK_UPLOAD_RATE").flatMap { Double($0) } ?? 50) / 10
    private static let formats =
        variable("WAYMARK_UPLOAD_FORMAT").map { [Format(rawValue: $0)].compactMap(\.self) }
        ?? (BrokerProcess.isPossible ? [.overland, .mqtt] : [.overland, .owntracks])

    @Test(.timeLimit(.minutes(60)), arguments: Self.formats)
    func `every recorded position arrives, whichever program is killed meanwhile`(_ format: Format) throws {
        var random = SeededGenerator(seed: Self.seed)
        let destination = try Destination(format)
        // A kill and its consequences take a second or less; a recording is as long as all of them, and may end before.
        let scene = try UploadChain(
            format: format == .mqtt ? "owntracks" : format.rawValue, url: destination.url(format), pace: Self.pace,
            seconds: Int(Self.pace * 1.5) * Self.kills + 60)
        defer { scene.unplug() }
        try #require(try eventually { try !destination.ids().isEmpty }, "\(scene.story)")
        var recognized: Int64 = 0
        for kill in 0..<Self.kills {
            _ = poll(nil, 0, Int32.random(in: 0...800, using: &random))
            switch kill % 3 {
            case 0:
                scene.daemon.signal(SIGKILL)
                #expect(try scene.daemon.wait() == .killed(signal: SIGKILL))
                try scene.daemon.restart()
            case 1:
                try scene.uploader.kill()
                try scene.uploader.restart()
            default:
                recognized += destination.recognized
                try destination.restart()
            }
        }
        scene.unplug()
        let last = try scene.drain(seconds: 120)
        recognized += destination.recognized
        let recording = try #require(try scene.recording())
        let all = Set((1...last).map { "\(recording.id)/\($0)" })
        // A broker passes on the messages that it has confirmed.
        _ = try eventually(within: 60) { try Set(destination.ids()) == all }
        let ids = try destination.ids()
        print(
            "\(Self.kills) kills (\(format)): \(last) positions recorded, \(Set(ids).count) distinct at the server,"
                + " \(ids.count - Set(ids).count) stored twice, \(recognized) sent again and recognized")
        if case .server = destination {
            #expect(ids.count == Set(ids).count, "a server that recognizes ids stores none twice")
        }
        #expect(Set(ids) == all)
        #expect(last > Int64(Self.kills), "something was recorded")
        #expect(try scene.uploader.stop() == .exited(0), "\(scene.uploader.log)")
        #expect(try scene.daemon.stop() == .exited(0), "\(scene.daemon.log)")
        try destination.end()
    }
}

import Glibc
import Interfaces
import Platform
import Testing
import TestSupport
import Varlink

/// The daemon, the uploader and the server killed in turn while positions are recorded and sent: in the end the server has
/// each that was recorded, and no other.
///
/// `WAYMARK_UPLOAD_KILLS` says how often; `Scripts/check-kill-uploads` does it often enough to meet the rare moments.
@Suite(.serialized) struct UploadKillTests {
    private static let kills = getenv("WAYMARK_UPLOAD_KILLS").flatMap { Int(String(cString: $0)) } ?? 9
    private static let seed = getenv("WAYMARK_UPLOAD_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
    /// Five times ten positions a second, so that each moment between two kills has some.
    private static let pace = 5.0

    @Test(.timeLimit(.minutes(60)), arguments: Self.kills > 20 ? ["geojson"] : ["geojson", "owntracks"])
    func `every position that was recorded arrives, whoever is killed meanwhile`(_ format: String) throws {
        var random = SeededGenerator(seed: Self.seed)
        let server = try UploadServerProcess()
        // A kill and what follows takes a second or less; a recording is as long as all of them, and may end before.
        let scene = try UploadChain(
            format: format, url: "\(server.address)/\(format)", pace: Self.pace,
            seconds: Int(Self.pace * 1.5) * Self.kills + 60)
        defer { scene.unplug() }
        try #require(try eventually { try !server.storedIDs().isEmpty }, "\(scene.story)")
        var duplicates: Int64 = 0
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
                duplicates += Self.duplicates(server)
                try server.kill()
                try server.restart()
            }
        }
        scene.unplug()
        let last = try scene.drain(seconds: 120)
        duplicates += Self.duplicates(server)
        let ids = try server.storedIDs()
        let recording = try #require(try scene.recording())
        print(
            "\(Self.kills) kills (\(format)): \(last) positions recorded, \(Set(ids).count) distinct at the server,"
                + " \(ids.count - Set(ids).count) stored twice, \(duplicates) sent again and known")
        #expect(ids.count == Set(ids).count, "a server that knows ids has none twice")
        #expect(Set(ids) == Set((1...last).map { "\(recording.id)/\($0)" }))
        #expect(last > Int64(Self.kills), "something was recorded")
        #expect(try scene.uploader.stop() == .exited(0), "\(scene.uploader.log)")
        #expect(try scene.daemon.stop() == .exited(0), "\(scene.daemon.log)")
        _ = try server.stop()
    }

    /// Points that came to the server since it was started, and that it knew.
    private static func duplicates(_ server: UploadServerProcess) -> Int64 {
        server.lines.reduce(0) { sum, line in
            guard line["event"] == "request", let points = line["points"]?.arrayValue?.count else { return sum }
            return sum + Int64(points) - (line["stored"]?.integerValue ?? 0)
        }
    }
}

import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// Complaints of users about existing trackers, each tested with the real programs. `UploadTests.ComplaintTests` tests
/// the same with the pure `Uploader`, over hours and days; these tests cover the parts that depend on files and
/// processes.
///
/// | complaint | test |
/// | --- | --- |
/// | a day lost on reboot | below |
/// | one rejected message blocks the queue for ever, or is silently discarded | below |
/// | network up but server down loses points | below |
/// | a changed endpoint wipes the queue | `UploadDeliveryTests`: another destination gets the pending positions … |
/// | a retry timer of a day | below |
/// | one point sent 51 times | below |
/// | more than one point a second collapsed into one | below, with fractions of a second and without |
/// | live points interleaved out of order while a backlog drains | `UploadDeliveryTests`: a backlog arrives whole … |
/// | tracking silently stops | below |
@Suite(.waits, .timeLimit(.minutes(15))) struct UploadComplaintTests {
    /// Everything that was recorded is at the server, once.
    private func expectAllArrived(_ scene: UploadScene, but missing: Set<Int64> = []) throws {
        try scene.waitUntilDrained()
        let last = try #require(try scene.recording()?.last)
        let numbers = try scene.numbers()
        #expect(Set(numbers) == Set(1...last).subtracting(missing))
        #expect(numbers.count == Set(numbers).count)
    }

    @Test func `positions recorded before all programs ended at once arrive afterwards, completely and once`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        try scene.start(scene.configuration("overland"))
        try scene.waitForPoints(5)
        try scene.server.kill()
        try scene.eventually("a backlog") { try scene.recording()?.waiting ?? 0 > 50 }
        try scene.waitUntilAcknowledged()
        let before = try #require(try scene.recording())
        // As in a stop of the machine: no program can send a last message.
        scene.daemon.signal(SIGKILL)
        try scene.uploader?.kill()
        _ = try scene.daemon.wait()
        try scene.daemon.restart()
        let after = try #require(try scene.recording())
        #expect(after.id == before.id && after.last >= before.last && after.acknowledged == before.acknowledged)
        try scene.server.restart()
        try scene.uploader?.restart()
        try scene.waitForPoints(Int(after.last) + 5)
        try expectAllArrived(scene)
    }

    @Test func `one rejected position blocks nothing, is stored, and is reported`() throws {
        let scene = try UploadScene(server: ["--reject", "20"])
        defer { scene.end() }
        try scene.start(scene.configuration("overland"))
        try scene.waitForPoints(60)
        // It is stored, and the counts are reported, after the positions behind it may have been sent.
        try scene.upload("it is stored and counted") { $0.deadLetters == 1 && $0.status.rejected == 1 }
        #expect(try scene.waymark("uploads", "rejected", "home").contains("20"))
        try scene.eventually("an event reports it") {
            try scene.waymark("log", "--kind", "uploadRejected").contains("home")
        }
        try expectAllArrived(scene, but: [20])
    }

    @Test func `a failing server that requests a day's delay is tried again within minutes, and nothing is lost`()
        throws
    {
        let scene = try UploadScene(server: ["--fail", "503", "--retry-after", "86400"])
        defer { scene.end() }
        try scene.start(scene.configuration("geojson"))
        let status = try scene.upload("it waits") { $0.status.state == "backingOff" }.status
        #expect(status.lastStatus == 503)
        let next = try #require(status.nextAttempt)
        let now = Double(SystemClock().utcMicroseconds) / 1e6
        #expect(next - now <= 300 && next - now > 200, "as late as anybody waits: \(next - now) s")
        try scene.server.kill()
        try scene.eventually("a backlog") { try scene.recording()?.waiting ?? 0 > 20 }
        try scene.server.restart()
        #expect(try scene.waymark("uploads", "flush", "home", "--timeout", "60").contains("sent"))
        try scene.waitForPoints(30)
        try expectAllArrived(scene)
    }

    @Test func `a position whose responses are lost is sent a few times, not fifty`() throws {
        let scene = try UploadScene(server: ["--fail", "drop-stored", "--every", "2"])
        defer { scene.end() }
        try scene.start(scene.configuration("owntracks"))
        try scene.waitForPoints(40)
        try scene.waitUntilDrained()
        var times: [String: Int] = [:]
        for line in scene.server.lines {
            for point in line["points"]?.arrayValue ?? [] { times[point["id"]?.stringValue ?? "", default: 0] += 1 }
        }
        #expect(times.count >= 40 && times[""] == nil)
        #expect(times.values.max() ?? 0 <= 4, "\(times.filter { $0.value > 4 })")
        #expect(times.values.contains { $0 > 1 }, "responses were lost")
        try expectAllArrived(scene)
    }

    @Test(arguments: [true, false])
    func `ten positions a second arrive as ten, in their order, with fractions of a second or without`(
        hasFractions: Bool
    ) throws {
        let scene = try UploadScene()
        defer { scene.end() }
        try scene.start(
            scene.configuration("overland", hasFractions ? "[Destination]\nFractionalTimes=yes" : ""))
        try scene.waitForPoints(50)
        try scene.waitUntilDrained()
        let bytes = try BoundedFile.bytes(of: scene.server.file, limit: 64 << 20)
        let times = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            line.split(separator: "\"timestamp\":\"").dropFirst().first?.split(separator: "\"").first
        }
        #expect(times.count >= 50)
        if hasFractions {
            #expect(Set(times).count == times.count, "each has a time of its own")
        } else {
            #expect(times.allSatisfy { $0.utf8.count == "2026-06-01T08:00:00Z".utf8.count }, "whole seconds")
            #expect(times == times.sorted())
        }
        // Each has an id of its own, which distinguishes those of one second, and they arrive in order.
        let numbers = try scene.numbers()
        #expect(numbers.count == times.count && Set(numbers).count == numbers.count)
        #expect(numbers == numbers.sorted())
        let seconds = Dictionary(grouping: times) { $0.prefix("2026-06-01T08:00:00".count) }.mapValues(\.count)
        #expect(seconds.values.max() ?? 0 >= 9, "\(seconds)")
        try expectAllArrived(scene)
    }

    @Test func `the end of sending is reported, whichever program has ended`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        try scene.start(scene.configuration("overland"))
        try scene.waitForPoints(5)
        try scene.uploader?.kill()
        try scene.eventually("the uploader's end is reported") { try scene.waymark("uploads").contains("not running") }
        try scene.eventually("pending positions are reported") { try scene.recording()?.waiting ?? 0 > 5 }
        #expect(try scene.waymark("status").contains("without a running uploader"))
        #expect(try scene.waymark("doctor", "--timeout", "2").contains("home: its uploader does not run"))
        try scene.uploader?.restart()
        try scene.waitForPoints(15)
        scene.receiver.stop()
        try scene.eventually("the receiver's end is reported") {
            try scene.waymark("log", "--kind", "receiverLost", "--kind", "recordingPaused").contains("home")
                || scene.waymark("log").contains("receiver")
        }
        try expectAllArrived(scene)
    }
}

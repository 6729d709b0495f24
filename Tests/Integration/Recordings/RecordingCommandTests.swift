import Glibc
import Interfaces
import JSONText
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink
import Waymark

/// `waymark recording` and the library's recordings, with a real daemon.
@Suite(.waits, .serialized, .timeLimit(.minutes(15)), .enabled(if: geteuid() == 0, "needs to be an operator"))
struct RecordingCommandTests {
    private let receiver: PlayedReceiver
    private let apps: TestApps
    private let tracker: String
    private let daemon: DaemonProcess

    init() throws {
        receiver = try PlayedReceiver.tenHertz()
        apps = try TestApps()
        tracker = try apps.program("tracker", of: "waymark")
        try apps.add("tracker", name: "Tracker", program: tracker, "Record=yes")
        try apps.add("compass", name: "Compass", program: try TestApps.ownProgram(), "Record=yes")
        daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address)
    }

    @Test func `a recording is started, read, written as a file and forgotten on the command line`() throws {
        defer { receiver.stop() }
        let stranger = try daemon.waymark("recording", "start", "hike")
        #expect(
            stranger.status == .exited(4)
                && stranger.error.contains("this program is none: no manifest is for this process"))
        let early = try daemon.waymark("recording", "start", "hike", as: tracker)
        #expect(early.output.contains("nothing is recorded now: nobody has decided yet"), "\(early.error)")
        #expect(try daemon.waymark("doctor").output.contains("waymark authorize tracker always --user root"))

        #expect(try daemon.waymark("authorize", "tracker", "always", "--user", "root").status == .exited(0))
        let started = try daemon.waymark("recording", "start", "hike", "--on-revoke", "keep", as: tracker)
        #expect(started.status == .exited(0) && started.output.hasPrefix("hike is "), "\(started.error)")
        let read = try daemon.waymark("recording", "read", "hike", "--follow", "--limit", "12", "--json", as: tracker)
        #expect(read.status == .exited(0), "\(read.error)")
        let lines = try read.output.split(separator: "\n").map { try JSON.parse(Array($0.utf8)) }
        #expect(lines.compactMap { $0["sequence"]?.integerValue } == Array(1...12))
        #expect(lines.allSatisfy { $0["position"].flatMap(Position.init) != nil })
        let table = try daemon.waymark("recording", "read", "hike", "--after", "10", "--limit", "2", as: tracker).output
        #expect(table.split(separator: "\n").count == 3 && table.hasPrefix("   NUMBER      TIME"), "\(table)")

        let file = apps.directory.file("hike.gpx")
        let exported = try daemon.waymark("recording", "export", "hike", "--limit", "10", "-o", file, as: tracker)
        #expect(exported.status == .exited(0) && exported.error.contains("Wrote 10 positions"), "\(exported.error)")
        let again = try daemon.waymark("export", "--format", "gpx", "--count", "10", as: tracker)
        #expect(again.status == .exited(0), "\(again.error)")
        #expect(
            try again.output == String(decoding: BoundedFile.bytes(of: file, limit: 1 << 20), as: UTF8.self),
            "a recording is exported by default")
        let followed = try daemon.waymark("export", "hike", "--follow", "-n", "30", "--format", "csv", as: tracker)
        #expect(followed.output.split(whereSeparator: \.isNewline).count == 31, "\(followed.error)")
        let strangers = try daemon.waymark("export", "hike", "--format", "gpx")
        #expect(strangers.status == .exited(4) && strangers.error.contains("`waymark export --follow`"))
        let live = try daemon.waymark("export", "--distance", "5", "--format", "gpx", as: tracker)
        #expect(live.status == .exited(2) && live.error.contains("add --follow"))
        let csv = try daemon.waymark("recording", "export", "hike", "--limit", "10", "--format", "csv", as: tracker)
        #expect(csv.output.split(whereSeparator: \.isNewline).count == 11)

        #expect(
            try daemon.waymark("recording", "acknowledge", "hike", "5", as: tracker).output
                == "Everything up to 5 is acknowledged.\n")
        // A receiver that is late on a busy machine has no position meanwhile.
        var list = ""
        let isRecording = try eventually {
            list = try daemon.waymark("recording", "list").output
            return list.contains("hike  tracker  root") && list.contains("recording")
        }
        #expect(isRecording, "\(list)")
        #expect(!list.contains("latitude"))
        #expect(try daemon.waymark("status").output.contains("Recordings  1 of 1 recording; "))
        #expect(try daemon.waymark("recording", "stop", "hike", as: tracker).output.hasPrefix("hike is stopped, "))
        #expect(try daemon.waymark("recording", "erase", "hike").status == .exited(2), "nobody can be asked")
        let erased = try daemon.waymark("recording", "erase", "hike", "--app", "tracker", "--yes")
        #expect(erased.status == .exited(0) && erased.output.hasPrefix("hike is erased, with "), "\(erased.error)")
        let removed = try daemon.waymark("recording", "read", "hike", as: tracker)
        #expect(removed.status == .exited(1) && removed.error.contains("no recording of this name"))
        let log = try daemon.waymark("log", "--kind", "recordingErased").output
        #expect(log.contains("tracker of root: hike, by operator root"), "\(log)")
        let report = try daemon.waymark("report", "--app", "tracker").output
        #expect(report.contains("tracker"), "recorded positions count as seen: \(report)")
    }

    @Test func `the library records, reads page by page and acknowledges`() async throws {
        defer { receiver.stop() }
        try OperatorClient(daemon).authorize("compass", .always, uid: geteuid())
        let client = WaymarkClient(socketPath: daemon.socketPath)
        let recording = client.recording("trip")
        #expect(try await recording.status() == nil)
        let started = try await recording.start(RecordingOptions(interval: 0))
        // The receiver may not have been needed until now.
        #expect(["recording", "locationUnavailable"].contains(started.state) && started.isStarted)
        var next: Int64 = 1
        var pages = recording.pages(limit: 5).makeAsyncIterator()
        while next <= 12 {
            let page = try #require(try await pages.next())
            #expect(!page.points.isEmpty && page.id == started.id)
            for point in page.points {
                #expect(point.sequence == next)
                next += 1
            }
            #expect(try await recording.acknowledge(upTo: next - 1) == next - 1)
        }
        #expect(try await recording.read(limit: 1).points.first.map { $0.sequence >= next } ?? true)
        #expect(try await recording.stop().state == "stopped")
        let waiting = Task { try await client.recording("trip").pages(after: 1 << 40).first { _ in true } }
        waiting.cancel()
        _ = await waiting.result
        try await recording.erase()
        await #expect(throws: WaymarkError.self) { try await recording.read() }
        await #expect(throws: WaymarkError.self) { try await client.recording("..").start() }
    }
}

import Glibc
import Interfaces
import JSONText
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Visits from the daemon, with a gpsd that reports hours at once.
@Suite(.waits, .timeLimit(.minutes(15))) struct VisitTests {
    private let gpsd: ScriptedGPSD
    /// Microseconds of the first report: a whole second, because gpsd reports milliseconds.
    private let start = (SystemClock().utcMicroseconds / 1_000_000 - 36_000) * 1_000_000

    init() throws {
        gpsd = try ScriptedGPSD()
    }

    private func report(_ seconds: Range<Int>, speed: Double, north: (Int) -> Double) {
        let reports = seconds.map { second -> String in
            let time = UTCTime(microseconds: start + Int64(second) * 1_000_000).iso8601(fraction: 3)
            return #"{"class":"TPV","device":"\#(ScriptedGPSD.device)","mode":3,"time":"\#(time)","#
                + #""lat":\#(47 + north(second) / 111_195),"lon":-30.0,"altMSL":8.0,"eph":4.0,"eps":0.2,"#
                + #""track":0.0,"speed":\#(speed)}"# + "\r\n"
        }
        gpsd.send(reports.joined())
    }

    /// Drives 600 m, stays for 400 s.
    private func arrive(at second: Int) {
        report(second..<(second + 40), speed: 15) { 15 * Double($0 - second - 40) }
        report((second + 40)..<(second + 440), speed: 0) { _ in 0 }
    }

    /// Drives on for 600 m.
    private func leave(at second: Int) {
        report(second..<(second + 40), speed: 15) { 15 * Double($0 - second + 1) }
    }

    private func stream(_ daemon: DaemonProcess, _ parameters: String = "{}") throws -> StreamLog {
        let stream = try StreamLog(
            daemon.socketPath, LocationInterface.Method.monitorVisits.rawValue, parameters)
        try #require(eventually { gpsd.received.contains("?WATCH") }, "\(daemon.log)")
        return stream
    }

    /// The visits of a stream, once there are so many: arrival and departure in seconds after the first report.
    private func visits(_ stream: StreamLog, _ count: Int) throws -> [[Int?]] {
        _ = eventually(within: Patience.daemon) { stream.replies.count >= count || stream.ending != nil }
        try #require(stream.replies.count == count, "\(stream.replies.map(\.parameters)) \(stream.ending ?? "")")
        return try stream.replies.map { reply in
            let visit = try #require(reply.parameters["visit"].flatMap { Visit($0) })
            #expect(abs(visit.coordinate.latitude - 47) < 0.000_1 && visit.horizontalAccuracy > 0)
            return [visit.arrival, visit.departure].map { $0.map { Int(($0.microseconds - start) / 1_000_000) } }
        }
    }

    @Test func `a visit is sent when it has lasted five minutes, and when it has ended`() throws {
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(gpsd: gpsd.address)
        let stream = try stream(daemon)
        defer { stream.stop() }
        arrive(at: 0)
        #expect(try visits(stream, 1) == [[40, nil]])
        leave(at: 440)
        #expect(try visits(stream, 2) == [[40, nil], [40, 439]])
    }

    @Test func `a visit goes on over a restart, and is sent to a later caller`() throws {
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(gpsd: gpsd.address)
        let first = try stream(daemon)
        arrive(at: 0)
        #expect(try visits(first, 1) == [[40, nil]])
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        #expect(eventually { first.ending != nil })
        let second = try stream(daemon)
        #expect(try visits(second, 1) == [[40, nil]])
        try #require(eventually { gpsd.connections >= 2 })
        try #require(eventually { gpsd.received.contains("?WATCH") })
        leave(at: 1_000)
        #expect(try visits(second, 2).last?.first == 40)
        second.stop()
        let third = try stream(daemon, #"{"since":0}"#)
        #expect(try visits(third, 1).first?.first == 40)
        let fourth = try stream(daemon)
        defer {
            third.stop()
            fourth.stop()
        }
        #expect(fourth.replies.isEmpty)
    }

    /// Runs `waymark protection`, with a passphrase.
    private func protection(_ command: String, _ daemon: DaemonProcess) throws {
        try daemon.protection([command], input: ["a heron on the third pier"])
    }

    /// Whether a file of the state directory has a plain visit.
    private func finds(_ files: [String], in daemon: DaemonProcess) throws -> Bool {
        let needles = ["latitude", "\"arrival\"", "ended"].map { Array($0.utf8) }
        return try files.contains { file in
            let path = daemon.directory.file("state/\(file)")
            // The daemon removes its log at the end.
            guard access(path, F_OK) == 0 else { return false }
            let bytes = try BoundedFile.bytes(of: path, limit: 1 << 26)
            return needles.contains { Bytes.contains($0, in: bytes) }
        }
    }

    @Test func `stored visits are sealed once there is a passphrase, and past ones are sent when they are unlocked`()
        throws
    {
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(gpsd: gpsd.address)
        let first = try stream(daemon)
        arrive(at: 0)
        #expect(try visits(first, 1) == [[40, nil]])
        leave(at: 440)
        #expect(try visits(first, 2).last == [40, 439])
        let files = ["journal.db", "journal.db-wal"]
        // The search finds what is plain, once the daemon has written it.
        #expect(try eventually { try finds(files, in: daemon) })
        try protection("set-passphrase", daemon)
        #expect(try eventually(within: Patience.daemon) { try !finds(files, in: daemon) }, "\(daemon.log)")
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        #expect(try !finds(files, in: daemon))
        // Past visits wait until the data is unlocked, and new ones are not sent before them.
        let past = try stream(daemon, #"{"since":0}"#)
        let present = try stream(daemon)
        defer {
            past.stop()
            present.stop()
        }
        try #require(eventually { gpsd.connections >= 2 })
        arrive(at: 2_000)
        #expect(try visits(present, 1) == [[2_040, nil]])
        leave(at: 2_440)
        #expect(try visits(present, 2) == [[2_040, nil], [2_040, 2_439]])
        #expect(past.replies.isEmpty && past.ending == nil)
        #expect(try !finds(files, in: daemon), "a visit was stored plain")
        try protection("unlock", daemon)
        #expect(try visits(past, 2) == [[40, 439], [2_040, 2_439]])
        // Both are stored.
        #expect(try daemon.stop() == .exited(0))
        #expect(try !finds(files, in: daemon))
        try daemon.restart()
        try protection("unlock", daemon)
        let all = try StreamLog(
            daemon.socketPath, LocationInterface.Method.monitorVisits.rawValue, #"{"since":0}"#)
        defer { all.stop() }
        #expect(try visits(all, 2) == [[40, 439], [2_040, 2_439]])
        // Switched off, they are plain again, and read without a passphrase.
        try daemon.protection(["switch-off", "--yes"], input: ["a heron on the third pier"])
        let client = try OperatorClient(daemon).client
        #expect(
            try eventually(within: 60) { try client.call(ProtectionInterface.Status()).status.state == .open },
            "\(daemon.log)")
        #expect(try eventually { try finds(files, in: daemon) })
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        let plain = try stream(daemon, #"{"since":0}"#)
        defer { plain.stop() }
        #expect(try visits(plain, 2) == [[40, 439], [2_040, 2_439]])
    }

    @Test func `the first visits of all are stored when the data is unlocked, and never plain`() throws {
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(gpsd: gpsd.address)
        try protection("set-passphrase", daemon)
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        let first = try stream(daemon)
        arrive(at: 0)
        #expect(try visits(first, 1) == [[40, nil]])
        leave(at: 440)
        #expect(try visits(first, 2).last == [40, 439])
        first.stop()
        // What is in memory at the end is stored, except for what cannot be sealed.
        let files = ["journal.db", "journal.db-wal"]
        #expect(try daemon.waymark(["log", "--note", "after the visit"]).status == .exited(0))
        #expect(try !finds(files, in: daemon), "a visit was stored plain")
        try protection("unlock", daemon)
        #expect(try daemon.stop() == .exited(0))
        #expect(try !finds(files, in: daemon))
        try daemon.restart()
        try protection("unlock", daemon)
        let all = try StreamLog(daemon.socketPath, LocationInterface.Method.monitorVisits.rawValue, #"{"since":0}"#)
        defer { all.stop() }
        #expect(try visits(all, 1) == [[40, 439]])
    }

    @Test func `the command prints visits`() throws {
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(gpsd: gpsd.address)
        let stream = try stream(daemon)
        arrive(at: 0)
        _ = try visits(stream, 1)
        leave(at: 440)
        _ = try visits(stream, 2)
        stream.stop()
        let printed = try daemon.waymark(["visits", "--since=-20h", "--count", "1"])
        let lines = printed.output.split(separator: "\n")
        #expect(printed.status == .exited(0) && lines.count == 2, "\(printed)")
        #expect(lines.last?.contains("47.0000") == true && lines.last?.contains("6 min") == true, "\(lines)")
        let json = try daemon.waymark(["visits", "--since=-20h", "--count=1", "--json"])
        #expect(Visit(try JSON.parse(Array(json.output.utf8.dropLast())))?.departure != nil, "\(json)")
    }

    @Test(.enabled(if: OtherUser.isPossible, "connecting as another user needs root"), arguments: [true, false])
    func `a denial and a reduction end the stream and erase the visits, and reduced accuracy has none`(
        isDenied: Bool
    ) throws {
        defer { gpsd.stop() }
        let scene = try TrailMapScene(gpsd)
        func call() throws -> RawConnection { try scene.call(.monitorVisits, #"{"since":0}"#) }
        let client = try call()
        try scene.waitForDemand()
        arrive(at: 0)
        #expect(try client.read(messages: 1)?.contains("\"arrival\"") == true)
        leave(at: 440)
        #expect(try client.read(messages: 1)?.contains("\"departure\"") == true)
        let again = try call()
        #expect(try again.read(messages: 1)?.contains("\"departure\"") == true)
        if isDenied {
            try scene.authorize(.deny)
            #expect(try client.read(messages: 1)?.contains(ErrorName.denied.rawValue) == true)
        } else {
            try scene.authorize(.always, accuracy: .reduced)
            #expect(try client.read(messages: 1)?.contains(ErrorName.accuracyReduced.rawValue) == true)
            #expect(try call().read(messages: 1)?.contains(ErrorName.accuracyReduced.rawValue) == true)
        }
        try scene.authorize(.always, accuracy: .full)
        let last = try call()
        // Reports that the daemon reads before the call would not be observed.
        try #require(try eventually { try scene.manage.status().clients.streams == 1 })
        arrive(at: 2_000)
        let text = try #require(try last.read(messages: 1))
        #expect(text.contains("\"arrival\"") && !text.contains("\"departure\""), "\(text)")
    }

    @Test(
        .enabled(if: OtherUser.isPossible, "connecting as another user needs root"),
        arguments: [
            ("ForbidFullAccuracy=yes", ErrorName.accuracyReduced), ("DenyApps=trailmap", .restricted),
        ])
    func `a restriction ends the stream, and stored visits are withheld meanwhile`(
        _ restriction: String, _ error: ErrorName
    ) throws {
        defer { gpsd.stop() }
        let scene = try TrailMapScene(gpsd)
        func call() throws -> RawConnection { try scene.call(.monitorVisits, #"{"since":0}"#) }
        let client = try call()
        try scene.waitForDemand()
        arrive(at: 0)
        leave(at: 440)
        #expect(try client.read(messages: 2)?.contains("\"departure\"") == true)
        try scene.apps.restrict("[Restrictions]\n\(restriction)\n")
        #expect(try client.read(messages: 1)?.contains(error.rawValue) == true)
        let refused = try #require(try call().read(messages: 1))
        #expect(refused.contains(error.rawValue) && !refused.contains("latitude"), "\(refused)")
        try scene.apps.restrict(nil)
        var again: String?
        try #require(
            try eventually {
                again = try call().read(messages: 1)
                return again?.contains(error.rawValue) == false
            })
        #expect(again?.contains("\"departure\"") == true, "\(again ?? "")")
    }
}

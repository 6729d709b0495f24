import Glibc
import Interfaces
import JSONText
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Waymark

/// Events at the borders of regions: what `waymark regions` and the library make of them, with a real daemon.
@Suite(.waits, .timeLimit(.minutes(15))) struct RegionEventTests {
    private let gpsd: ScriptedGPSD
    private let daemon: DaemonProcess
    private let track = Track()
    private let directory: TemporaryDirectory

    init() throws {
        gpsd = try ScriptedGPSD()
        directory = try TemporaryDirectory()
        daemon = try DaemonProcess(gpsd: gpsd.address)
        let added = try daemon.waymark("regions", "add", "yard", "--circle", "47,-30,80")
        try #require(added.status == .exited(0), "\(added.error)")
        try #require(eventually { gpsd.received.contains("?WATCH") }, "\(daemon.log)")
    }

    /// The time of the next report: whole seconds, because gpsd reports milliseconds.
    private final class Track {
        var now = (SystemClock().utcMicroseconds / 1_000_000 - 3_600) * 1_000_000
    }

    /// Stays at a place so many metres north of the middle of the yard for 5 s, after a drive that is not seen.
    private func stay(north: Double) {
        var text = ""
        track.now += 60_000_000
        for _ in 0..<5 {
            let time = UTCTime(microseconds: track.now).iso8601(fraction: 3)
            text +=
                #"{"class":"TPV","device":"\#(ScriptedGPSD.device)","mode":3,"time":"\#(time)","#
                + #""lat":\#(47 + north / 111_195),"lon":-30.0,"altMSL":8.0,"eph":4.0,"eps":0.2,"track":0.0,"speed":0.0}"#
                + "\r\n"
            track.now += 1_000_000
        }
        gpsd.send(text)
    }

    private func arrive() { stay(north: 0) }
    private func leave() { stay(north: 1_000) }

    private func summary() throws -> RegionsInterface.MonitorSummary {
        let list = try daemon.waymark("regions", "list", "--json")
        return try RegionsInterface.MonitorSummary(varlink: JSON.parse(Array(list.output.utf8.dropLast())))
    }

    /// Waits until so many events were stored.
    private func waitForEvents(_ count: Int64) throws {
        try #require(eventually(within: Patience.daemon) { try summary().last >= count }, "\(daemon.log)")
    }

    /// Starts `waymark regions on yard` with these options and a shell script.
    private func on(_ options: [String] = [], _ script: String) throws -> ChildProcess {
        try ChildProcess(
            ChildProcess.Launch(
                Products.program("waymark"), ["regions", "on", "yard"] + options + ["--", "/bin/sh", "-c", script],
                environment: daemon.environment().merging(["OUT": directory.file("out")]) { $1 },
                error: .pipe, isGuarded: true))
    }

    /// The lines that the commands have written.
    private func lines() throws -> [String] {
        guard access(directory.file("out"), F_OK) == 0 else { return [] }
        let bytes = try BoundedFile.bytes(of: directory.file("out"), limit: 1 << 20)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func waitForLines(_ expected: [String], _ process: ChildProcess) throws {
        _ = try eventually(within: Patience.daemon) { try lines().count >= expected.count }
        let found = try lines()
        let status = try process.exitStatus().map { "\($0)" } ?? "runs"
        #expect(found == expected, "\(status), \(daemon.log)")
    }

    @Test func `watch prints events and acknowledges none`() throws {
        defer { gpsd.stop() }
        leave()
        arrive()
        try waitForEvents(2)
        let printed = try daemon.waymark("regions", "watch", "yard", "-n", "2")
        #expect(printed.status == .exited(0), "\(printed.error)")
        let printedLines = printed.output.split(separator: "\n")
        #expect(printedLines.first?.hasSuffix("  yard  is outside") == true, "\(printed.output)")
        #expect(printedLines.last?.contains("  yard  entered") == true, "\(printed.output)")
        let json = try daemon.waymark("regions", "watch", "--json", "-n", "1")
        let object = try JSON.parse(Array(json.output.utf8.dropLast()))
        #expect(object["monitor"] == "yard" && object["event"]?["kind"] == "determined", "\(json)")
        #expect(object["event"]?["time"] != nil && object["event"]?["latitude"] == nil, "\(json)")
        #expect(!json.output.contains("itude") && !json.output.contains("ccuracy"))
        let later = try daemon.waymark("regions", "watch", "yard", "--after", "1", "--json", "-n", "1")
        #expect(try JSON.parse(Array(later.output.utf8.dropLast()))["event"]?["sequence"] == 2)
        #expect(try summary().pending == 2)
        #expect(try daemon.waymark("regions", "acknowledge", "yard", "1").status == .exited(0))
        #expect(try summary().pending == 1)
    }

    @Test func `a command runs at each entry with the event in its environment, and others are acknowledged`() throws {
        defer { gpsd.stop() }
        let on = try on(
            ["--enter"], #"echo "$WAYMARK_MONITOR $WAYMARK_REGION $WAYMARK_EVENT $WAYMARK_SEQUENCE" >>"$OUT""#)
        leave()
        arrive()
        try waitForLines(["yard yard entered 2"], on)
        leave()
        arrive()
        try waitForLines(["yard yard entered 2", "yard yard entered 4"], on)
        #expect(try eventually { try summary().pending == 0 })
        #expect(try on.terminate() == .exited(143))
    }

    @Test func `a failed command is run again for the same event, and later events wait`() throws {
        defer { gpsd.stop() }
        leave()
        arrive()
        leave()
        try waitForEvents(3)
        // Fails twice, then succeeds.
        let on = try on([], #"echo "$WAYMARK_SEQUENCE" >>"$OUT"; [ "$(wc -l <"$OUT")" -ge 3 ]"#)
        try waitForLines(["2", "2", "2", "3"], on)
        #expect(try eventually { try summary().pending == 0 })
        try on.terminate()
    }

    @Test func `a failure can skip the event, or end and leave it`() throws {
        defer { gpsd.stop() }
        leave()
        arrive()
        leave()
        try waitForEvents(3)
        let stopping = try on(["--on-failure", "stop"], #"echo "$WAYMARK_SEQUENCE" >>"$OUT"; exit 3"#)
        #expect(try stopping.wait(seconds: 60) == .exited(1))
        #expect(try lines() == ["2"])
        #expect(try summary().acknowledged < 2)
        let skipping = try on(["--on-failure", "skip"], #"echo "$WAYMARK_SEQUENCE" >>"$OUT"; exit 3"#)
        try waitForLines(["2", "2", "3"], skipping)
        #expect(try eventually { try summary().pending == 0 })
        try skipping.terminate()
    }

    @Test func `a killed waymark runs the command for the same event again`() throws {
        defer { gpsd.stop() }
        leave()
        arrive()
        try waitForEvents(2)
        let script = #"echo "$WAYMARK_SEQUENCE" >>"$OUT"; [ -e "$OUT.go" ] || exec sleep 1000"#
        let first = try on([], script)
        try waitForLines(["2"], first)
        try first.terminate(graceSeconds: 0)
        _ = try directory.write("out.go", "")
        let second = try on([], script)
        try waitForLines(["2", "2"], second)
        #expect(try eventually { try summary().pending == 0 })
        leave()
        try waitForLines(["2", "2", "3"], second)
        try second.terminate()
    }

    @Test func `SIGTERM ends the command, and its event is not acknowledged`() throws {
        defer { gpsd.stop() }
        leave()
        arrive()
        try waitForEvents(2)
        let script = #"trap 'echo ended >>"$OUT"; exit 1' TERM; echo $$ >>"$OUT"; while :; do sleep 0.05; done"#
        let on = try on([], script)
        #expect(try eventually(within: Patience.daemon) { try lines().count == 1 })
        on.signal(SIGTERM)
        #expect(try on.wait(seconds: 60) == .exited(143))
        #expect(try lines().last == "ended")
        let child = try #require(try lines().first.flatMap { pid_t($0) })
        #expect(!processExists(child))
        #expect(try summary().acknowledged < 2)
    }

    @Test func `a command that hangs is ended after its time, and run again`() throws {
        defer { gpsd.stop() }
        leave()
        arrive()
        try waitForEvents(2)
        let script = #"echo "$WAYMARK_SEQUENCE" >>"$OUT"; [ -e "$OUT.go" ] || exec sleep 1000"#
        let on = try on(["--timeout", "1"], script)
        #expect(try eventually { try lines().count >= 2 })
        #expect(try summary().acknowledged < 2)
        // A command that does not hang may need more than its time as well, where the machine does not run it.
        _ = try directory.write("out.go", "")
        #expect(try eventually { try summary().pending == 0 })
        #expect(try lines().allSatisfy { $0 == "2" })
        try on.terminate()
    }

    @Test func `events survive a restart of the daemon, which is waited for`() throws {
        defer { gpsd.stop() }
        leave()
        arrive()
        try waitForEvents(2)
        _ = try daemon.stop()
        try daemon.restart()
        let on = try on([], #"echo "$WAYMARK_SEQUENCE $WAYMARK_EVENT" >>"$OUT""#)
        try waitForLines(["2 entered"], on)
        _ = try daemon.stop()
        try daemon.restart()
        try #require(eventually { gpsd.connections >= 3 }, "\(daemon.log)")
        try #require(eventually { gpsd.received.contains("?WATCH") }, "\(daemon.log)")
        leave()
        try waitForLines(["2 entered", "3 left"], on)
        try on.terminate()
    }

    @Test func `the library delivers events until they are acknowledged`() async throws {
        defer { gpsd.stop() }
        let client = WaymarkClient(socketPath: daemon.socketPath)
        let monitor = try await client.monitor("yard")
        let center = try #require(Coordinate(latitude: 47, longitude: -30))
        try await monitor.add(.circle(center: center, radius: 70), identifier: "yard", assuming: .unsatisfied)
        try await monitor.add(.circle(center: center, radius: 5_000), identifier: "town", assuming: .unsatisfied)
        #expect(try await monitor.identifiers == ["town", "yard"])
        leave()
        arrive()
        var kinds: [String] = []
        for try await event in monitor.events {
            kinds.append("\(event.identifier ?? "") \(event.kind.rawValue) \(event.state)")
            #expect(event.coordinate != nil && event.horizontalAccuracy ?? 0 > 0)
            if event.kind == .entered {
                try await monitor.acknowledge(event)
                break
            }
        }
        #expect(kinds == ["town determined satisfied", "yard entered satisfied"])
        #expect(try await monitor.status()?.pending == 0)
        let record = try #require(try await monitor.record(for: "yard"))
        #expect(record.condition == .circle(center: center, radius: 70) && record.state == .satisfied)
        #expect(try await monitor.record(for: "other") == nil)
        leave()
        var again: [LocationMonitor.State] = []
        for try await event in monitor.events {
            again.append(event.state)
            break
        }
        for try await event in monitor.events {
            again.append(event.state)
            break
        }
        #expect(again == [.unsatisfied, .unsatisfied], "an event that was not acknowledged comes again")
        try await monitor.remove("town")
        #expect(try await monitor.identifiers == ["yard"])
        try await monitor.removeAll()
        #expect(try await monitor.identifiers.isEmpty)
        #expect(try await monitor.status() == nil)
    }
}

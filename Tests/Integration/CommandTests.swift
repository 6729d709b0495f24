import Glibc
import JSONText
import Location
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// The command line as people and scripts meet it: real programs, a real gpsd, a real daemon.
@Suite(.waits) struct CommandTests {
    /// A directory of the test's own, which the commands also use instead of /tmp.
    private let directory: TemporaryDirectory
    private let program: String

    init() throws {
        directory = try TemporaryDirectory()
        program = try Products.program("waymark")
    }

    private var environment: [String: String] {
        ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR": directory.path, "W": program, "LC_ALL": "C.UTF-8"]
    }

    /// Runs the command line with these arguments to its end.
    private func waymark(_ arguments: [String], input: String = "") throws -> CompletedProcess {
        let process = try CompletedProcess.run(
            program, arguments, environment: environment, input: input, seconds: 45)
        try #require(!process.timedOut, "\(arguments) took too long: \(process.error)")
        return process
    }

    private func positions(_ text: String) throws -> [Position] {
        try text.split(separator: "\n").map { try #require(Position(try JSON.parse(Array($0.utf8)))) }
    }

    private func files() throws -> [String] {
        let listing = try CompletedProcess.run("/bin/ls", ["-A", directory.path], environment: environment)
        return listing.output.split(separator: "\n").map(String.init)
    }

    @Test func `a replay prints the daemon's positions to the last one, and leaves nothing behind`() throws {
        let recording = try Products.fixture("walk.nmea")
        let replay = try waymark(["replay", recording, "--speed", "60", "--json"])
        #expect(replay.status == .exited(0), "\(replay.error)")
        let positions = try positions(replay.output)
        #expect(positions.count > 170, "of 180 fixes")
        #expect(positions.allSatisfy { $0.isSimulated })
        // The recording's last second is on its last lines.
        let last = try #require(positions.last?.timestamp)
        #expect(positions.allSatisfy { $0.timestamp <= last })
        #expect(last - (positions.first?.timestamp ?? last) > 400)
        #expect(replay.error.contains("every position is simulated"))
        #expect(replay.error.contains("WAYMARK_SOCKET=\(directory.path)/waymark-replay-"))
        #expect(try files() == [])
    }

    @Test func `every command works beside a replay`() throws {
        let results = directory.file("results")
        let script = """
            mkdir "$RESULTS" && cd "$RESULTS"
            r() { name=$1; shift; "$W" "$@" >"$name.out" 2>"$name.err"; echo $? >"$name.code"; }
            # On a busy machine the receiver's reports may come so late that there is no position at an instant.
            until_says() { pattern=$1; shift; until r "$@"; grep -q "$pattern" "$1.out"; do :; done; }
            r watch watch -n 2
            r json watch --json -n 2
            r get get --json
            r geo get --format geo
            r miles get --units imperial
            r knots watch -n 1 --units nautical
            until_says 'accurate to ' feet status --units imperial
            r fixed get --json --units imperial
            r grid get --coordinates mgrs
            r angles watch -n 1 --coordinates dms
            r numbers get --json --coordinates mgrs
            WAYMARK_COORDINATES=mgrs r chosen get --units metric
            WAYMARK_UNITS=furlong r typo get
            WAYMARK_UNITS=furlong r program get --json
            until_says 'Simulated position' status status
            until_says '"health":"ok"' state status --json
            r satellites satellites --json
            r doctor doctor --json
            r metrics metrics
            r note log --note 'from a test'
            r log log --kind note --json
            r verify log --verify
            r export export --follow -n 2 -o track.gpx
            r again export --follow -n 1 -o track.gpx
            r recorded export -n 1 --format gpx
            r events export --events --format csv
            "$W" watch --json | head -n 1 >head.out
            r bad get --accuracy far
            """
        // The drive lasts almost three minutes, and ends the script where that is not over: on a busy machine it is slow.
        let replay = try CompletedProcess.run(
            program, ["replay", try Products.fixture("drive.nmea"), "--speed", "2", "--", "/bin/sh", "-c", script],
            environment: environment.merging(["RESULTS": results]) { $1 }, seconds: 240)
        #expect(replay.status == .exited(0), "\(replay.error)")
        func output(_ name: String, _ suffix: String = "out", code: Int = 0) throws -> String {
            let ended = try CompletedProcess.run("/bin/cat", ["\(results)/\(name).code"]).output
            let complaint = try CompletedProcess.run("/bin/cat", ["\(results)/\(name).err"]).output
            #expect(ended == "\(code)\n", "\(name): \(complaint)")
            return try CompletedProcess.run("/bin/cat", ["\(results)/\(name).\(suffix)"]).output
        }
        #expect(try output("miles").contains(" ft") && output("miles").contains(" mph"))
        #expect(try output("knots").contains(" kn") && !output("knots").contains("km/h"))
        #expect(try output("feet").contains("accurate to ") && output("feet").contains(" ft, "))
        #expect(try output("fixed", code: 2).contains("--units is for text"))
        #expect(try output("grid").contains("MGRS         34T ET ") && !output("grid").contains("Latitude"))
        // The drive passes 47°35' after fifty seconds.
        #expect(try output("angles").contains("47°34'") || output("angles").contains("47°35'"))
        #expect(try output("numbers", code: 2).contains("--coordinates is for text"))
        #expect(try output("chosen").contains("MGRS"))
        #expect(try output("typo").contains("Latitude") && output("typo", "err").contains("WAYMARK_UNITS: “furlong”"))
        #expect(try output("program", "err").isEmpty)
        let watched = try output("watch").split(separator: "\n")
        #expect(watched.count == 3)
        #expect(watched.first?.hasPrefix("    TIME") == true)
        #expect(watched.last?.hasSuffix("simulated") == true)
        #expect(try positions(output("json")).count == 2)
        #expect(try positions(output("get")).count == 1)
        #expect(try output("geo").hasPrefix("geo:47.5"))
        #expect(try output("status").hasPrefix("● Simulated position to "))
        let status = try #require(DaemonStatus(try JSON.parse(Array(output("state").utf8.dropLast()))))
        #expect(status.health == "ok" && status.receiver.state == .watching)
        let sky = try #require(SkyView(try JSON.parse(Array(output("satellites").utf8.dropLast()))))
        #expect(sky.satellites.contains { $0.isUsed })
        #expect(try output("doctor").contains("known to"))
        #expect(try output("metrics").hasSuffix("# EOF\n"))
        #expect(try output("note").hasPrefix("Noted as event "))
        #expect(try output("log").contains("\"text\":\"from a test\""))
        #expect(try output("verify").hasPrefix("The journal is sound"))
        #expect(try output("export", "err").contains("Wrote 2 positions"))
        #expect(try output("recorded", "err", code: 5).contains("Nothing is recorded."))
        #expect(try output("again", "err", code: 1).contains("track.gpx exists already"))
        #expect(try output("events").hasPrefix("sequence,time,kind,app,user,details\r\n1,"))
        #expect(try output("bad", "err", code: 2).contains("--accuracy takes a number"))
        let gpx = try CompletedProcess.run("/bin/cat", ["\(results)/track.gpx"]).output
        #expect(gpx.ranges(of: "<trkpt").count == 2 && gpx.hasSuffix("</gpx>\n"))
        #expect(try positions(CompletedProcess.run("/bin/cat", ["\(results)/head.out"]).output).count == 1)
        #expect(try files() == ["results"])
    }

    @Test func `in a locale without Unicode every command writes ASCII, and JSON is unchanged`() throws {
        let script = """
            for c in 'status' 'watch -n 2' 'get' 'get --format dms' 'satellites' 'doctor' 'log' 'report' 'apps' \
                'path' 'target localhost' 'uploads' 'get --accuracy far' '--help' 'log --help' 'config example'; do
                echo "== $c"; "$W" $c
            done 2>&1
            true
            """
        var environment = environment
        environment["LC_ALL"] = "C"
        let replay = try CompletedProcess.run(
            program, ["replay", try Products.fixture("drive.nmea"), "--speed", "2", "--", "/bin/sh", "-c", script],
            environment: environment, seconds: 240)
        #expect(replay.status == .exited(0), "\(replay.error)")
        let foreign = (replay.output + replay.error).split(separator: "\n").filter { !$0.utf8.allSatisfy { $0 < 0x80 } }
        #expect(foreign.isEmpty, "\(foreign)")
        #expect(replay.output.contains("+- ") && replay.output.contains("dB-Hz"), "\(replay.output)")
    }

    @Test func `a mistake in the command line is broken at words on a narrow terminal`() throws {
        let run = try CompletedProcess.run(
            "/usr/bin/script",
            ["-qec", "stty cols 40 rows 24; '\(program)' join; '\(program)' get --accuracy far", "/dev/null"],
            environment: environment, seconds: 60)
        let lines = run.output.split(whereSeparator: \.isNewline)
        #expect(lines.count > 4 && lines.allSatisfy { $0.count <= 40 }, "\(lines)")
        #expect(run.output.contains("`waymark join --help`"), "\(lines)")
    }

    @Test func `Ctrl-C ends a replay and everything it has started`() throws {
        let process = try ChildProcess(
            ChildProcess.Launch(
                program, ["replay", try Products.fixture("drive.nmea"), "--json"], environment: environment,
                output: .pipe))
        let deadline = PollDeadline(seconds: 60)
        try #require(try deadline.poll(process.outputPipe, for: POLLIN))
        #expect(try files().count == 1)
        process.signal(SIGINT)
        #expect(try process.wait(seconds: 60) == .exited(130))
        #expect(try files() == [])
    }

    @Test func `an export that is interrupted is finished in order`() throws {
        let track = directory.file("track.kml")
        // The end of the replay sends SIGTERM to the export, which no count or duration would end.
        let recording = try Products.fixture("two-dimensional.nmea")
        let replay = try waymark([
            "replay", recording, "--speed", "40", "--", program, "export", "--follow", "-o", track,
        ])
        #expect(replay.status == .exited(0), "\(replay.error)")
        let text = try CompletedProcess.run("/bin/cat", [track]).output
        #expect(text.hasSuffix("</kml>\n"))
        #expect(text.ranges(of: "<when>").count == text.ranges(of: "<gx:coord>").count)
        #expect(text.contains("<altitudeMode>clampToGround</altitudeMode>"))
        #expect(try files() == ["track.kml"])
    }

    @Test func `watched positions can be exported later, in every format`() throws {
        let line =
            #"{"timestamp":1780300809.0,"latitude":47.5,"longitude":21.1,"horizontalAccuracy":9.7,"accuracy":"full","#
            + #""isSimulated":true}"#
        for (format, end) in [("gpx", "</gpx>\n"), ("kml", "</kml>\n"), ("geojson", "]}\n"), ("csv", "\r\n")] {
            let export = try waymark(["export", "--from", "-", "--format", format], input: "\(line)\n\(line)\n")
            #expect(export.status == .exited(0), "\(export.error)")
            #expect(export.output.hasSuffix(end))
        }
        let wrong = try waymark(["export", "--from", "-", "--format", "csv"], input: "\(line)\nnonsense\n")
        #expect(wrong.status == .exited(1))
        #expect(wrong.error.contains("Line 2 of standard input is no position"))
        let nothing = try waymark(["export", "--from", "/dev/null", "--format", "csv"])
        #expect(nothing.status == .exited(5) && nothing.output.isEmpty)
    }

    @Test(arguments: ["status", "get", "satellites", "log", "metrics", "doctor"])
    func `without a daemon a command ends with 3`(_ name: String) throws {
        let socket = directory.file("nobody")
        let command = try waymark([name, "--socket", socket])
        #expect(command.status == .exited(3))
        #expect((command.output + command.error).contains(socket))
    }

    @Test func `without a daemon gpsd is searched at the daemon's address`() throws {
        var environment = environment
        environment["WAYMARK_GPSD"] = "127.0.0.1:1"
        let doctor = try CompletedProcess.run(
            program, ["doctor", "--socket", directory.file("nobody")], environment: environment)
        #expect(doctor.output.contains("gpsd: it does not run: no program listens at 127.0.0.1:1."), "\(doctor.output)")
    }

    @Test func `without a receiver the doctor does not wait for a position`() throws {
        let daemon = try DaemonProcess(configuration: "", gpsd: "none")
        let clock = SystemClock()
        let begin = clock.monotonicNanoseconds
        let doctor = try daemon.waymark("doctor", "--timeout", "55")
        #expect(doctor.status == .exited(5) && doctor.output.contains("There is no receiver."), "\(doctor.output)")
        #expect(clock.monotonicNanoseconds - begin < 30_000_000_000)
    }

    @Test func `a shell completes the names of apps, uploads and recordings, except those that it would expand`() throws
    {
        let apps = try TestApps()
        let program = try apps.program("tracker", of: "waymark")
        try apps.add("tracker", name: "Tracker", program: program, "Record=yes")
        let daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), gpsd: "none")
        #expect(try daemon.waymark("completion", "--names", "apps").output == "tracker\n")
        _ = try daemon.waymark("authorize", "tracker", "always", "--user", "\(geteuid())")
        #expect(try daemon.waymark("recording", "start", "hike", as: program).status == .exited(0))
        #expect(try daemon.waymark("completion", "--names", "recordings").output == "hike\n")
        #expect(try daemon.waymark("completion", "--names", "uploads").status == .exited(0))
        #expect(try daemon.waymark("completion", "--names", "users").output.split(separator: "\n").contains("root"))
        #expect(try daemon.waymark("completion", "--names", "requests").status == .exited(0))
        let shell = try CompletedProcess.run(
            "/bin/bash",
            [
                "-c",
                """
                source <("$W" completion bash); waymark() { "$W" "$@"; }
                COMP_WORDS=(waymark authorize t) COMP_CWORD=2; _waymark; echo "${COMPREPLY[*]}"
                COMP_WORDS=(waymark authorize tracker '') COMP_CWORD=3; _waymark; echo "${COMPREPLY[*]}"
                """,
            ], environment: daemon.environment().merging(["W": self.program]) { $1 }, seconds: 60)
        #expect(shell.output == "tracker\nalways while-using deny\n", "\(shell.error)")
        let alone = try waymark([])
        #expect(alone.status == .exited(0) && alone.output.contains("Usage: waymark"))
    }

    @Test func `an error is an object for programs`() throws {
        let daemon = try DaemonProcess(in: directory)
        let get = try waymark(["get", "--json", "--timeout", "0.1", "--socket", daemon.socketPath])
        #expect(get.status == .exited(5))
        let error = try JSON.parse(Array(get.output.utf8.dropLast()))
        #expect(error["error"] == "io.waymark.Location.PositionUnknown")
        #expect(error["message"]?.stringValue?.isEmpty == false)
        #expect(get.error.isEmpty)
        let usage = try waymark(["get", "--json", "--acuracy", "5"])
        #expect(usage.status == .exited(2) && usage.error.isEmpty)
        #expect(usage.output.contains("Did you mean '--accuracy'?"))
        let doctor = try waymark(["doctor", "--timeout", "1", "--socket", daemon.socketPath])
        #expect(doctor.status == .exited(5))
        #expect(doctor.output.contains("✗ gpsd: none is configured"))
        try daemon.stop()
    }

    @Test func `watch waits for a starting daemon, and reports why there is no position`() throws {
        let socket = directory.file("waymark.sock")
        let clock = SystemClock()
        let began = clock.monotonicNanoseconds
        let watch = try ChildProcess(
            ChildProcess.Launch(
                program, ["watch", "--socket", socket], environment: environment, output: .pipe, error: .pipe))
        let daemon = try DaemonProcess(in: directory)
        // On a busy machine the start may last longer than the five seconds for which it waits.
        let isLate = clock.monotonicNanoseconds - began > 5_000_000_000
        let deadline = PollDeadline(seconds: 60)
        try #require(try deadline.poll(watch.errorPipe, for: POLLIN))
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(watch.errorPipe, &bytes, bytes.count)
        let said = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        #expect(said.hasPrefix("There is no receiver.") || isLate, "\(said)")
        watch.signal(SIGTERM)
        let status = try watch.wait(seconds: 60)
        #expect(status == .exited(143) || isLate && status == .exited(3), "\(said)")
        try daemon.stop()
    }

    @Test func `the configuration's mistakes are reported with their place`() throws {
        let file = try directory.write("waymark.conf", "[Receiver]\nGPDS=localhost:2947\n")
        let check = try waymark(["config", "check", file])
        #expect(check.status == .exited(1))
        #expect(check.output.hasPrefix("\(file):2: "))
        #expect(try waymark(["config", "example"]).output.contains("[Receiver]"))
    }
}

import Glibc
import Interfaces
import Platform
import TestSupport
import Testing
import Varlink

/// What operators decide with the command line, at a real daemon with manifests of the test's own.
@Suite struct DecisionCommandTests {
    private let apps: TestApps

    init() throws {
        apps = try TestApps()
        try apps.add("trailmap", name: "Trail Map", program: "/usr/bin/trailmap", "Name[ko]=등산 지도")
        try apps.directory.write("apps/station.app", "[App]\nName=Station\nUnit=station.service\n")
    }

    private func start() throws -> DaemonProcess {
        try DaemonProcess(in: apps.directory, configuration: apps.configuration())
    }

    /// Runs the command line against a daemon, to its end.
    private func waymark(
        _ daemon: DaemonProcess, _ arguments: String..., locale: String = "C.UTF-8"
    ) throws -> CompletedProcess {
        let process = try CompletedProcess.run(
            try Products.program("waymark"), arguments,
            environment: [
                "PATH": "/usr/bin:/bin", "WAYMARK_SOCKET": daemon.socketPath, "LC_ALL": locale,
                "HOME": daemon.directory.path,
            ], seconds: 45)
        try #require(!process.timedOut, "\(arguments) took too long: \(process.error)")
        return process
    }

    @Test func `a decision is said, listed, explained and forgotten`() throws {
        let daemon = try start()
        #expect(try waymark(daemon, "apps").output.contains("trailmap  -     not used yet"))
        let allowed = try waymark(daemon, "authorize", "trailmap", "while-using", "--reduced", "--user", "nobody")
        #expect(allowed.status == .exited(0), "\(allowed.error)")
        #expect(
            allowed.output == "trailmap of nobody may have positions while it is in use, at reduced accuracy.\n")
        let table = try waymark(daemon, "apps").output
        #expect(table.contains("trailmap  nobody  while using"), "\(table)")
        let detail = try waymark(daemon, "apps", "trailmap").output
        #expect(detail.hasPrefix("Trail Map (trailmap) of nobody\n"))
        #expect(detail.contains("by operator root") && detail.contains("apps/trailmap.app"))
        // Its only user is meant, and the accuracy stays.
        let always = try waymark(daemon, "authorize", "trailmap", "always", "--json")
        let app = try #require(KnownApp(try JSON.parse(Array(always.output.utf8))))
        #expect(app.permission == .always && app.accuracy == .reduced)
        #expect(
            try waymark(daemon, "reset", "trailmap").output
                == "Nothing is decided for trailmap of nobody: it may ask.\n")
        #expect(try waymark(daemon, "reset", "--all").status == .exited(2), "nobody can be asked here")
        try #require(try waymark(daemon, "authorize", "station", "deny").status == .exited(0))
        #expect(try waymark(daemon, "reset", "--all", "--yes").output == "Forgot what was decided for 1 app.\n")
        let log = try waymark(daemon, "log", "--kind", "authorizationChanged").output
        #expect(log.contains("trailmap of nobody: while using, reduced accuracy, by operator root"), "\(log)")
        #expect(log.contains("station of root: denied, by operator root"))
    }

    @Test func `what the daemon refuses is told with what to type instead`() throws {
        let daemon = try start()
        let misspelt = try waymark(daemon, "authorize", "trialmap", "always")
        #expect(misspelt.status == .exited(1) && misspelt.error.contains("Did you mean trailmap?"), "\(misspelt.error)")
        #expect(try waymark(daemon, "apps", "trialmap").error.contains("Did you mean trailmap?"))
        let unused = try waymark(daemon, "authorize", "trailmap", "always", "--precise")
        #expect(unused.error.contains("waymark authorize trailmap always --precise --user NAME"), "\(unused.error)")
        for user in ["nobody", "games"] {
            try #require(try waymark(daemon, "authorize", "trailmap", "deny", "--user", user).status == .exited(0))
        }
        let several = try waymark(daemon, "authorize", "trailmap", "always", "--json")
        #expect(several.status == .exited(1))
        let error = try JSON.parse(Array(several.output.utf8))
        #expect(error["error"]?.stringValue == ErrorName.userNeeded.rawValue)
        #expect(error["message"]?.stringValue?.contains("games, nobody") == true, "\(error)")
        #expect(
            try waymark(daemon, "authorize", "trailmap", "deny", "--user", "no-such").error.contains("no user no-such"))
        #expect(try waymark(daemon, "authorize", "trailmap", "sometimes").status == .exited(2))
        #expect(try waymark(daemon, "answer", "7", "deny").error.contains("There is no request 7"))
        try apps.restrict("[Restrictions]\nDenyApps=station\n")
        #expect(
            try eventually {
                try waymark(daemon, "authorize", "station", "always").status == .exited(4)
            })
        #expect(try waymark(daemon, "apps", "station").output.contains("→ waymark restrictions"))
    }

    @Test func `services are off and on again, and the doctor says so`() throws {
        let daemon = try start()
        #expect(try waymark(daemon, "services").output.hasPrefix("Location services are on"))
        #expect(try waymark(daemon, "services", "off").output.contains("until `waymark services on`"))
        #expect(try waymark(daemon, "services", "--json").output == "{\"servicesEnabled\":false}\n")
        #expect(try waymark(daemon, "apps").output.hasPrefix("Location services are off"))
        let denied = try waymark(daemon, "authorize", "station", "always").output
        #expect(denied.contains("Not now: Location services are off"))
        let doctor = try waymark(daemon, "doctor", "--timeout", "1").output
        #expect(doctor.contains("location services are off"), "\(doctor)")
        #expect(try waymark(daemon, "services", "on").status == .exited(0))
        #expect(try waymark(daemon, "log", "--kind", "servicesOff").output.contains("by operator root"))
    }

    @Test func `locking and a new offset are for operators, and asked about where nobody can take them back`() throws {
        let daemon = try start()
        #expect(
            try waymark(daemon, "lock", "--user", "nobody").output.hasPrefix("The screen of nobody counts as locked"))
        #expect(try waymark(daemon, "unlock", "--user", "nobody").status == .exited(0))
        #expect(try waymark(daemon, "lock").status == .exited(0), "an operator's own, though no agent")
        #expect(try waymark(daemon, "unlock").status == .exited(0))
        #expect(try waymark(daemon, "log", "--kind", "userLocked").output.contains("nobody"))
        #expect(try waymark(daemon, "reduced", "rotate").status == .exited(2))
        #expect(try waymark(daemon, "reduced", "rotate", "--yes").status == .exited(0))
    }

    @Test func `mistakes in manifests are told beside the table`() throws {
        try apps.directory.write("apps/broken.app", "[App]\nName=Broken\nExec=not/absolute\n")
        let daemon = try start()
        let listed = try waymark(daemon, "apps")
        #expect(listed.status == .exited(0))
        #expect(listed.error.contains("broken.app:3: error: Exec") && listed.error.contains("waymark manifest check"))
        let checked = try waymark(daemon, "manifest", "check", apps.directory.file("apps/broken.app"), "--json")
        #expect(checked.status == .exited(1))
        let finding = try JSON.parse(Array(checked.output.split(separator: "\n")[0].utf8))
        #expect(finding["severity"] == "error" && finding["line"] == 3 && finding["key"] == "Exec")
        let good = try waymark(daemon, "manifest", "check", apps.directory.file("apps/trailmap.app"))
        #expect(good.status == .exited(0) && good.output.contains("warning"), "warnings are no failure")
    }

    @Test func `without requests and without positions it is said that there are none`() throws {
        let daemon = try start()
        let requests = try waymark(daemon, "requests")
        #expect(requests.output.isEmpty && requests.error == "No app asks for anything.\n")
        let report = try waymark(daemon, "report")
        #expect(report.status == .exited(0) && report.error.contains("Nobody got a position"), "\(report.error)")
        #expect(try waymark(daemon, "report", "--json").output.isEmpty)
    }

    @Test func `who saw positions is reported with the daemon that stopped before its hour had ended`() throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address)
        let watched = try waymark(daemon, "watch", "-n", "3", "--json")
        try #require(watched.status == .exited(0), "\(watched.error)")
        let now = try JSON.parse(Array(try waymark(daemon, "report", "--json").output.dropLast().utf8))
        #expect(try #require(now["seen"]?.integerValue) >= 3, "what was seen just now is missing")
        #expect(now["uid"]?.integerValue == Int64(geteuid()), "\(now)")
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        let report = try waymark(daemon, "report", "--json")
        let row = try JSON.parse(Array(report.output.dropLast().utf8))
        #expect(row["isOperator"] == true && row["app"] == nil, "\(report.output)")
        #expect(try #require(row["seen"]?.integerValue) >= 3)
        #expect(row["reduced"] == 0 && row["inBackground"] == 0)
        let table = try waymark(daemon, "report", "--since", "-2h").output
        #expect(table.contains("none needed: an operator"), "\(table)")
        #expect(try waymark(daemon, "report", "--until", "-2h").output.isEmpty)
        #expect(try waymark(daemon, "report", "--app", "trailmap").output.isEmpty)
        let log = try waymark(daemon, "log", "--kind", "positionsSeen").output
        #expect(log.contains("in an hour, as an operator"), "\(log)")
    }

    @Test(.enabled(if: TemporaryControlGroup.hierarchy != nil, "no control group can be made here"))
    func `what an app asks is answered from the command line`() throws {
        let program = try apps.program("asker")
        // A system service that counts as in use as it runs: so it is on every machine, whoever is logged in.
        try apps.directory.write(
            "apps/asker.app",
            """
            [App]
            Name=Asker
            Name[ko]=묻는이
            Unit=asker-of-the-test.service
            AlwaysInUse=yes
            WhenInUseUsageDescription=Shows where it is.
            WhenInUseUsageDescription[ko]=지도에 표시합니다.
            """)
        let daemon = try start()
        let group = try TemporaryControlGroup("/system.slice/asker-of-the-test.service")
        let client = try AppClient(program, to: daemon.socketPath)
        try group.write("\(client.processID)", to: "cgroup.procs")
        let told = AppAuthorization(
            try #require(try client.call(LocationMethod.requestWhenInUse.rawValue).parameters["authorization"]))
        try #require(told?.diagnostics.contains("agentUnavailable") == true, "\(told as Any)")
        let requests = try waymark(daemon, "requests", locale: "ko_KR.UTF-8").output
        #expect(requests.contains("묻는이 (asker) of root asks for positions while it is used."), "\(requests)")
        #expect(requests.contains("“지도에 표시합니다.”") && requests.contains("no agent shows it, proof: unit"))
        #expect(requests.contains("→ waymark answer 1 while-using --precise"))
        #expect(try waymark(daemon, "doctor", "--timeout", "1").output.contains("1 request (asker) waits"))
        let object = try JSON.parse(Array(try waymark(daemon, "requests", "--json").output.dropLast().utf8))
        let number = try #require(OpenRequest(object)?.question.id)
        let wrong = try waymark(daemon, "answer", "\(number)", "always")
        #expect(wrong.status == .exited(2))
        #expect(wrong.error.contains("This request takes once, while-using or deny."), "\(wrong.error)")
        let answered = try waymark(daemon, "answer", "\(number)", "while-using", "--reduced")
        #expect(
            answered.output == "asker of root may have positions while it is in use, at reduced accuracy.\n")
        #expect(try waymark(daemon, "answer", "\(number)", "deny").status == .exited(1))
        #expect(try waymark(daemon, "requests").output.isEmpty)
        let log = try waymark(daemon, "log", "--kind", "authorizationAnswered").output
        #expect(log.contains("asker of root: positions while in use: allowed while using"), "\(log)")
        // The group can be removed once nothing is in it.
        try client.kill()
        withExtendedLifetime(group) {}
    }
}

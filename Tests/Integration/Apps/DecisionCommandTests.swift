import Glibc
import Interfaces
import JSONText
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// The decisions of operators by the command line, at a real daemon with manifests of the test.
@Suite(.waits) struct DecisionCommandTests {
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
    @Test func `a decision is printed, listed, explained and deleted`() throws {
        let daemon = try start()
        #expect(try daemon.waymark("apps").output.contains("trailmap  -     not used yet"))
        let allowed = try daemon.waymark("authorize", "trailmap", "while-using", "--reduced", "--user", "nobody")
        #expect(allowed.status == .exited(0), "\(allowed.error)")
        #expect(
            allowed.output == "trailmap of nobody may have positions while it is in use, at reduced accuracy.\n")
        let table = try daemon.waymark("apps").output
        #expect(table.contains("trailmap  nobody  while using"), "\(table)")
        let detail = try daemon.waymark("apps", "trailmap").output
        #expect(detail.hasPrefix("Trail Map (trailmap) of nobody\n"))
        #expect(detail.contains("by operator root") && detail.contains("apps/trailmap.app"))
        // Its only user is meant, and the accuracy stays.
        let always = try daemon.waymark("authorize", "trailmap", "always", "--json")
        let app = try #require(KnownApp(try JSON.parse(Array(always.output.utf8))))
        #expect(app.permission == .always && app.accuracy == .reduced)
        #expect(
            try daemon.waymark("reset", "trailmap").output
                == "Nothing is decided for trailmap of nobody: it may make a request.\n")
        #expect(try daemon.waymark("reset", "--all").status == .exited(2), "nobody can be asked here")
        try #require(try daemon.waymark("authorize", "station", "deny").status == .exited(0))
        #expect(try daemon.waymark("reset", "--all", "--yes").output == "Erased the decisions for 1 app.\n")
        let log = try daemon.waymark("log", "--kind", "authorizationChanged").output
        #expect(log.contains("trailmap of nobody: while using, reduced accuracy, by operator root"), "\(log)")
        #expect(log.contains("station of root: denied, by operator root"))
    }

    @Test func `a refusal of the daemon names the command to use instead`() throws {
        let daemon = try start()
        let misspelt = try daemon.waymark("authorize", "trialmap", "always")
        #expect(misspelt.status == .exited(1) && misspelt.error.contains("Did you mean trailmap?"), "\(misspelt.error)")
        #expect(try daemon.waymark("apps", "trialmap").error.contains("Did you mean trailmap?"))
        let unused = try daemon.waymark("authorize", "trailmap", "always", "--precise")
        #expect(unused.error.contains("waymark authorize trailmap always --precise --user NAME"), "\(unused.error)")
        for user in ["nobody", "games"] {
            try #require(try daemon.waymark("authorize", "trailmap", "deny", "--user", user).status == .exited(0))
        }
        let several = try daemon.waymark("authorize", "trailmap", "always", "--json")
        #expect(several.status == .exited(1))
        let error = try JSON.parse(Array(several.output.utf8))
        #expect(error["error"]?.stringValue == ErrorName.manageUserNeeded.rawValue)
        #expect(error["message"]?.stringValue?.contains("games, nobody") == true, "\(error)")
        #expect(
            try daemon.waymark("authorize", "trailmap", "deny", "--user", "no-such").error.contains("no user no-such"))
        #expect(try daemon.waymark("authorize", "trailmap", "sometimes").status == .exited(2))
        #expect(try daemon.waymark("answer", "7", "deny").error.contains("There is no request 7"))
        try apps.restrict("[Restrictions]\nDenyApps=station\n")
        #expect(
            try eventually {
                try daemon.waymark("authorize", "station", "always").status == .exited(4)
            })
        #expect(try daemon.waymark("apps", "station").output.contains("→ waymark restrictions"))
    }

    @Test func `services are off and on again, and the doctor reports it`() throws {
        let daemon = try start()
        #expect(try daemon.waymark("services").output.hasPrefix("Location services are on"))
        #expect(try daemon.waymark("services", "off").output.contains("until `waymark services on`"))
        #expect(try daemon.waymark("services", "--json").output == "{\"servicesEnabled\":false}\n")
        #expect(try daemon.waymark("apps").output.hasPrefix("Location services are off"))
        let denied = try daemon.waymark("authorize", "station", "always").output
        #expect(denied.contains("Not now: Location services are off"))
        let doctor = try daemon.waymark("doctor", "--timeout", "1").output
        #expect(doctor.contains("location services are off"), "\(doctor)")
        #expect(try daemon.waymark("services", "on").status == .exited(0))
        #expect(try daemon.waymark("log", "--kind", "servicesOff").output.contains("by operator root"))
    }

    @Test func `locking and a new offset are for operators, and need confirmation if they cannot be undone`() throws {
        let daemon = try start()
        #expect(
            try daemon.waymark("screen", "lock", "--user", "nobody").output.hasPrefix(
                "The screen of nobody counts as locked"))
        #expect(try daemon.waymark("screen", "unlock", "--user", "nobody").status == .exited(0))
        #expect(try daemon.waymark("screen", "lock").status == .exited(0), "an operator's own, though no agent")
        #expect(try daemon.waymark("screen", "unlock").status == .exited(0))
        #expect(try daemon.waymark("log", "--kind", "userLocked").output.contains("nobody"))
        #expect(try daemon.waymark("reduced", "rotate").status == .exited(2))
        #expect(try daemon.waymark("reduced", "rotate", "--yes").status == .exited(0))
    }

    @Test func `mistakes in manifests are listed beside the table`() throws {
        try apps.directory.write("apps/broken.app", "[App]\nName=Broken\nExec=not/absolute\n")
        let daemon = try start()
        let listed = try daemon.waymark("apps")
        #expect(listed.status == .exited(0))
        #expect(listed.error.contains("broken.app:3: error: Exec") && listed.error.contains("waymark manifest check"))
        let checked = try daemon.waymark("manifest", "check", apps.directory.file("apps/broken.app"), "--json")
        #expect(checked.status == .exited(1))
        let finding = try JSON.parse(Array(checked.output.split(separator: "\n")[0].utf8))
        #expect(finding["severity"] == "error" && finding["line"] == 3 && finding["key"] == "Exec")
        let good = try daemon.waymark("manifest", "check", apps.directory.file("apps/trailmap.app"))
        #expect(good.status == .exited(0) && good.output.contains("warning"), "warnings are no failure")
    }

    @Test func `without requests and without positions there is a message`() throws {
        let daemon = try start()
        let requests = try daemon.waymark("requests")
        #expect(requests.output.isEmpty && requests.error == "There are no requests.\n")
        let report = try daemon.waymark("report")
        #expect(report.status == .exited(0) && report.error.contains("Nobody got a position"), "\(report.error)")
        #expect(try daemon.waymark("report", "--json").output.isEmpty)
    }

    @Test func `the report includes positions seen in the unfinished hour before the daemon stopped`() throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address)
        let watched = try daemon.waymark("watch", "-n", "3", "--json")
        try #require(watched.status == .exited(0), "\(watched.error)")
        let now = try JSON.parse(Array(try daemon.waymark("report", "--json").output.dropLast().utf8))
        #expect(try #require(now["seen"]?.integerValue) >= 3, "the latest seen positions are missing")
        #expect(now["uid"]?.integerValue == Int64(geteuid()), "\(now)")
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        let report = try daemon.waymark("report", "--json")
        let row = try JSON.parse(Array(report.output.dropLast().utf8))
        #expect(row["isOperator"] == true && row["app"] == nil, "\(report.output)")
        #expect(try #require(row["seen"]?.integerValue) >= 3)
        #expect(row["reduced"] == 0 && row["inBackground"] == 0)
        let table = try daemon.waymark("report", "--since", "-2h").output
        #expect(table.contains("none needed: an operator"), "\(table)")
        #expect(try daemon.waymark("report", "--until", "-2h").output.isEmpty)
        #expect(try daemon.waymark("report", "--app", "trailmap").output.isEmpty)
        let log = try daemon.waymark("log", "--kind", "positionsSeen").output
        #expect(log.contains("in an hour, as an operator"), "\(log)")
    }

    @Test(.enabled(if: TemporaryControlGroup.hierarchy != nil, "no control group can be made here"))
    func `a request of an app is answered from the command line`() throws {
        let program = try apps.program("asker")
        // A system service that counts as in use while it runs: this works on every machine, whoever is logged in.
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
        let reported = AppAuthorization(
            try #require(
                try client.call(LocationInterface.Method.requestWhenInUse.rawValue).parameters["authorization"]))
        try #require(reported?.diagnostics.contains("agentUnavailable") == true, "\(reported as Any)")
        let requests = try daemon.waymark("requests", locale: "ko_KR.UTF-8").output
        #expect(requests.contains("묻는이 (asker) of root asks for positions while it is used."), "\(requests)")
        #expect(requests.contains("“지도에 표시합니다.”") && requests.contains("no agent shows it, proof: unit"))
        #expect(requests.contains("→ waymark answer 1 while-using --precise"))
        #expect(try daemon.waymark("doctor", "--timeout", "1").output.contains("1 request (asker) waits"))
        let object = try JSON.parse(Array(try daemon.waymark("requests", "--json").output.dropLast().utf8))
        let number = try #require(OpenRequest(object)?.question.id)
        let wrong = try daemon.waymark("answer", "\(number)", "always")
        #expect(wrong.status == .exited(2))
        #expect(wrong.error.contains("The choices of this request are once, while-using or deny."), "\(wrong.error)")
        let answered = try daemon.waymark("answer", "\(number)", "while-using", "--reduced")
        #expect(
            answered.output == "asker of root may have positions while it is in use, at reduced accuracy.\n")
        #expect(try daemon.waymark("answer", "\(number)", "deny").status == .exited(1))
        #expect(try daemon.waymark("requests").output.isEmpty)
        let log = try daemon.waymark("log", "--kind", "authorizationAnswered").output
        #expect(log.contains("asker of root: positions while in use: allowed while using"), "\(log)")
        // The group can be removed once nothing is in it.
        try client.kill()
        withExtendedLifetime(group) {}
    }
}

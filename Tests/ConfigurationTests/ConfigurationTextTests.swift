import TestSupport
import Testing

@testable import Configuration

/// Problems of one file, line by line.
@Suite struct ConfigurationTextTests {
    private func problems(_ text: String) -> [String] {
        Configuration(reading: Array(text.utf8), as: "f").problems.map(\.description)
    }

    @Test func `every setting is read into its property`() throws {
        let text = """
            [Receiver]
            GPSD=unix:/run/gpsd.sock
            Simulated=on
            StaleAfter=1min 30s
            ReleaseAfter=0
            MaximumSpeed=90
            SystemTimestamps=never
            Power=continuous
            [Regions]
            PendingEvents=500
            UndecidedAfter=1min
            [Waking]
            WakesPerHour=30
            WakesAtOnce=8
            AttachWithin=1min
            [Socket]
            Path=/run/other.sock
            Mode=660
            MaximumConnections=100
            MaximumConnectionsPerUser=10
            [Journal]
            StateDirectory=/srv/waymark
            CommitInterval=250ms
            MaximumAge=2h
            MaximumSize=64M
            OperatorMaximumAge=10d
            OperatorMaximumSize=2M
            [Recording]
            KeepAcknowledged=1d
            MaximumAge=30d
            MaximumSize=2G
            [Protection]
            MachineSecret=/srv/secret
            LockAfter=15min
            LockWhenIdle=5min
            LockAtLogout=no
            LockWithScreen=yes
            [Authorization]
            OperatorGroup=adm
            MinimumAssurance=unit
            Manifests=/srv/apps /opt/apps
            PersonalManifests=no
            RemovedUsersRetention=2d
            Restrictions=/srv/restrictions
            Agents=own /opt/agent
            [Reachability]
            Settle=0
            MaximumSettle=10s
            GatewayPatience=1min
            Expensive=wwan* usb0
            Constrained=wl?0
            UltraConstrained=sat*
            NetworkManager=no
            Resolver=/opt/resolver
            [Log]
            Level=debug
            """
        let configuration = Configuration(reading: Array(text.utf8), as: "f")
        var expected = Settings()
        expected.receiver.gpsd = .unix(path: "/run/gpsd.sock")
        expected.receiver.isSimulated = true
        expected.receiver.staleAfter = .seconds(90)
        expected.receiver.releaseAfter = .zero
        expected.receiver.maximumSpeed = 90
        expected.receiver.systemTimestamps = .never
        expected.receiver.power = .continuous
        expected.regions.pendingEvents = 500
        expected.regions.undecidedAfter = .seconds(60)
        expected.waking.perHour = 30
        expected.waking.burst = 8
        expected.waking.attachWithin = .seconds(60)
        expected.socket.path = "/run/other.sock"
        expected.socket.mode = 0o660
        expected.socket.maximumConnections = 100
        expected.socket.maximumConnectionsPerUser = 10
        expected.journal.stateDirectory = "/srv/waymark"
        expected.journal.commitInterval = .milliseconds(250)
        expected.journal.maximumAge = .seconds(7_200)
        expected.journal.maximumSize = 64 << 20
        expected.journal.operatorMaximumAge = .seconds(864_000)
        expected.journal.operatorMaximumSize = 2 << 20
        expected.recording.keepAcknowledged = .seconds(86_400)
        expected.recording.maximumAge = .seconds(30 * 86_400)
        expected.recording.maximumSize = 2 << 30
        expected.protection.machineSecret = "/srv/secret"
        expected.protection.lockAfter = .seconds(900)
        expected.protection.lockWhenIdle = .seconds(300)
        expected.protection.locksAtLogout = false
        expected.protection.locksWithScreen = true
        expected.authorization.operatorGroup = "adm"
        expected.authorization.minimumAssurance = .unit
        expected.authorization.removedUsersRetention = .seconds(172_800)
        expected.authorization.manifests = ["/srv/apps", "/opt/apps"]
        expected.authorization.personalManifests = .no
        expected.authorization.restrictions = "/srv/restrictions"
        expected.authorization.agents = ["own", "/opt/agent"]
        expected.reachability.settle = .zero
        expected.reachability.maximumSettle = .seconds(10)
        expected.reachability.gatewayPatience = .seconds(60)
        expected.reachability.expensive = [
            try InterfacePattern(parsing: "wwan*"), try InterfacePattern(parsing: "usb0"),
        ]
        expected.reachability.constrained = [try InterfacePattern(parsing: "wl?0")]
        expected.reachability.ultraConstrained = [try InterfacePattern(parsing: "sat*")]
        expected.reachability.queriesNetworkManager = false
        expected.reachability.resolver = .program(path: "/opt/resolver")
        expected.log.level = .debug
        #expect(configuration.problems == [])
        #expect(configuration.settings == expected)
        #expect(configuration.settings.changes(from: Settings()).count == Settings.table.rows.count)
    }

    @Test(arguments: ["\n", "\r\n"])
    func `lines are counted through comments, blank lines and both line ends`(end: String) {
        var lines = ["\u{FEFF}# first"]
        lines += (2...5_000).map { $0.isMultiple(of: 3) ? "" : "  ; " + String(repeating: "x", count: $0 % 300) }
        lines += ["[Receiver]", "GPDS=none", "", "  # more", "\tStaleAfter = 5x \t", "nonsense", "[Log]", "Level=warn"]
        #expect(
            problems(lines.joined(separator: end)) == [
                "f:5002: [Receiver] GPDS: unknown setting. Did you mean GPSD?",
                "f:5005: [Receiver] StaleAfter: “5x” is not a duration: the units are ms, s, min, h and d. "
                    + "Allowed: a duration from 1s to 1h, in ms, s, min, h or d, as in 1min 30s",
                "f:5006: this is neither KEY=VALUE nor [SECTION] nor a comment",
                "f:5008: [Log] Level: “warn” is no log level. Did you mean warning? "
                    + "Allowed: error, warning, notice, info or debug",
            ])
    }

    @Test(arguments: [
        ("[Reciever]\nGPSD=none\n[Log]\nLevel=info", "f:1: [Reciever]: unknown section. Did you mean [Receiver]?"),
        (
            "[Upload]\nX=1",
            "f:1: [Upload]: unknown section. "
                + "The sections are [Receiver], [Socket], [Journal], [Recording], [Protection], [Regions], [Waking], [Authorization], [Reachability], [Log]"
        ),
        ("[ Log ]\nLevel=info", "f:1: [ Log ]: unknown section. Did you mean [Log]?"),
        ("GPSD=none", "f:1: GPSD: is before the first [SECTION]. It belongs into [Receiver]"),
        ("[Log]\nGPSD=none", "f:2: [Log] GPSD: unknown setting. It belongs into [Receiver]"),
        ("[Log]\nColour=1", "f:2: [Log] Colour: unknown setting. [Log] has Level"),
        ("[Log]\n=5", "f:2: there is no key before the ="),
        ("[Log]\nLevel", "f:2: this is neither KEY=VALUE nor [SECTION] nor a comment"),
        ("[Log]\nLevel: info", "f:2: a colon does not separate a key from its value. Write KEY=VALUE"),
        ("[Log\nLevel=info", "f:1: a section is [NAME] and nothing else on its line"),
        ("[Log] Level=info", "f:1: a section is [NAME] and nothing else on its line"),
        ("[]\nLevel=info", "f:1: a section is [NAME] and nothing else on its line"),
        (
            "[Log]\nLevel=info ; as ever",
            "f:2: a comment does not end a line with something else. Give it a line of its own"
        ),
        (
            "[Log] # as ever\nLevel=info",
            "f:1: a comment does not end a line with something else. Give it a line of its own"
        ),
        (
            "[Log]\nLevel=info\n\nLevel=info",
            "f:4: [Log] Level: is set for the second time: it was in line 2. Remove one"
        ),
        (
            "[Log]\nLevel=info\n[Socket]\n[Log]\nLevel=debug",
            "f:5: [Log] Level: is set for the second time: it was in line 2. Remove one"
        ),
        ("[Log]\rLevel=info", "f:1: there is a control character in this line"),
        ("[Log]\nLevel=\u{1B}[31m", "f:2: there is a control character in this line"),
        (
            "[Log]\nLevel=\u{202E}info",
            "f:2: [Log] Level: “\\u{202e}info” is no log level. Did you mean info? "
                + "Allowed: error, warning, notice, info or debug"
        ),
    ])
    func `a malformed line is reported with its place`(text: String, problem: String) {
        #expect(problems(text) == [problem])
    }

    @Test func `an indented line is a setting, not a continuation`() {
        let configuration = Configuration(reading: Array("[Socket]\nMode=600\n  Path=/a".utf8), as: "f")
        #expect(configuration.problems == [])
        #expect(configuration.settings.socket.path == "/a")
    }

    @Test func `a setting may be as long as inih accepts, and a comment longer`() {
        let longest = "StateDirectory=/" + String(repeating: "a", count: 181)
        let fitting = Configuration(reading: Array("#\(longest)a\n[Journal]\n\(longest)".utf8), as: "f")
        #expect(fitting.problems == [])
        #expect(fitting.settings.journal.stateDirectory.utf8.count == 182)
        #expect(
            problems("[Journal]\n\(longest)a\nX=") == [
                "f:2: the line has 198 bytes; 197 are allowed (comments may be longer)",
                "f:3: [Journal] X: unknown setting. "
                    + "[Journal] has StateDirectory, CommitInterval, MaximumAge, MaximumSize, "
                    + "OperatorMaximumAge, OperatorMaximumSize",
            ])
    }

    @Test(arguments: ["nonsense\n", "[x]\n", "=\n", "[Log]\nx=\n", "[\nx=\n"])
    func `a hundred problems of a file are listed, and the others counted`(lines: String) {
        let count = 100_000 / lines.utf8.count
        let found = problems(String(repeating: lines, count: count))
        #expect(found.count == 101)
        #expect(found.last == "f: \(count - 100) more problems in this file are not listed")
    }

    @Test func `the example file changes nothing, even with every setting uncommented`() {
        let example = Configuration.exampleFile
        let asItIs = Configuration(reading: Array(example.utf8), as: "f")
        #expect(asItIs.problems == [])
        #expect(asItIs.settings == Settings())

        let lines = example.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            Settings.table.rows.contains { line.hasPrefix("#\($0.key)=") } ? line.dropFirst() : line
        }
        let taken = Configuration(reading: Array(lines.joined(separator: "\n").utf8), as: "f")
        #expect(taken.problems == [])
        #expect(taken.settings == Settings())
        #expect(taken.source(of: \.log.level) != .builtIn)
        for setting in Settings.table.rows {
            #expect(Configuration.markdownTable.contains("`[\(setting.section)] \(setting.key)=`"))
            #expect(example.contains("# \(setting.documentation)\n"))
        }
    }

    @Test func `random bytes are read or reported, and nothing else happens`() {
        var random = SeededGenerator()
        let pieces = [
            "[Receiver]", "[Log]", "[", "]", "GPSD", "=", "=", ":", "\n", "\n", "\r\n", ";", "#", " ", "\t", "Level",
            "info", "none", "5s", "\u{FEFF}", "\u{0}", "é", "Path=/a",
        ].map { Array($0.utf8) }
        for round in 0..<3_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...60, using: &random) {
                if round.isMultiple(of: 2), let piece = pieces.randomElement(using: &random) {
                    bytes += piece
                } else {
                    bytes.append(UInt8.random(in: 0...255, using: &random))
                }
            }
            let configuration = Configuration(reading: bytes, as: "f")
            let lines = configuration.problems.compactMap(\.line)
            #expect(lines == lines.sorted())
            #expect(
                lines.allSatisfy { $0 >= 1 && $0 <= bytes.split(separator: 10, omittingEmptySubsequences: false).count }
            )
            #expect(configuration.problems.allSatisfy { !$0.description.contains { $0.isNewline } })
        }
    }
}

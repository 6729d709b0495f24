import CommandLineKit
import Interfaces
import Location
import Manifests
import NetworkPaths
import Testing
import Varlink
import Waymark

@testable import Commands

@Suite struct DiagnosisTests {
    /// Facts of a machine where all is well, changed by the body.
    private static func facts(_ change: (inout DoctorFacts) -> Void = { _ in }) -> DoctorFacts {
        var facts = DoctorFacts()
        facts.daemon = .answers(status())
        facts.gpsd = .answers(version: "3.22", devices: ["/dev/ttyACM0"])
        facts.deviceFiles = [("/dev/ttyACM0", .usable)]
        facts.listening = DoctorFacts.Listening(
            positionOffset: -0.2, accuracy: 3, signals: [45, 44, 40, 38, 30], reports: 20, seconds: 2)
        change(&facts)
        return facts
    }

    private static func status(_ change: (inout DaemonStatus) -> Void = { _ in }) -> DaemonStatus {
        var status = DaemonStatus()
        status.version = WaymarkVersion.text
        status.protocol = Int64(WaymarkVersion.protocolNumber)
        status.health = "ok"
        status.receiver.gpsd = "localhost:2947"
        status.receiver.state = .watching
        status.receiver.devices = [
            .init(path: "/dev/ttyACM0", isActive: true, isStale: false, hasReportedPositions: true)
        ]
        status.journal.state = .running
        change(&status)
        return status
    }

    /// The same without a position.
    private static func lost(_ change: (inout DoctorFacts) -> Void) -> DoctorFacts {
        facts {
            $0.listening?.positionOffset = nil
            $0.listening?.accuracy = nil
            change(&$0)
        }
    }

    @Test func `where all is well every finding is good`() {
        let diagnosis = Diagnosis(facts: Self.facts())
        #expect(diagnosis.findings.map(\.subject) == ["Daemon", "gpsd", "Data", "Satellites", "Position"])
        #expect(diagnosis.findings.allSatisfy { $0.severity == .good && $0.advice == nil })
        #expect(diagnosis.code == .success)
    }

    @Test(arguments: [
        (WaymarkVersion.protocolNumber - 1, "older", "Update the daemon"),
        (WaymarkVersion.protocolNumber + 1, "newer", "Update the program"),
    ])
    func `a daemon of another protocol is reported, but not as a reason for a missing position`(
        number: Int, word: String, advice: String
    ) {
        let info = ServiceInfo(
            vendor: "Waymark", product: "waymarkd", version: "7.0", url: "https://varlink.org", protocolNumber: number)
        let diagnosis = Diagnosis(
            facts: Self.facts {
                $0.daemon = .refusesStatus
                $0.release = DaemonRelease(info)
            })
        let finding = diagnosis.findings.first { $0.subject == "Release" }
        #expect(finding?.severity == .note && finding?.advice?.hasPrefix(advice) == true)
        #expect(
            finding?.text == "the daemon, 7.0 (protocol \(number)), is \(word) than this program,"
                + " \(WaymarkVersion.described). Features that only one of them supports do not work.")
        #expect(diagnosis.code == .success)
    }

    @Test(
        arguments: [
            (.satisfied, nil, nil), (.unsatisfied, nil, "unsatisfied: no route leads there."),
            (nil, "the sockets could not be opened", "its state is incomplete: the sockets could not be opened."),
        ] as [(NetworkPath.Status?, String?, String?)]) func `without a network a position is known all the same`(
            status: NetworkPath.Status?, problem: String?, text: String?
        )
    {
        let facts = Self.facts {
            $0.daemon = .answers(
                Self.status { daemon in
                    var network = DaemonStatus.Network()
                    network.status = status
                    network.reason = status == .unsatisfied ? "noRoute" : nil
                    network.problem = problem
                    daemon.network = network
                })
        }
        let diagnosis = Diagnosis(facts: facts)
        let finding = diagnosis.findings.first { $0.subject == "Network" }
        #expect(finding?.text == text)
        #expect(finding?.severity != .problem)
        #expect(diagnosis.code == .success)
    }

    struct Case: Sendable, CustomStringConvertible {
        let description: String
        let facts: DoctorFacts
        let subject: String
        let text: String
        let advice: String
        var code = ExitCode.noPosition
    }

    static let cases = [
        Case(
            description: "no socket",
            facts: facts {
                $0.daemon = .noSocket; $0.listening = nil
            }, subject: "Daemon",
            text: "there is no socket", advice: "systemctl enable --now waymark.socket", code: .notRunning),
        Case(
            description: "nobody listens",
            facts: facts {
                $0.daemon = .nobodyListens; $0.listening = nil
            },
            subject: "Daemon", text: "no program listens", advice: "journalctl", code: .notRunning),
        Case(
            description: "no permission",
            facts: facts {
                $0.daemon = .noPermission; $0.listening = nil
            },
            subject: "Daemon", text: "may not connect", advice: "ls -ld", code: .notAuthorized),
        Case(
            description: "no gpsd", facts: lost { $0.gpsd = .refused }, subject: "gpsd", text: "does not run",
            advice: "systemctl enable --now gpsd.socket"),
        Case(
            description: "gpsd not installed",
            facts: lost {
                $0.gpsd = .refused; $0.isGPSDInstalled = false
            },
            subject: "gpsd", text: "does not run", advice: "apt-get install gpsd"),
        Case(
            description: "gpsd elsewhere",
            facts: lost {
                $0.gpsd = .refused; $0.isGPSDLocal = false
            },
            subject: "gpsd", text: "does not run", advice: "on that machine, with -G"),
        Case(
            description: "a stranger", facts: lost { $0.gpsd = .stranger }, subject: "gpsd", text: "is not gpsd",
            advice: "GPSD="),
        Case(
            description: "no gpsd configured", facts: lost { $0.gpsd = .unconfigured }, subject: "gpsd",
            text: "none is configured", advice: "GPSD=localhost:2947"),
        Case(
            description: "gpsd without a device", facts: lost { $0.gpsd = .answers(version: "3.22", devices: []) },
            subject: "Receiver", text: "gpsd has none", advice: "`sudo systemctl restart gpsd`"),
        Case(
            description: "a removed device", facts: lost { $0.deviceFiles = [("/dev/ttyACM0", .missing)] },
            subject: "Receiver", text: "/dev/ttyACM0 does not exist any more", advice: "Plug it in again"),
        Case(
            description: "daemon gets through to no gpsd",
            facts: lost {
                $0.daemon = .answers(
                    status {
                        $0.receiver.state = .waiting
                        $0.receiver.reason = "refused"
                    })
            }, subject: "gpsd", text: "is not connected: refused", advice: "journalctl"),
        Case(
            description: "silence", facts: lost { $0.listening?.reports = 0 }, subject: "Data",
            text: "nothing came from the receiver", advice: "gpsmon"),
        Case(
            description: "a receiver that fell silent",
            facts: lost {
                $0.daemon = .answers(
                    status {
                        $0.receiver.devices = [
                            .init(path: "/dev/ttyS1", isActive: true, isStale: true, hasReportedPositions: true)
                        ]
                    })
            }, subject: "Data", text: "/dev/ttyS1 has fallen silent", advice: "Unplug"),
        Case(
            description: "a stalled connection",
            facts: lost {
                $0.daemon = .answers(
                    status {
                        $0.receiver.devices = [
                            .init(path: "/dev/ttyS1", isActive: true, isStale: true, hasReportedPositions: true)
                        ]
                        ($0.receiver.awaitsAnswer, $0.receiver.silence) = (true, 12)
                    })
            }, subject: "Data", text: "connection to gpsd is stalled: no data for 12 s",
            advice: "restart gpsd"),
        Case(
            description: "a receiver of ships' reports",
            facts: lost {
                $0.daemon = .answers(
                    status {
                        $0.receiver.devices = [
                            .init(path: "/dev/ttyS2", isActive: true, isStale: false, hasReportedPositions: false)
                        ]
                    })
            }, subject: "Data", text: "/dev/ttyS2 sends data, but none of its reports is about a position",
            advice: "AIS"),
        Case(
            description: "indoors", facts: lost { $0.listening?.signals = [18, 17, 30, 12] }, subject: "Satellites",
            text: "4 satellites seen, 1 with a sufficient signal; too weak", advice: "view of the sky"),
        Case(
            description: "no antenna", facts: lost { $0.listening?.signals = [0, 0] }, subject: "Satellites",
            text: "the antenna is not connected", advice: "view of the sky"),
        Case(
            description: "week rollover", facts: lost { $0.listening?.rejected = [.init("weekRollover", 12)] },
            subject: "Reports", text: "12 rejected: an impossible date", advice: "update the receiver's firmware"),
        Case(
            description: "a clock of 1970", facts: lost { $0.clockYear = 1970 }, subject: "Clock", text: "says 1970",
            advice: "timedatectl"),
    ]

    @Test(arguments: cases) func `the reason for missing positions is named, with the next step`(_ example: Case) throws
    {
        let diagnosis = Diagnosis(facts: example.facts)
        let problems = diagnosis.findings.filter { $0.severity == .problem }
        let finding = try #require(problems.first { $0.subject == example.subject }, "\(problems)")
        #expect(finding.text.contains(example.text))
        #expect(finding.advice?.contains(example.advice) == true)
        #expect(diagnosis.code == example.code)
        #expect(problems.last?.subject == "Position")
    }

    @Test func `a problem that does not prevent positions is a note`() {
        let facts = Self.facts {
            $0.listening?.positionOffset = 3_600
            $0.listening?.rejected = [.init("noAccuracy", 9), .init("noFix", 100), .init("noTime", 1)]
            $0.configurationProblems = ["waymark.conf:1: what is this?"]
            $0.daemon = .answers(
                Self.status {
                    $0.journal.state = .full
                    $0.journal.reason = "No space left on device"
                })
        }
        let diagnosis = Diagnosis(facts: facts)
        let notes = diagnosis.findings.filter { $0.severity == .note }
        #expect(notes.map(\.subject) == ["Configuration", "Reports", "Clock", "Journal"])
        #expect(!diagnosis.findings.contains { $0.severity == .problem })
        #expect(notes[2].text == "this machine's clock is 60 min behind the receiver's.")
        #expect(diagnosis.code == .success)
    }

    @Test func `reasons why apps get no positions are reported, but not as a reason for a missing position`() {
        var rules = RestrictionRules()
        rules.apply(Array("[Restrictions]\nDenyAll=perhaps\nForbidAlways=yes\n".utf8), path: "a.conf")
        let question = Question(
            id: 1, app: "map", kind: .whenInUse, name: TranslatedText("Map"), purpose: TranslatedText("Why."),
            choices: [.deny], proposesFullAccuracy: true)
        let facts = Self.facts {
            $0.areServicesEnabled = false
            $0.restrictions = rules
            $0.manifestProblems = [
                FileProblem(.error, file: "x.app", line: 3, "is odd"), FileProblem(.warning, file: "y.app", "is vague"),
            ]
            $0.requests = [
                OpenRequest(question, uid: 7, isShown: false, raisedAt: 0),
                OpenRequest(question, uid: 8, isShown: true, raisedAt: 0),
            ]
        }
        let notes = Diagnosis(facts: facts).findings.filter { $0.severity == .note }
        #expect(notes.map(\.subject) == ["Services", "Restrictions", "Restrictions", "Manifests", "Requests"])
        #expect(notes[1].text.contains("a.conf:2: error: DenyAll"))
        #expect(notes[2].text == "Nobody may have positions while not in use.")
        #expect(notes[3].text == "1 manifest does not count: the app gets nothing. x.app:3: error: is odd")
        #expect(notes[4].text == "1 request (map) waits, and no agent shows it.")
        #expect(Diagnosis(facts: facts).code == .success)
    }

    @Test func `unnoticed changes of manifests are reported, with the next step`() throws {
        let facts = Self.facts {
            $0.daemon = .answers(Self.status { $0.authorization.problem = "changes of the manifests are not noticed" })
        }
        let note = try #require(Diagnosis(facts: facts).findings.first { $0.subject == "Manifests" })
        #expect(note.severity == .note && note.text == "changes of the manifests are not noticed.")
        #expect(note.advice?.contains("systemctl reload waymark") == true)
    }

    @Test func `where positions are refused, that services are off is the problem`() {
        let facts = Self.facts {
            $0.listening = nil
            $0.refusal = "Location services are off."
            $0.areServicesEnabled = false
        }
        #expect(
            Diagnosis(facts: facts).findings.filter { $0.severity == .problem }.map(\.subject)
                == ["Services", "Position"])
    }

    @Test func `a user who is no operator sees the own rights`() {
        let diagnosis = Diagnosis(
            facts: Self.facts {
                $0.daemon = .refusesStatus
                $0.operatorAdvice = "Make jane an operator."
            })
        #expect(diagnosis.findings[0].severity == .note)
        #expect(diagnosis.findings[0].advice == "Make jane an operator.")
        #expect(diagnosis.code == .success)
    }

    @Test func `a user without authorization gets that reason, and not a failure of the receiver`() {
        let diagnosis = Diagnosis(
            facts: Self.facts {
                $0.daemon = .refusesStatus
                $0.listening = nil
                $0.refusal = "Nobody has allowed it."
            })
        #expect(diagnosis.findings.last?.text == "you may not know. Nobody has allowed it.")
        #expect(diagnosis.findings.count { $0.severity == .problem } == 1)
        #expect(diagnosis.code == .notAuthorized)
    }

    @Test func `without a problem and a position, the advice is to wait`() {
        let diagnosis = Diagnosis(facts: Self.lost { $0.listening?.diagnostics = ["locationUnavailable", "noFix"] })
        #expect(diagnosis.findings.last?.text == "none in 2.0 s. The receiver has no fix yet.")
        #expect(diagnosis.findings.last?.advice?.contains("Wait: ") == true)
        #expect(diagnosis.code == .noPosition)
    }

    @Test func `the clock of a recording is not compared with this machine's`() {
        let diagnosis = Diagnosis(
            facts: Self.facts {
                $0.listening?.positionOffset = -1e8
                $0.listening?.isSimulated = true
            })
        #expect(!diagnosis.findings.contains { $0.subject == "Clock" })
        #expect(diagnosis.findings.last?.text == "known to 3.0 m, simulated.")
    }

    @Test func `a finding is wrapped, and its text cannot move the cursor`() {
        let finding = Finding(
            severity: .problem, subject: "gpsd", text: String(repeating: "word ", count: 30) + "\u{1B}[2J",
            advice: "Do it.")
        let lines = finding.lines(for: Terminal(isTerminal: true, width: 60))
        #expect(lines.count > 3)
        #expect(lines.allSatisfy { $0.displayWidth <= 60 && !$0.contains("\u{1B}") })
        #expect(lines.last == "  → Do it.")
        let long = Finding(severity: .note, subject: "gpsd", text: "none.", advice: "Plug it in, or start it.")
        #expect(
            long.lines(for: Terminal(isTerminal: true, width: 20)) == [
                "! gpsd: none.", "  → Plug it in, or", "    start it.",
            ])
    }

    private static func monitor(
        _ state: RegionsInterface.MonitoringState, app: String? = "trailmap", pending: Int64 = 0
    ) -> RegionsInterface.MonitorSummary {
        RegionsInterface.MonitorSummary(
            name: "home", uid: 4_294_967_290, app: app, regions: 3, pending: pending, state: state)
    }

    @Test(
        arguments: [
            (.denied, "the app may not have positions", "waymark authorize trailmap always --user 4294967290"),
            (.notInUse, "only while it is in use", "waymark authorize trailmap always --user 4294967290"),
            (.accuracyReduced, "reduced accuracy only", "waymark authorize trailmap always --precise"),
            (.deniedGlobally, "location services are off", "waymark services on"),
            (.restricted, "a restriction of this machine forbids it", "waymark restrictions"),
            (.locationUnavailable, "there is no position", "See the findings about the receiver."),
        ] as [(RegionsInterface.MonitoringState, String, String)])
    func `regions that are not monitored are reported with the next step`(
        state: RegionsInterface.MonitoringState, text: String, advice: String
    ) throws {
        let diagnosis = Diagnosis(facts: Self.facts { $0.monitors = [.init(monitor: Self.monitor(state))] })
        let finding = try #require(diagnosis.findings.first { $0.subject == "Regions" })
        #expect(finding.text.hasPrefix("the monitor home of trailmap (4294967290) reports nothing: "))
        #expect(finding.text.contains(text) && finding.advice?.hasPrefix(advice) == true)
        #expect(finding.severity == .note && diagnosis.code == .success)
    }

    @Test func `regions with unknown states are counted by their reasons, and events that nobody reads are reported`() {
        let diagnosis = Diagnosis(
            facts: Self.facts {
                $0.monitors = [
                    .init(
                        monitor: Self.monitor(.monitoring, app: nil, pending: 5_000),
                        doubts: [.insufficientAccuracy: 2, .undetermined: 1]),
                    .init(monitor: Self.monitor(.monitoring)),
                ]
            })
        let findings = diagnosis.findings.filter { $0.subject == "Regions" }.map(\.text)
        #expect(
            findings == [
                "of the monitor home of 4294967290, the state of 2 regions is unknown: the fixes are not accurate enough.",
                "of the monitor home of 4294967290, the state of 1 region is unknown: no fix has decided yet.",
                "of the monitor home of 4294967290, 5,000 events are not acknowledged; the oldest will be dropped.",
            ])
    }
}

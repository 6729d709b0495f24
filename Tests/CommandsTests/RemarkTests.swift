import CommandLineKit
import Events
import Interfaces
import JSONText
import Location
import Platform
import Testing
import Varlink

@testable import Commands

@Suite struct RemarkTests {
    @Test func `diagnostics are described in plain words, the reason before the general one`() {
        let both = DiagnosticText.sentence(["locationUnavailable", "noReceiver"], authorization: "authorizedAlways")
        #expect(both == "There is no receiver. Connect one, or run `waymark doctor`.")
        #expect(DiagnosticText.sentence(["somethingNew"], authorization: "denied") == "The daemon says: somethingNew.")
        #expect(DiagnosticText.sentence([], authorization: "notDetermined").hasPrefix("Nobody has decided"))
        for diagnostic in LocationDiagnostic.known {
            let sentence = DiagnosticText.sentence([diagnostic], authorization: "denied")
            #expect(!sentence.contains("The daemon says"), "\(diagnostic)")
        }
    }

    @Test func `an event is a line with its details, without control characters`() {
        let event = JournalEntry(
            sequence: 7, time: 1_780_300_800, monotonic: 1, boot: "", kind: "note", app: "app\u{1B}", user: 0,
            details: ["text": "two words", "count": 3, "flag": true])
        let lines = EventText(terminal: Terminal(isTerminal: false)).lines(event)
        #expect(
            lines.count == 1
                && lines[0].hasSuffix(
                    "  note                        app=app\\u{1b} user=0 text=\"two words\" count=3 flag=true")
        )
        let narrow = EventText(terminal: Terminal(isTerminal: true, width: 40)).lines(event)
        #expect(narrow.dropFirst() == ["  app=app\\u{1b} user=0 text=\"two words\"", "  count=3 flag=true"])
        #expect(EventText.words("newKind") == "newKind")
    }

    @Test(arguments: [20, 32, 40, 60, 80]) func `an event fits any terminal, and no word is cut that fits`(_ width: Int)
    {
        func lines(_ kind: EventKind, _ details: JSON) -> [String] {
            EventText(terminal: Terminal(isTerminal: true, width: width)).lines(
                JournalEntry(
                    sequence: 7, time: 1_780_300_800, monotonic: 1, boot: "", kind: .init(rawValue: kind.rawValue),
                    app: "org.example.trailmap", user: 0, details: details))
        }
        for kind in EventKind.allCases {
            let all = lines(kind, ["path": "/var/lib/waymark/journal/events.sqlite", "reason": "no space left"])
            for line in all { #expect(line.displayWidth <= width, "\(kind.rawValue): \(line)") }
            let words = all.joined(separator: " ").split(separator: " ")
            for word in kind.words.split(separator: " ") where word.count <= width - 2 {
                #expect(words.contains(word), "\(kind.rawValue): \(all)")
            }
        }
        // A path is broken after a slash.
        let path = lines(.note, ["path": "/var/lib/waymark/journal/of-the-machine/events.sqlite"])
        if width == 40 { #expect(path.contains { $0.hasSuffix("/journal/") }, "\(path)") }
    }

    @Test(arguments: [
        (VarlinkError.cannotConnect(SystemError("connect", code: 2)), ExitCode.notRunning),
        (.cannotConnect(SystemError("connect", code: 111)), .notRunning),
        (.cannotConnect(SystemError("connect", code: 13)), .notAuthorized),
        (.reply(name: "io.waymark.Location.Denied", parameters: ["message": "No."]), .notAuthorized),
        (.reply(name: "io.waymark.Manage.NotOperator", parameters: ["message": "No."]), .notAuthorized),
        (.reply(name: "io.waymark.Location.PositionUnknown", parameters: ["reason": "noFix"]), .noPosition),
        (.reply(name: "io.waymark.Location.Timeout", parameters: ["message": "None came."]), .noPosition),
        (.reply(name: "io.waymark.Journal.JournalUnavailable", parameters: ["message": "Full."]), .failure),
        (.reply(name: "org.varlink.service.MethodNotFound", parameters: [:]), .failure),
        (.timedOut, .failure), (.closed, .notRunning), (.protocolViolation("x"), .failure),
    ]) func `the daemon's error decides the exit code of a command`(_ error: VarlinkError, code: ExitCode) throws {
        let failure = CommandFailure(error, socketPath: "/s")
        #expect(failure.code == code)
        let json = try JSON.parse(try #require(failure.json))
        #expect(json["message"]?.stringValue?.isEmpty == false)
        if case .reply(let name, _) = error { #expect(json["error"] == .string(name)) }
    }

    @Test func `a verification reports its findings`() {
        let sound = JournalInterface.Verification(isSound: true, events: 5, oldest: 1, newest: 5, findings: [])
        #expect(LogCommand.lines(sound) == ["The journal is sound: 5 events, 1 to 5."])
        let damaged = JournalInterface.Verification(
            isSound: false, events: 0, oldest: nil, newest: nil, findings: ["Gap."])
        #expect(LogCommand.lines(damaged) == ["The journal is damaged: 0 events.", "  Gap."])
    }

    @Test func `a frame replaces the one before it, and is never larger than the terminal`() {
        var redrawing = Redrawing()
        func terminal(_ width: Int, _ height: Int) -> Terminal {
            Terminal(isTerminal: true, width: width, height: height)
        }
        let first = redrawing.frame(["a", "b"], for: terminal(80, 24))
        #expect(first == "a\u{1B}[K\nb\u{1B}[K\n\u{1B}[J")
        let second = redrawing.frame(["c"], for: terminal(80, 24))
        #expect(second.hasPrefix("\u{1B}[2A\r"))
        let small = redrawing.frame(["12345", "\u{1B}[1m123456\u{1B}[0m", "3"], for: terminal(5, 3))
        #expect(small == "\u{1B}[1A\r12345\u{1B}[K\n\u{1B}[1m12345\u{1B}[0m\u{1B}[K\n\u{1B}[J")
    }

    @Test func `every command has help, and its options have unique names`() {
        func check(_ command: Command, _ path: [String]) {
            #expect(WaymarkProgram.command.help(for: path).contains(command.summary.prefix(20)))
            let names = command.options.map(\.name) + WaymarkProgram.command.options.map(\.name)
            if path.count > 1 { #expect(Set(names).count == names.count, "\(path)") }
            for next in command.subcommands { check(next, path + [next.name]) }
        }
        check(WaymarkProgram.command, ["waymark"])
    }
}

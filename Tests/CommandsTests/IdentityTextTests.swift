import CommandLineKit
import Manifests
import Platform
import Testing

@testable import Commands

@Suite struct IdentityTextTests {
    private func text(
        _ group: String?, program: ProgramEvidence = .file("/usr/bin/map"),
        match: Catalogue.Match = .unidentified("why")
    ) -> IdentityText {
        let evidence = PeerEvidence(
            processID: 7, userID: 1_000, controlGroup: group.map(ControlGroup.init(path:)), program: program)
        return IdentityText(evidence: evidence, match: match, terminal: Terminal(isTerminal: false))
    }

    private static let home = "/user.slice/user-1000.slice/user@1000.service/app.slice/"

    @Test(
        arguments: [
            ("app-gnome-org.example.Map-4711.scope", "*-org.example.Map[-@]*"),
            ("app-org.example.Map-4711.scope", "*-org.example.Map[-@]*"),
            ("app-org.example.Map@1a2b.service", "*-org.example.Map[-@]*"),
            ("app-plasma-trail\\x2dmap@autostart.service", "*-trail\\x2dmap[-@]*"),
            ("dbus-:1.2-org.example.Map@0.service", "*-org.example.Map[-@]*"),
            ("map.service", "map.service"),
        ])
    func `a desktop's unit gets a pattern that also matches its next start`(unit: String, value: String) {
        let lines = text(Self.home + unit).manifestLines
        #expect(lines.first == IdentityText.Line(key: .userUnit, value: value))
        #expect(lines.last?.key == .exec)
    }

    @Test(arguments: ["run-r1a2b3c.scope", "vte-spawn-1-2.scope", "app-x-1.scope"])
    func `a scope whose name does not identify the program gets a remark`(unit: String) {
        #expect(text(Self.home + unit).manifestLines.first?.remark?.contains("systemd-run --user") == true)
    }

    @Test func `a service, a Flatpak app and an inaccessible process are described`() {
        let service = text("/system.slice/map.service")
        #expect(service.manifestLines.map(\.key) == [.unit, .exec])
        #expect(
            text(Self.home + "app-flatpak-org.example.Map-12.scope").manifestLines.first?.value == "org.example.Map")
        let unknown = text(nil, program: .unknown("may not be read"))
        #expect(unknown.lines == ["Process 7 of user 1000 is known by nothing.", "It is no app: why."])
        #expect(
            text(nil, match: .ambiguous(["a", "b"], by: .exec)).lines.last
                == "It is no app: a, b all claim it by Exec=. Correct their manifests.")
    }

    @Test func `a program has the same description as an object`() {
        let json = String(decoding: text(nil, match: .app(id: "map", by: .exec)).json, as: UTF8.self)
        #expect(
            json
                == #"{"process":7,"user":1000,"keys":[{"key":"Exec","value":"/usr/bin/map","assurance":"program"}],"app":"map","by":"Exec"}"#
        )
    }
}

@Suite struct RestrictionTextTests {
    private func lines(_ text: String) -> [String] {
        var rules = RestrictionRules()
        rules.apply(Array("[Restrictions]\n\(text)\n".utf8), path: "a.conf")
        return RestrictionText(rules: rules).lines
    }

    @Test func `restrictions are described in sentences`() {
        #expect(lines("") == ["Nothing is restricted."])
        #expect(
            lines("ForbidAlways=yes\nDenyApps=b a\nAllowOnlyApps=c\nDenyUsers=4294967294") == [
                "Nobody may have positions while not in use.", "Only these apps may have positions: c.",
                "These apps may have no positions: a, b.",
                "Apps of these users may have no positions: 4294967294.",
            ])
    }

    @Test func `the consequence of a mistake comes first`() {
        let lines = lines("ForbidAlway=yes\nForbidRecording=yes")
        #expect(lines[0].hasPrefix("a.conf:2: error: ForbidAlway: unknown restriction. Did you mean ForbidAlways?"))
        #expect(
            lines[1]
                == "Until that is corrected, the following is forbidden as a precaution: positions, positions while not"
                + " in use, full accuracy, recordings, monitoring of regions, the advertising identifier.")
    }

    @Test func `problems are counted by how bad they are`() {
        let problems = [
            FileProblem(.error, file: "a", "x"), FileProblem(.warning, file: "a", "y"),
            FileProblem(.warning, file: "a", "z"),
        ]
        #expect(FileProblemText.summary(problems, of: "1 manifest") == "1 manifest: 1 error, 2 warnings.")
        #expect(FileProblemText.summary([], of: "1 manifest") == "1 manifest: no problems.")
        let terminal = Terminal(isTerminal: true, hasColor: true)
        #expect(FileProblemText.lines(problems[0], terminal) == ["a: \u{1B}[31merror:\u{1B}[0m x"])
    }
}

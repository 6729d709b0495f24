import Destinations
import Glibc
import Platform
import TestSupport
import Testing
import Upload
import UploadService

@testable import CommandLineKit
@testable import Commands
@testable import Configuration
@testable import Hub
@testable import Manifests
@testable import waymarkd

@Suite struct ManualTests {
    /// The generated text of a program or a table, and the page and part that it belongs to.
    private static let parts: [Part] = [
        ("waymark.1", "options", { CommandManual(program: WaymarkProgram.command).options }),
        ("waymark.1", "commands", { CommandManual(program: WaymarkProgram.command).overview }),
        ("waymark.1", "examples", { CommandManual(program: WaymarkProgram.command).examples }),
        ("waymarkd.8", "options", { CommandManual(program: DaemonCommand.command).options }),
        ("waymarkd.8", "examples", { CommandManual(program: DaemonCommand.command).examples }),
        ("waymark-upload.8", "arguments", { CommandManual(program: UploadCommand.command).arguments }),
        ("waymark-upload.8", "options", { CommandManual(program: UploadCommand.command).options }),
        ("waymark-upload.8", "examples", { CommandManual(program: UploadCommand.command).examples }),
        ("waymark.conf.5", "settings", { SettingManual(table: Settings.table).sections }),
        ("waymark-cli.conf.5", "settings", { SettingManual(table: Preferences.table).sections }),
        ("waymark-upload.conf.5", "settings", { SettingManual(table: UploadConfiguration.table).sections }),
    ]

    /// A generated part of a page.
    private typealias Part = (page: String, part: String, lines: @Sendable () -> [String])

    /// The parts of the pages of the command lines' groups.
    private static let groupParts = [WaymarkProgram.command, HubCommand.command].flatMap { groupParts(of: $0) }

    private static func groupParts(of program: Command) -> [Part] { program.groups.flatMap { groupParts($0, program) } }

    private static func groupParts(_ group: Command.Group, _ program: Command) -> [Part] {
        let page = "\(group.manual).1"
        let manual = CommandManual(program: program)
        func part(_ name: String, _ lines: @escaping @Sendable () -> [String]) -> Part { (page, name, lines) }
        return [
            part("synopsis") { manual.synopsis(group) }, part("commands") { manual.commands(group) },
            part("examples") { manual.examples(group) },
        ]
    }

    private static let pages =
        WaymarkProgram.command.groups.map { "\($0.manual).1" } + [
            "waymark.1", "waymark-cli.conf.5", "waymark.app.5", "waymark.conf.5", "waymark-upload.8",
            "waymark-upload.conf.5",
            "waymarkd.8", "waymark-hub.1",
        ]

    @Test func `the manual pages have every command, option and setting as the programs do`() throws {
        for (name, part, lines) in Self.parts + Self.groupParts {
            let page = try ManualPage(name)
            let right = try #require(page.replacing(part, with: lines()), "\(name) has no part \(part)")
            if getenv("WAYMARK_WRITE_REFERENCE") != nil {
                if right != page.text { try page.write(right) }
            } else {
                #expect(
                    page.text == right,
                    "write it again: WAYMARK_WRITE_REFERENCE=1 swift test --filter ManualTests")
            }
        }
    }

    @Test(arguments: [("waymarkd.8", DaemonCommand.command), ("waymark-upload.8", UploadCommand.command)])
    func `the synopsis has every option`(name: String, program: Command) throws {
        let synopsis = try ManualPage(name).section("SYNOPSIS").joined(separator: "\n")
        for option in program.places.flatMap(\.options) {
            #expect(synopsis.contains("Fl -\(option.name)") || synopsis.contains("| -\(option.name)"))
        }
    }

    @Test func `the exit codes of the command line are in its page`() throws {
        let codes = try items(of: "waymark.1", "EXIT STATUS", ".It ")
        #expect(codes == ExitCode.allCases.map { String($0.rawValue) })
        for name in ["waymarkd.8", "waymark-upload.8"] {
            let codes = try items(of: name, "EXIT STATUS", ".It ")
            #expect(codes == [ExitCode.success, .failure, .usage].map { String($0.rawValue) })
        }
    }

    @Test func `every command is in one group, whose page has its name`() throws {
        let program = WaymarkProgram.command
        let grouped = program.groups.flatMap(\.commands)
        #expect((grouped + ["completion"]).sorted() == program.subcommands.map(\.name).sorted())
        for group in program.groups {
            let page = try ManualPage("\(group.manual).1")
            let names = page.section("NAME").filter { $0.hasPrefix(".Nm ") }.map {
                $0.dropFirst(4).prefix { $0 != " " }
            }
            #expect(names.first.map(String.init) == group.manual)
            #expect(Set(names.map(String.init)) == Set([group.manual] + group.commands.map { "waymark-\($0)" }))
            let overview = try ManualPage("waymark.1").section("SEE ALSO")
            #expect(overview.contains(".Xr \(group.manual) 1 ,"))
        }
    }

    @Test(arguments: (WaymarkProgram.command.groups + HubCommand.command.groups).map(\.manual))
    func `a page of a group has every part`(name: String) throws {
        let page = try ManualPage("\(name).1")
        for section in ["SYNOPSIS", "DESCRIPTION", "COMMANDS", "FILES", "EXIT STATUS", "EXAMPLES", "SEE ALSO"] {
            #expect(page.section(section).count { !$0.hasPrefix(".\\\"") } > 1, "\(name): \(section)")
        }
        let codes = try items(of: "\(name).1", "EXIT STATUS", ".It ")
        let known = ExitCode.allCases.map { String($0.rawValue) }
        #expect(codes.first == "0" && codes.allSatisfy(known.contains) && codes == known.filter(codes.contains))
    }

    @Test func `the installation has a page for every command`() throws {
        let installation = try Installation()
        #expect(installation.run.status == .exited(0), "\(installation.run.error)")
        for command in WaymarkProgram.command.groups.flatMap(\.commands) {
            let path = installation.file("usr/share/man/man1/waymark-\(command).1")
            let text = String(decoding: try BoundedFile.bytes(of: path, limit: 1 << 20), as: UTF8.self)
            let target = text.hasPrefix(".so ") ? text.dropFirst(4).prefix { $0 != "\n" } : "man1/waymark-\(command).1"
            let page = try BoundedFile.bytes(of: installation.file("usr/share/man/\(target)"), limit: 1 << 20)
            #expect(String(decoding: page, as: UTF8.self).contains(".Nm waymark-\(command)"), "\(command)")
        }
    }

    @Test func `the keys of manifests and restrictions are in their page`() throws {
        let manifest = try items(of: "waymark.app.5", "MANIFESTS", ".It Cm ")
        #expect(manifest.sorted() == ManifestReader.appKeys.map { "\($0) Ns =" }.sorted())
        let sections = try items(of: "waymark.app.5", "MANIFESTS", ".Ss Section ")
        #expect(sections == ManifestReader.sections)
        let restrictions = try items(of: "waymark.app.5", "RESTRICTIONS", ".It Cm ")
        let keys = RestrictionRules.answers.keys + RestrictionRules.lists + [RestrictionRules.protectionKey]
        #expect(restrictions.sorted() == keys.map { "\($0) Ns =" }.sorted())
    }

    @Test(.enabled(if: ExecutableSearch.find("mandoc") != nil, "mandoc is not installed"), arguments: pages)
    func `mandoc reports no problem in the pages`(name: String) throws {
        let mandoc = try #require(ExecutableSearch.find("mandoc"))
        let run = try CompletedProcess.run(mandoc, ["-T", "lint", "-W", "style", ManualPage(name).path])
        // References to other packages' pages are not checked.
        let objections = run.output.split(separator: "\n").filter { !$0.contains("referenced manual not found") }
        #expect(objections.isEmpty)
    }

    @Test(.enabled(if: ExecutableSearch.find("groff") != nil, "groff is not installed"), arguments: pages)
    func `groff reports no problem in the pages`(name: String) throws {
        let groff = try #require(ExecutableSearch.find("groff"))
        let run = try CompletedProcess.run(
            groff, ["-k", "-mandoc", "-ww", "-b", "-z", "-Tutf8", ManualPage(name).path],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
        #expect(run.status == .exited(0) && run.error.isEmpty, "\(run.error)")
    }

    private func items(of page: String, _ section: String, _ prefix: String) throws -> [String] {
        try ManualPage(page).section(section).filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}

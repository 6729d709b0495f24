import CommandLineKit
import Platform
import TestSupport
import Testing

@testable import Commands

@Suite struct PreferencesTests {
    private func invocation(_ arguments: [String]) throws -> Invocation {
        guard case .run(let invocation) = try WaymarkProgram.command.parse(arguments) else {
            throw UsageError("no command", command: "waymark")
        }
        return invocation
    }

    /// The preferences of a user with this file, and the errors, with the file's folder replaced by `~`.
    private func chosen(
        _ arguments: [String] = ["watch"], _ environment: [String: String] = [:], file: String? = nil
    ) throws -> (preferences: Preferences, mistakes: [String]) {
        let home = try TemporaryDirectory()
        if let file { try home.write(".config/waymark/waymark-cli.conf", file) }
        let all = environment.merging(["HOME": home.path]) { $1 }
        let (preferences, mistakes) = Preferences.chosen(try invocation(arguments)) { all[$0] }
        return (preferences, mistakes.map { $0.hasPrefix(home.path) ? "~" + $0.dropFirst(home.path.count) : $0 })
    }

    private static let file = "[Display]\nUnits=nautical\nCoordinates=mgrs\n"

    @Test func `the defaults need no file`() throws {
        let (preferences, mistakes) = try chosen()
        #expect(preferences.units == .metric && preferences.coordinates == .degrees && mistakes.isEmpty)
    }

    @Test func `an option precedes the environment, and that the file`() throws {
        let environment = ["WAYMARK_UNITS": "imperial", "WAYMARK_COORDINATES": "dms"]
        var preferences = try chosen(file: Self.file).preferences
        #expect(preferences.units == .nautical && preferences.coordinates == .mgrs)
        preferences = try chosen(["get"], environment, file: Self.file).preferences
        #expect(preferences.units == .imperial && preferences.coordinates == .dms)
        preferences = try chosen(["get", "--coordinates", "degrees"], environment, file: Self.file).preferences
        #expect(preferences.units == .imperial && preferences.coordinates == .degrees)
        preferences = try chosen(["status", "--units=metric"], environment, file: Self.file).preferences
        #expect(preferences.units == .metric && preferences.coordinates == .dms)
        preferences = try chosen(["get"], ["WAYMARK_UNITS": ""], file: Self.file).preferences
        #expect(preferences.units == .nautical)
    }

    @Test func `an error in the file is reported with its line, and the rest counts`() throws {
        let (preferences, mistakes) = try chosen(file: "[Display]\nUnits=imperal\nCoordinates=dms\nColour=no\n")
        #expect(preferences.units == .metric && preferences.coordinates == .dms)
        #expect(
            mistakes == [
                "~/.config/waymark/waymark-cli.conf:2: [Display] Units: “imperal” is no system of units. Did you mean"
                    + " imperial? Allowed: metric, imperial or nautical",
                "~/.config/waymark/waymark-cli.conf:4: [Display] Colour: unknown setting. [Display] has Units,"
                    + " Coordinates",
            ])
    }

    @Test func `an error in the environment is reported, and the file counts`() throws {
        let (preferences, mistakes) = try chosen(["get"], ["WAYMARK_COORDINATES": "utm"], file: Self.file)
        #expect(preferences.coordinates == .mgrs)
        #expect(
            mistakes == ["WAYMARK_COORDINATES: “utm” is no notation. Allowed: degrees, dms or mgrs"])
    }

    @Test func `a report of an error has whole sentences, also after a question`() throws {
        let mistakes = try chosen(file: "[Display]\nUnits=ells\nCoordinate=dms\n").mistakes
        #expect(
            mistakes.map(Preferences.remark) == [
                "waymark: ~/.config/waymark/waymark-cli.conf:2: [Display] Units: “ells” is no system of units. Allowed:"
                    + " metric, imperial or nautical. This setting is ignored.",
                "waymark: ~/.config/waymark/waymark-cli.conf:3: [Display] Coordinate: unknown setting. Did you mean"
                    + " Coordinates? This setting is ignored.",
            ])
    }

    @Test(arguments: [
        (["XDG_CONFIG_HOME": "/c", "HOME": "/h"], "/c/waymark/waymark-cli.conf"),
        (["XDG_CONFIG_HOME": "c", "HOME": "/h"], "/h/.config/waymark/waymark-cli.conf"),
        (["XDG_CONFIG_HOME": "", "HOME": "/h"], "/h/.config/waymark/waymark-cli.conf"), (["HOME": ""], nil), ([:], nil),
    ])
    func `the file is where the user's other settings are`(_ environment: [String: String], _ path: String?) {
        #expect(Preferences.path { environment[$0] } == path)
    }

    @Test func `the page about the configuration has the table of the user's settings`() throws {
        let page = try BoundedFile.bytes(of: Products.file("Documentation/configuration.md"), limit: 1 << 20)
        let table = Preferences.table.markdown
        #expect(String(decoding: page, as: UTF8.self).contains(table), "put this in: \n\(table)")
    }
}

import Glibc
import Interfaces
import JSONText
import Platform
import TestSupport
import TestTraits
import Testing

/// `waymark regions`, with a real daemon and without a receiver.
@Suite(.waits, .timeLimit(.minutes(15))) struct RegionImportTests {
    private let daemon: DaemonProcess

    init() throws {
        daemon = try DaemonProcess()
    }

    /// The summary of a monitor by its name.
    private func monitor(_ name: String) throws -> RegionsInterface.MonitorSummary? {
        let list = try daemon.waymark("regions", "list", "--json")
        #expect(list.status == .exited(0), "\(list.error)")
        return try list.output.split(separator: "\n").map { line in
            try RegionsInterface.MonitorSummary(varlink: JSON.parse(Array(line.utf8)))
        }.first { $0.name == name }
    }

    private static func point(_ number: Int, _ more: String = "") -> String {
        #"{"type":"Feature","properties":{"name":"depot \#(number)","radius":50\#(more)},"#
            + #""geometry":{"type":"Point","coordinates":[\#(Double(number % 360) - 179.5),\#(Double(number % 170) - 84.5)]}}"#
    }

    private func file(_ features: [String], name: String = "depots.geojson") throws -> String {
        try daemon.directory.write(
            name, #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",\n") + "]}")
    }

    @Test func `a region is added, replaced, shown and removed`() throws {
        let added = try daemon.waymark("regions", "add", "yard", "--circle", "47.58,21.12,80", "--dwell", "5min")
        #expect(added.output == "yard was added.\n" && added.error.isEmpty, "\(added.error)")
        let replaced = try daemon.waymark("regions", "add", "yard", "--circle=-33.9,18.4,1.5km")
        #expect(replaced.output == "yard was replaced.\n", "\(replaced.error)")
        let shown = try daemon.waymark("regions", "show", "yard", "--coordinates", "dms", "--units", "nautical")
        #expect(shown.status == .exited(0) && shown.output.contains("0.8 nmi around 33°54'"), "\(shown)")
        let shape = try daemon.directory.write(
            "field.json", #"{"type":"Polygon","coordinates":[[[21,47],[21.1,47],[21.1,47.1],[21,47]]]}"#)
        let field = try daemon.waymark("regions", "add", "the field", "--polygon", shape, "--monitor", "farm", "--json")
        #expect(field.output == #"{"added":1,"replaced":0}"# + "\n", "\(field.error)")
        let line = try daemon.directory.write(
            "route,1.json", #"{"type":"LineString","coordinates":[[21,47],[22,47]]}"#)
        let route = try daemon.waymark("regions", "add", "route", "--corridor", "\(line),400", "--monitor", "farm")
        #expect(route.status == .exited(0), "\(route.error)")
        let farm = try daemon.waymark("regions", "show", "farm")
        #expect(farm.output.contains("400 m wide, 2 points") && farm.output.contains("the field"), "\(farm)")
        let one = try daemon.waymark("regions", "show", "route", "--monitor", "farm", "--json")
        #expect(
            try JSON.parse(Array(one.output.utf8.dropLast()))["region"]?["corridor"]?["halfWidth"]?.numberValue == 200)
        #expect(try monitor("farm")?.regions == 2)
        let status = try daemon.waymark("status").output
        #expect(
            status.contains("3 regions in 2 monitors, ") && status.contains(": see `waymark regions list`"), "\(status)"
        )
        let names = try daemon.waymark("completion", "--names", "regions")
        #expect(names.output == "farm\nroute\nyard\n", "a name with a space is none for a shell")

        #expect(try daemon.waymark("regions", "remove", "route", "--monitor", "farm").output == "1 region removed.\n")
        let missing = try daemon.waymark("regions", "remove", "route", "--monitor", "farm")
        #expect(missing.status == .exited(1) && missing.error.contains("There is no region route"), "\(missing)")
        #expect(try daemon.waymark("regions", "show", "nothing").status == .exited(1))
        let unconfirmed = try daemon.waymark("regions", "remove", "--all")
        #expect(unconfirmed.status == .exited(2) && unconfirmed.error.contains("--yes"))
        #expect(try daemon.waymark("regions", "remove", "--all", "--yes").output == "2 regions removed.\n")
        #expect(try daemon.waymark("regions", "list").output.isEmpty)
    }

    @Test func `ten thousand regions are imported at once, from a file and from a pipe, without progress`() throws {
        let path = try file((1...10_000).map { Self.point($0) })
        let imported = try daemon.waymark("regions", "import", path)
        #expect(imported.status == .exited(0) && imported.error.isEmpty, "\(imported.error)")
        #expect(imported.output == "10,000 regions in the monitor depots.\n")
        #expect(try monitor("depots")?.regions == 10_000)
        let script = #"cat "$0" | "$1" regions import - --monitor piped --json"#
        let piped = try CompletedProcess.run(
            "/bin/sh", ["-c", script, path, try Products.program("waymark")], environment: daemon.environment(),
            seconds: 120)
        #expect(piped.output == #"{"added":10000,"replaced":0}"# + "\n" && piped.error.isEmpty, "\(piped.error)")
        let again = try daemon.waymark("regions", "import", path)
        #expect(again.output == "10,000 regions in the monitor depots, of which 10,000 were replaced.\n", "\(again)")
        let shown = try daemon.waymark("regions", "show", "depots", "--json")
        #expect(shown.output.split(separator: "\n").count == 10_000)
    }

    @Test(.enabled(if: ExecutableSearch.find("script") != nil, "script is not installed"))
    func `on a terminal the progress is shown, and removed at the end`() throws {
        let path = try file((1...3_000).map { Self.point($0) })
        let program = try Products.program("waymark")
        let run = try CompletedProcess.run(
            "/usr/bin/script", ["-qec", "\(program) regions import \(path)", "/dev/null"],
            environment: daemon.environment().merging(["TERM": "xterm"]) { $1 }, seconds: 120)
        #expect(run.output.contains("Sending: 1,000 of 3,000 regions"), "\(run.output)")
        #expect(run.output.contains("\r\u{1B}[K3,000 regions in the monitor depots."), "\(run.output)")
    }

    @Test(
        arguments: [
            (
                #"{"type":"Feature","id":"x","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1]]]}}"#,
                "feature 2501 (x): point 1 of ring 1: the edge from here crosses the edge from point 3 of ring 1"
            ),
            (
                #"{"type":"Feature","id":"x","geometry":{"type":"Point","coordinates":[0,0]}}"#,
                "feature 2501 (x): a point needs a property radius in metres"
            ),
            (Self.point(7), "feature 2501 (depot 7): feature 7 has the same identifier"),
            ("{", "feature 2501: it is no JSON"),
        ])
    func `a file with an error changes nothing, and the error says where it is`(feature: String, text: String) throws {
        #expect(try daemon.waymark("regions", "import", file([Self.point(1)])).status == .exited(0))
        let path = try file((1...2_500).map { Self.point($0) } + [feature])
        let imported = try daemon.waymark("regions", "import", path)
        #expect(imported.status == .exited(1) && imported.error.contains(text), "\(imported.error)")
        #expect(imported.error.hasPrefix("waymark: Nothing was added"), "\(imported.error)")
        #expect(try monitor("depots")?.regions == 1)
    }

    @Test func `an import that is killed changes nothing`() throws {
        // The pipe has no end, so that the import does not come to its second part before it is killed.
        let path = try file((1...2_500).map { Self.point($0) })
        let script = #"(cat "$0"; exec sleep 1000) | exec "$1" regions import - --monitor depots"#
        let shell = try ChildProcess(
            ChildProcess.Launch(
                "/bin/sh", ["-c", script, path, try Products.program("waymark")], environment: daemon.environment()))
        try shell.terminate(graceSeconds: 0)
        #expect(try monitor("depots") == nil)
    }
}

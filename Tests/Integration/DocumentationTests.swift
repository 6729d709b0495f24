import Glibc
import Location
import Platform
import TestClients
import TestSupport
import Testing
import Waymark

/// Checks that the examples of the documentation are built, and work.
@Suite(.waits) struct DocumentationTests {
    /// The lines of a file, without their indentation.
    private func lines(of file: String) throws -> [String] {
        let path = try Products.file(file)
        let text = String(decoding: try BoundedFile.bytes(of: path, limit: 1 << 20), as: UTF8.self)
        return text.split(separator: "\n").map { line in String(line.drop { $0 == " " }) }
    }

    @Test(
        arguments: ["README.md"]
            + ["core-location", "restoration", "swift"].map { "Documentation/\($0).md" })
    func `every Swift example is built with the tests`(_ page: String) throws {
        let built = try lines(of: "Tests/Integration/SwiftExamples.swift")
        var examples: [[String]] = []
        var isExample = false
        for line in try lines(of: page) {
            if line == "```swift" {
                isExample = true
                examples.append([])
            } else if line == "```" {
                isExample = false
            } else if isExample, line != "import Waymark" {
                examples[examples.count - 1].append(line)
            }
        }
        #expect(!examples.isEmpty)
        for example in examples {
            let starts = built.indices.filter { built[$0...].starts(with: example) }
            #expect(
                !example.isEmpty && starts.count == 1,
                "\(example.joined(separator: "\n")) is not in SwiftExamples.swift")
        }
    }

    @Test(.timeLimit(.minutes(15)))
    func `the example of an app reports that there is no agent`() async throws {
        let apps = try TestApps()
        try apps.add("compass", name: "Compass", program: try TestApps.ownProgram())
        let daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
        var shown: [String] = []
        try await follow(WaymarkClient(socketPath: daemon.socketPath)) { shown.append($0) }
        #expect(shown == ["No agent can show the prompt: run `waymark agent`."])
    }

    @Test(.timeLimit(.minutes(15)))
    func `the example of a run shows positions until the run has left the park`() async throws {
        let apps = try TestApps()
        try apps.add("compass", name: "Compass", program: try TestApps.ownProgram())
        let scene = try RegionScene(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
        defer { scene.gpsd.stop() }
        try OperatorClient(scene.daemon).authorize("compass", .always, uid: geteuid())
        let park = try #require(Coordinate(latitude: 47, longitude: -30))
        let gpsd = scene.gpsd
        let run = (0..<300).map { scene.report($0, north: 3 * Double($0), speed: 3) }
        let beginning = Task {
            _ = try await eventually {
                await Task.yield()
                return gpsd.received.contains("?WATCH")
            }
            gpsd.send(run[..<60].joined())
        }
        var shown: [String] = []
        try await showRun(in: park, WaymarkClient(socketPath: scene.daemon.socketPath)) { text in
            // The run goes on when its beginning is shown.
            if shown.isEmpty { gpsd.send(run[60...].joined()) }
            shown.append(text)
        }
        try await beginning.value
        #expect(shown.allSatisfy { $0.hasPrefix("47.0") && $0.hasSuffix(" -30.0") } && !shown.isEmpty, "\(shown)")
    }
}

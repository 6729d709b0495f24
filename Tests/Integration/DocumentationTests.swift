import Platform
import TestSupport
import TestTraits
import Testing
import Waymark

/// Checks that the examples of the documentation are built, and work.
@Suite(.waits) struct DocumentationTests {
    /// The articles of the library's catalogue that have examples.
    static let articles = [
        "Authorization", "DataProtection", "Delegates", "Errors", "Identity", "LifeCycle", "Network", "Positions",
        "Records", "Recordings", "Regions", "State", "SyncEngines", "Waking",
    ]

    /// The lines of a file, without their indentation.
    private func lines(of file: String) throws -> [String] {
        let path = try Products.file(file)
        let text = String(decoding: try BoundedFile.bytes(of: path, limit: 1 << 20), as: UTF8.self)
        return text.split(separator: "\n").map { line in String(line.drop { $0 == " " }) }
    }

    @Test(
        arguments: ["README.md"]
            + ["cloudkit", "core-location", "restoration", "swift"].map { "Documentation/\($0).md" }
            + DocumentationTests.articles.map { "Sources/Waymark/Waymark.docc/\($0).md" })
    func `every Swift example is built with the tests`(_ page: String) throws {
        let sources =
            ["Tests/Integration/SwiftExamples.swift"]
            + Self.articles.map { "Tests/Integration/Articles/\($0)Article.swift" }
            + ["Odometer/Sources/odometer", "Commute/Sources/commute", "Notes/Sources/notes"].map {
                "Examples/Swift/\($0)/main.swift"
            }
        let built = try sources.flatMap { try lines(of: $0) }.filter { $0 != "import Waymark" }
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
                "\(example.joined(separator: "\n")) is in none of \(sources)")
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
}

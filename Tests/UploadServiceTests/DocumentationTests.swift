import Destinations
import Platform
import TestSupport
import Testing

@testable import UploadService

/// The configuration files in the documentation are valid.
@Suite struct DocumentationTests {
    @Test func `every example of a destination's file is valid`() throws {
        let path = try Products.file("README.md")
        let text = String(decoding: try BoundedFile.bytes(of: path, limit: 1 << 20), as: UTF8.self)
        let examples = text.split(separator: "```ini\n").dropFirst().compactMap { $0.split(separator: "```").first }
        #expect(examples.count >= 4)
        var formats: Set<String> = []
        for example in examples {
            let file = DestinationFile(reading: Array(example.utf8), as: "README.md")
            #expect(file.problems.isEmpty, "\(file.problems)\n\(example)")
            formats.insert(file.configuration.destination.format?.name ?? "")
            let check = UploadCheck("home", file, credentials: CredentialFolder(path: nil))
            #expect(check.problems.isEmpty && check.lines.count > 2)
            // Every user may read the file.
            #expect(!example.contains("webhook/") || file.configuration.destination.url?.hasPlaceholder == true)
        }
        #expect(formats.isSuperset(of: ["owntracks", "osmand", "overland"]))
    }

    @Test func `a service without its file fails once, and the program says which file to write`() throws {
        let path = try Products.file("systemd/waymark-upload@.service")
        let lines = String(decoding: try BoundedFile.bytes(of: path, limit: 1 << 16), as: UTF8.self).split(
            separator: "\n")
        // A condition that does not hold is a successful start of nothing.
        #expect(!lines.contains { $0.hasPrefix("Condition") || $0.hasPrefix("Assert") })
        #expect(lines.contains("RestartPreventExitStatus=2"))
        let program = try Products.program("waymark-upload")
        let started = try CompletedProcess.run(program, ["no-such-destination"])
        #expect(started.status == .exited(2))
        #expect(started.error.contains("/etc/waymark/uploads.d/no-such-destination.conf: there is no such file"))
        #expect(started.error.contains("`waymark uploads example`"), "\(started.error)")
    }

    @Test func `the examples that are installed are those of the README`() throws {
        let text = String(
            decoding: try BoundedFile.bytes(of: Products.file("README.md"), limit: 1 << 20), as: UTF8.self)
        let inReadme = ["ini", "python"].flatMap { kind in
            text.split(separator: "```\(kind)\n").dropFirst().compactMap { $0.split(separator: "```").first }
        }.map(String.init)
        let directory = try Products.file("Examples/uploads.d")
        let files =
            try DirectoryListing.names(directory).map { "\(directory)/\($0)" }
            + [Products.file("Examples/Python/varlink_positions.py")]
        let installed = try files.map { file in
            String(decoding: try BoundedFile.bytes(of: file, limit: 1 << 20), as: UTF8.self)
        }
        #expect(installed.count >= 7)
        #expect(installed.sorted() == inReadme.sorted())
    }

    @Test func `the example of all settings is a valid file once it is completed`() {
        let lines = DestinationFile.example.split(separator: "\n", omittingEmptySubsequences: false)
        let set = lines.map { $0 == "#URL=" ? "URL=https://example.org/" : $0 == "#Format=" ? "Format=geojson" : $0 }
        let file = DestinationFile(reading: Array(set.joined(separator: "\n").utf8), as: "home.conf")
        #expect(file.problems.isEmpty, "\(file.problems)")
    }
}

import Authorization
import Glibc
import Platform
import TestSupport
import Testing

@testable import Manifests

@Suite struct DocumentationTests {
    /// An example file of the page; its first line is its path.
    private struct Example {
        let path: String
        let bytes: [UInt8]
    }

    private let page: String

    init() throws {
        page = String(
            decoding: try BoundedFile.bytes(of: Products.file("Documentation/manifests.md"), limit: 1 << 20),
            as: UTF8.self)
    }

    private func examples() throws -> [Example] {
        try page.split(separator: "```ini\n").dropFirst().map { block in
            let end = try #require(block.firstRange(of: "\n```"))
            let text = block[..<end.lowerBound]
            let first = try #require(text.split(separator: "\n").first)
            try #require(first.hasPrefix("# "), "an example begins with where it is installed")
            return Example(path: String(first.dropFirst(2)), bytes: Array(text.utf8))
        }
    }

    @Test func `every manifest of the page is one that nothing is wrong with`() throws {
        let examples = try examples().filter { $0.path.hasSuffix(".app") }
        #expect(examples.count >= 5)
        var catalogue = Catalogue()
        let readings = try examples.map { example in
            let name = try #require(example.path.split(separator: "/").last)
            return ManifestReading(
                example.bytes, id: String(name.dropLast(4)), path: example.path,
                owner: example.path.hasPrefix("~") ? .user(1_000) : .root)
        }
        catalogue.suppose(readings.compactMap(\.manifest))
        for reading in readings {
            #expect(reading.manifest != nil)
            #expect(ManifestLint.examine(reading, among: catalogue) == [])
        }
    }

    @Test func `the examples that are installed are those of the page`() throws {
        for example in try examples() {
            let name = String(try #require(example.path.split(separator: "/").last))
            let folder = name.hasSuffix(".app") ? "apps" : "restrictions.d"
            let file = try Products.file("Examples/\(folder)/\(name)")
            let installed = String(decoding: try BoundedFile.bytes(of: file, limit: 1 << 20), as: UTF8.self)
            #expect(installed == String(decoding: example.bytes, as: UTF8.self) + "\n", "\(file)")
        }
    }

    @Test func `every file of restrictions of the page is understood`() throws {
        let examples = try examples().filter { $0.path.hasSuffix(".conf") }
        #expect(examples.count >= 2)
        for example in examples {
            var rules = RestrictionRules()
            rules.apply(example.bytes, path: example.path)
            #expect(rules.problems == [])
            #expect(rules != RestrictionRules())
        }
    }

    @Test func `the page has every key of manifests and of restrictions, and every folder`() {
        let keys =
            IdentityKey.allCases.map(\.rawValue) + [
                "Name", "WhenInUseUsageDescription", "AlwaysAndWhenInUseUsageDescription", "DefaultAccuracyReduced",
                "Record", "AlwaysInUse", "DenyAll", "DenyApps", "DenyUsers", "AllowOnlyApps", "ForbidAlways",
                "ForbidFullAccuracy", "ForbidRecording", "ForbidRegions", "ForbidTracking",
                "UserTrackingUsageDescription",
            ]
        for key in keys { #expect(page.contains("| `\(key)=`") || page.contains(", `\(key)=`"), "\(key)") }
        for folder in ManifestFolder.machine { #expect(page.contains("`\(folder.path)/`")) }
        #expect(page.contains("`\(RestrictionRules.folder)/`"))
    }
}

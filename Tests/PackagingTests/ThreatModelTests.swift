import Platform
import TestSupport
import Testing

/// Checks that the page about threats names existing tests.
@Suite struct ThreatModelTests {
    /// The names of all suites that have a file of their own.
    private static func suites(in folder: String) -> Set<String> {
        DirectoryListing.names(folder).reduce(into: []) { found, name in
            let path = "\(folder)/\(name)"
            if DirectoryListing.isDirectory(path) {
                found.formUnion(suites(in: path))
            } else if name.hasSuffix("Tests.swift") {
                found.insert(String(name.dropLast(".swift".count)))
            }
        }
    }

    @Test func `each promise names an existing test`() throws {
        let bytes = try BoundedFile.bytes(of: Products.file("Documentation/threat-model.md"), limit: 1 << 18)
        let page = String(decoding: bytes, as: UTF8.self)
        let named = page.split(separator: "`").filter {
            $0.hasSuffix("Tests") && $0.utf8.allSatisfy { $0 >= UInt8(ascii: "A") }
        }
        #expect(named.count > 20)
        let suites = Self.suites(in: try Products.file("Tests"))
        for name in named { #expect(suites.contains(String(name)), "no test is called \(name)") }
    }
}

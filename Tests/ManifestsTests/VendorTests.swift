import Authorization
import Glibc
import Platform
import TestSupport
import Testing

@testable import Manifests

@Suite struct VendorTests {
    private func read(_ line: String, owner: FileOwner = .root) -> ManifestReading {
        let text = """
            [App]
            Name=Trail Map
            UserUnit=map.service
            WhenInUseUsageDescription=Shows where you are on the map.
            \(line)
            """
        return ManifestReading(Array(text.utf8), id: "map", path: "map.app", owner: owner)
    }

    @Test(arguments: ["org.example", "Example_Maps-2", String(repeating: "a", count: 100)])
    func `a manifest names the vendor`(name: String) {
        let reading = read("Vendor=\(name)")
        #expect(reading.problems == [] && ManifestLint.examine(reading) == [])
        #expect(reading.manifest?.vendor == name && reading.manifest?.manifest.vendor == name)
        #expect(read("").manifest?.vendor == nil)
    }

    @Test(arguments: [
        "", "a b", "org..example", ".org", "org/example", "Beispiel GmbH", "exämple",
        String(repeating: "a", count: 101),
        "report@",
    ])
    func `a wrong name is an error that says what is allowed`(name: String) throws {
        let reading = read("Vendor=\(name)")
        #expect(reading.manifest == nil)
        let problem = try #require(reading.problems.first)
        #expect(problem.severity == .error && problem.key == "Vendor" && problem.line == 5)
        #expect(problem.message.contains("Allowed: letters, digits"), "\(problem.message)")
    }

    @Test func `a name has no translations, and a misspelt key is suggested`() {
        #expect(read("Vendor[de]=org.example").problems.first?.message.contains("no translations") == true)
        #expect(read("Vendr=org.example").problems.first?.message.contains("Did you mean Vendor?") == true)
    }

    @Test func `a user's manifest with a vendor of the system's is warned that it stays another one`() throws {
        var catalogue = Catalogue()
        let shared = ManifestReading(
            Array("[App]\nName=Compass\nUnit=compass.service\nVendor=org.example\n".utf8), id: "compass",
            path: "compass.app", owner: .root)
        catalogue.suppose([try #require(shared.manifest)])
        let own = ManifestLint.examine(read("Vendor=org.example", owner: .user(1_000)), among: catalogue)
        #expect(own.map(\.key) == ["Vendor"] && own.first?.severity == .warning)
        #expect(ManifestLint.examine(read("Vendor=org.example"), among: catalogue) == [])
    }

    @Test func `the vendors of a folder are complete only if it could be listed`() throws {
        let directory = try TemporaryDirectory()
        let folder = ManifestFolder(path: directory.file("apps"), owner: .user(geteuid()))
        var catalogue = Catalogue()
        catalogue.readPersonal(folder)
        #expect(!catalogue.vendors(of: geteuid()).isComplete, "a home may not be mounted")
        try directory.write("apps/map.app", "[App]\nName=Map\nUserUnit=map.service\nVendor=org.example\n")
        try directory.write("apps/wrong.app", "nonsense")
        try directory.write("apps/empty.app", "")
        catalogue.readPersonal(folder)
        #expect(
            catalogue.vendors(of: geteuid())
                == InstalledVendors(
                    vendors: [Vendor(.user, .named, "org.example")], unclear: ["wrong"], isComplete: true))
        try retrying("chmod", subject: folder.path) { chmod(folder.path, 0o777) }
        catalogue.readPersonal(folder)
        #expect(!catalogue.vendors(of: geteuid()).isComplete, "others may write to it")
        catalogue.readShared([ManifestFolder(path: directory.file("none"), owner: .root)])
        #expect(catalogue.systemVendors.isComplete, "a package's folder that is missing has no apps")
        catalogue.readShared([ManifestFolder(path: folder.path, owner: .root)])
        #expect(!catalogue.systemVendors.isComplete)
    }
}

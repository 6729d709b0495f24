import TestSupport
import Testing

@testable import Manifests

@Suite struct ManifestLintTests {
    private func examine(_ text: String, among others: Catalogue? = nil) -> [String] {
        let reading = ManifestReading(
            Array("[App]\nName=Trail Map\n\(text)".utf8), id: "map", path: "map.app", owner: .root)
        return ManifestLint.examine(reading, among: others).map(\.description)
    }

    private static let identity = "UserUnit=app-*trailmap*.scope\n"

    @Test func `a manifest that serves people well gets no remark`() {
        let text =
            Self.identity
            + "WhenInUseUsageDescription=Shows where you are on the map.\n[TemporaryUsage]\nTurns=지도에 위치 표시"
        #expect(examine(text) == [])
    }

    @Test(
        arguments: [
            ("This app needs your location.", "is vague"), ("Needs access to GPS location data", "is vague"),
            ("Trail Map", "repeats the name"), ("trail map!", "repeats the name"), ("…", "repeats the name"),
            ("Weather", "is very short"), ("", "is blank"),
        ])
    func `a purpose that says nothing to a person is remarked`(purpose: String, remark: String) {
        let found = examine("WhenInUseUsageDescription=\(purpose)\n" + Self.identity)
        #expect(found.first?.hasPrefix("map.app:3: warning: WhenInUseUsageDescription: \(remark)") == true, "\(found)")
    }

    @Test(
        arguments: [
            (
                "AlwaysAndWhenInUseUsageDescription=Records your hike.",
                "AlwaysAndWhenInUseUsageDescription: is never used"
            ),
            ("Record=yes", "Record: is never used"),
            ("AlwaysInUse=yes", "AlwaysInUse: is never used"),
            ("[TemporaryUsage]\nTurns=Spoken directions.", "Turns: is never used"),
        ])
    func `a right that is asked for and never used is remarked`(line: String, remark: String) {
        #expect(examine(Self.identity + line).contains { $0.contains(remark) })
    }

    @Test func `an app of records alone needs no purpose, and one that records positions does`() {
        let missing = "has no WhenInUseUsageDescription="
        let records = Self.identity + "Containers=iCloud.org.example.trailmap\n"
        #expect(examine(Self.identity).contains { $0.contains(missing) })
        #expect(!examine(records).contains { $0.contains(missing) }, "\(examine(records))")
        #expect(examine(records + "Record=yes\n").contains { $0.contains(missing) })
    }

    @Test(arguments: ["/usr/bin/python3.11", "/bin/sh", "/lib64/ld-linux-x86-64.so.2", "/usr/bin/env"])
    func `an interpreter is no app`(path: String) {
        #expect(examine("Exec=\(path)").contains { $0.contains("is an interpreter") })
    }

    @Test func `what another manifest claims is an error`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("a.app", "[App]\nName=A\nExec=/usr/bin/map\nUserUnit=app-*trail*.scope\n")
        var catalogue = Catalogue()
        catalogue.readShared([ManifestFolder(path: directory.path, owner: .root)])
        #expect(
            examine("Exec=/usr/bin/map", among: catalogue).first?.contains("error: Exec: is claimed by a too") == true)
        #expect(examine("UserUnit=app-trail.scope", among: catalogue).contains { $0.contains("UserUnit: is claimed") })
        #expect(!examine("Exec=/usr/bin/other", among: catalogue).contains { $0.contains("claimed") })
    }

    @Test(arguments: [
        ("Trаil Map", true), ("TRAIL MAP", true), ("Trail\u{A0}Map", true), ("Ｔrail Map", true), ("Trail Map 2", false),
        ("Τrail Map", true), ("등산 지도", false), ("Карта", false),
    ]) func `a name that looks like that of one of the system's apps is reported`(name: String, isReported: Bool) throws
    {
        var catalogue = Catalogue()
        let root = ManifestReading(
            Array("[App]\nName=Trail Map\nFlatpak=org.example.TrailMap\n".utf8), id: "trailmap", path: "a", owner: .root
        )
        catalogue.suppose([try #require(root.manifest)])
        let reading = ManifestReading(
            Array("[App]\nName=\(name)\nFlatpak=org.example.Other\n".utf8), id: "other", path: "b", owner: .user(1000))
        let found = ManifestLint.examine(reading, among: catalogue)
        #expect(found.contains { $0.message.contains("looks like the name of trailmap") } == isReported, "\(found)")
        // Its own new version is no other app.
        #expect(!ManifestLint.examine(root, among: catalogue).contains { $0.message.contains("looks like") })
    }

    @Test(arguments: [("Trаil", true), ("Карта Map", false), ("Ωmega", true), ("Trail", false), ("지도 Map", false)])
    func `a word of letters of several scripts is reported`(name: String, isReported: Bool) {
        let reading = ManifestReading(
            Array("[App]\nName=\(name)\nFlatpak=org.example.Other\n".utf8), id: "other", path: "b", owner: .root)
        let found = ManifestLint.examine(reading)
        #expect(found.contains { $0.message.contains("several scripts") } == isReported, "\(found)")
    }
}

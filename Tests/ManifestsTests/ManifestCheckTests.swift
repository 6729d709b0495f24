import Authorization
import Glibc
import TestSupport
import Testing

@testable import Manifests

@Suite struct ManifestCheckTests {
    private let directory: TemporaryDirectory
    private let check: ManifestCheck
    private let user = getuid()

    init() throws {
        directory = try TemporaryDirectory()
        check = ManifestCheck(
            among: [
                ManifestFolder(path: directory.file("usr"), owner: .root),
                ManifestFolder(path: directory.file("home"), owner: .user(getuid())),
            ], as: .root)
    }

    private func text(_ identity: String) -> String {
        "[App]\nName=Trail Map\nWhenInUseUsageDescription=Shows where you are on the map.\n\(identity)\n"
    }

    private func found(_ files: String...) -> [String] {
        check.problems(of: files).map { $0.description.replacing(directory.path + "/", with: "") }
    }

    @Test func `a file that is not there, not named so or somebody's data is distinguished from a mistake in it`()
        throws
    {
        let odd = try directory.write("map.txt", text("Flatpak=org.example.Map"))
        #expect(found(directory.file("no.app")) == ["no.app: error: there is no such file"])
        #expect(found(odd).first?.hasPrefix("map.txt: error: the file's name is no app id with .app") == true)
    }

    @Test func `of a folder every manifest in it is checked, and one without any is reported`() throws {
        try directory.write("build/a.app", text("Flatpak=org.example.A"))
        try directory.write("build/b.app", text("Exec=map"))
        try directory.write("build/README", "")
        try directory.write("empty/README", "")
        let alone = try directory.write("c.app", text("Flatpak=org.example.C"))
        for folder in ["build", "build/"] {
            let (files, problems) = check.files(at: [alone, directory.file(folder)])
            #expect(files == [alone, directory.file("build/a.app"), directory.file("build/b.app")])
            #expect(problems.isEmpty)
            #expect(check.problems(of: files).map(\.severity) == [.error])
        }
        let none = check.files(at: [directory.file("empty"), directory.file("nowhere.app")])
        #expect(none.files == [directory.file("nowhere.app")])
        #expect(none.problems.first?.message == "is a folder without any *.app")
        // Where they count, who may write there matters.
        try directory.write("usr/a.app", text("Flatpak=org.example.A"))
        try #require(chmod(directory.file("usr"), 0o777) == 0)
        #expect(check.files(at: [directory.file("usr")]).problems.first?.message.contains("chmod go-w") == true)
    }

    @Test func `files that are checked together are held against each other, and against what is installed`() throws {
        try directory.write("usr/old.app", text("UserUnit=app-*trailmap*.scope"))
        let one = try directory.write("one.app", text("Flatpak=org.example.Map"))
        let two = try directory.write("two.app", text("Flatpak=org.example.Map\nUserUnit=app-trailmap-1.scope"))
        #expect(
            found(one, two) == [
                "one.app:4: error: Flatpak: is claimed by two too, so that a process would be neither. Write what only"
                    + " this app is known by",
                "two.app:5: error: UserUnit: is claimed by old too, so that a process would be neither. Write what only"
                    + " this app is known by",
                "two.app:4: error: Flatpak: is claimed by one too, so that a process would be neither. Write what only"
                    + " this app is known by",
            ])
        // A new version of an installed manifest does not compete with it.
        let new = try directory.write("old.app", text("UserUnit=app-*trailmap*.scope"))
        #expect(found(new) == [])
    }

    @Test func `a user's own manifest does not win over root's for the same processes`() throws {
        try directory.write("usr/map.app", text("UserUnit=trailmap.scope"))
        let own = try directory.write("home/mine.app", text("UserUnit=*trailmap*"))
        #expect(found(own).first?.contains("is claimed by map too, which is root's and wins") == true)
        let same = try directory.write("home/map.app", text("UserUnit=*trailmap*"))
        #expect(found(same).first?.contains("the system has a manifest of this name") == true)
        #expect(found(same).count == 1)
        // Nor one of an instance where the template is root's.
        try directory.write("usr/fleet@.app", text("UserUnit=fleet@.service"))
        let instance = try directory.write("home/fleet@north.app", text("UserUnit=north.service"))
        #expect(found(instance).first?.contains("the system has a manifest of this name") == true)
    }

    @Test func `keys that only root may use are ignored in a user's folder`() throws {
        let own = try directory.write("home/mine.app", text("Unit=map.service\nUserUnit=map.scope"))
        #expect(found(own).first?.contains("only root's manifests may say that") == true)
        #expect(
            ManifestCheck(among: [], as: .user(user)).problems(of: [
                try directory.write("x.app", text("Unit=m.service"))
            ])
            .contains { $0.severity == .warning && $0.key == "Unit" })
    }

    @Test func `everything that is installed is checked, and an empty file is no mistake`() throws {
        try directory.write("usr/a.app", text("Flatpak=org.example.A"))
        try directory.write("usr/b.app", "")
        try directory.write("usr/c.app", text("Exec=map"))
        try #require(chmod(try directory.write("usr/d.app", text("Flatpak=org.example.D")), 0o666) == 0)
        let installed = check.installedProblems
        #expect(installed.count == 4)
        #expect(installed.problems.map(\.severity) == [.error, .error])
        #expect(installed.problems[0].message.contains("is not an absolute path"))
        #expect(installed.problems[1].message.contains("chmod go-w"))
        // A package that is being built may have any owner and mode.
        try #require(chmod(try directory.write("d.app", text("Flatpak=org.example.D")), 0o666) == 0)
        #expect(found(directory.file("d.app")) == [])
    }

    @Test func `a program that the kernel knows by another name is pointed out`() throws {
        let real = try directory.write("map-1.2", "\u{7F}ELF…")
        let link = directory.file("map")
        try #require(symlink(real, link) == 0)
        let script = try directory.write("tides", "#!/bin/sh -e\nexit\n")
        let files = try [link, script, real, directory.path].enumerated().map { index, path in
            try directory.write("\(index).app", text("Exec=\(path)"))
        }
        let messages = files.map { found($0).last ?? "" }
        #expect(messages[0].contains("leads to map-1.2, and that is how the kernel knows it"))
        #expect(messages[1].contains("is a script, which the kernel knows as /"))
        #expect(messages[2].contains("is the weakest proof"))
        #expect(messages[3].contains("is not a regular file"))
    }

    @Test(
        arguments: [
            ("*-org.example.Map[-@]*", "app-gnome-org.example.Map-4711.scope", true),
            ("*-org.example.Map[-@]*", "app-org.example.Map@1a2b.service", true),
            ("*-org.example.Map[-@]*", "dbus-:1.2-org.example.Map@0.service", true),
            ("*-org.example.Map[-@]*", "app-org.example.MapEditor@1a2b.service", false),
            ("app-*trail*.scope", "app-trail-1.scope", true), ("app-*trail*.scope", "app-trail-1.service", false),
        ])
    func `a pattern fits what it should`(pattern: String, name: String, fits: Bool) throws {
        #expect(IdentityKey.userUnit.objection(to: pattern) == nil)
        #expect(UnitPattern(pattern).fits(name) == fits)
        let file = try directory.write("usr/a.app", text("UserUnit=\(pattern)"))
        #expect(found(file) == [])
        var catalogue = Catalogue()
        catalogue.readShared([ManifestFolder(path: directory.file("usr"), owner: .root)])
        let other = ManifestReading(Array(text("UserUnit=\(name)").utf8), id: "b", path: "b.app", owner: .root)
        #expect(catalogue.claims(of: try #require(other.manifest)).isEmpty == !fits)
    }

    @Test(arguments: [
        "*service*", "app-*.s*", "*[-@]*", "*[-@abc]*.scope", "map[.scope", "map].scope", "m[]ap*", "map",
    ])
    func `a pattern that fits nearly everything, or is none, is refused`(pattern: String) {
        #expect(IdentityKey.userUnit.objection(to: pattern) != nil)
    }
}

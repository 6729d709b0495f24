import Authorization
import Glibc
import Platform
import TestSupport
import Testing

@testable import Manifests

@Suite struct TemplateTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func manifest(_ lines: String...) -> String {
        "[App]\nName=Upload\nWhenInUseUsageDescription=Sends where this machine is to a server.\n"
            + lines.joined(separator: "\n") + "\n"
    }

    private func catalogue(_ files: [(String, String)]) throws -> Catalogue {
        for (name, text) in files { try directory.write(name.contains("/") ? name : "usr/\(name)", text) }
        var catalogue = Catalogue()
        catalogue.readShared(["usr", "etc"].map { ManifestFolder(path: directory.file($0), owner: .root) })
        return catalogue
    }

    private func match(_ catalogue: Catalogue, _ unit: String, uid: uid_t = 61_234) -> Catalogue.Match {
        let evidence = PeerEvidence(
            processID: 1, userID: uid, listener: nil,
            controlGroup: ControlGroup(path: "/system.slice/system-waymark.slice/\(unit)"),
            program: .unknown("may not be read"))
        return catalogue.match(evidence)
    }

    private func reason(_ match: Catalogue.Match) -> String? {
        if case .unidentified(let why) = match { why } else { nil }
    }

    private static let unit = "Unit=waymark-upload@.service"

    @Test func `each instance of a template's unit is an app of its own`() throws {
        let catalogue = try catalogue([("waymark-upload@.app", manifest(Self.unit))])
        #expect(catalogue.sharedProblems == [])
        for instance in ["home", "fleet-7", "a.b_c", "1"] {
            let id = "waymark-upload@\(instance)"
            #expect(match(catalogue, "\(id).service") == .app(id: id, by: .unit))
            let manifest = try #require(catalogue.manifests[AppID(uid: 0, name: id)])
            #expect(manifest.binding == ManifestBinding([.unit: "\(id).service"]))
            #expect(manifest.name.text == "Upload (\(instance))")
            #expect(catalogue.manifest(id, uid: 0)?.path == directory.file("usr/waymark-upload@.app"))
        }
        #expect(catalogue.manifests[AppID(uid: 0, name: "waymark-upload@")] == nil, "a template is no app")
        #expect(catalogue.manifests[AppID(uid: 0, name: "waymark-upload")] == nil)
        #expect(reason(match(catalogue, "waymark-upload@.service")) != nil)
        #expect(reason(match(catalogue, "other@home.service")) != nil)
        #expect(reason(match(catalogue, "waymark-upload@home.socket")) != nil)
    }

    @Test(arguments: [#"a\x2db"#, "a@b", "a:b", ".a", "a..b", String(repeating: "a", count: 120)])
    func `an instance whose name no app can have is reported`(instance: String) throws {
        let catalogue = try catalogue([("waymark-upload@.app", manifest(Self.unit))])
        let why = try #require(reason(match(catalogue, "waymark-upload@\(instance).service")))
        #expect(why.contains("this instance of waymark-upload@"), "\(why)")
    }

    @Test func `an instance's own manifest is the only one it has`() throws {
        let catalogue = try catalogue([
            ("up@.app", manifest("Unit=up@.service")), ("up@a.app", manifest("Unit=up@a.service", "Record=yes")),
            ("up@b.app", manifest("Unit=elsewhere.service")), ("etc/up@c.app", ""), ("etc/up@d.app", "nonsense"),
        ])
        #expect(match(catalogue, "up@a.service") == .app(id: "up@a", by: .unit))
        #expect(catalogue.manifests[AppID(uid: 0, name: "up@a")]?.mayRecord == true)
        #expect(match(catalogue, "elsewhere.service") == .app(id: "up@b", by: .unit))
        for instance in ["b", "c", "d"] {
            #expect(reason(match(catalogue, "up@\(instance).service")) != nil, "\(instance)")
        }
        for instance in ["c", "d"] {
            #expect(catalogue.manifests[AppID(uid: 0, name: "up@\(instance)")] == nil)
            #expect(catalogue.manifest("up@\(instance)", uid: 0) == nil)
        }
        #expect(match(catalogue, "up@e.service") == .app(id: "up@e", by: .unit))
    }

    @Test func `a removed template leaves its instances without manifests`() throws {
        var catalogue = try catalogue([("up@.app", manifest("Unit=up@.service"))])
        #expect(catalogue.manifests[AppID(uid: 0, name: "up@a")] != nil)
        unlink(directory.file("usr/up@.app"))
        catalogue.readShared([ManifestFolder(path: directory.file("usr"), owner: .root)])
        #expect(catalogue.manifests[AppID(uid: 0, name: "up@a")] == nil)
        #expect(reason(match(catalogue, "up@a.service")) != nil)
    }

    @Test(.enabled(if: Capability.changeOwners.isHeld, "only root can give files away"))
    func `a user's template is for that user's units, and never replaces root's`() throws {
        var catalogue = try catalogue([
            ("up@.app", manifest("UserUnit=up@.service")), ("own@x.app", manifest("Exec=/usr/bin/own")),
        ])
        for (name, text) in [
            ("up@.app", manifest("UserUnit=up@.service", "Record=yes")),
            ("own@.app", manifest("UserUnit=own@.service")),
            ("wrong@.app", manifest("Unit=wrong@.service")),
        ] {
            chown(try directory.write("home/\(name)", text), 1000, 1000)
        }
        chown(directory.file("home"), 1000, 1000)
        catalogue.readPersonal(ManifestFolder(path: directory.file("home"), owner: .user(1000)))
        func match(_ unit: String, uid: uid_t) -> Catalogue.Match {
            catalogue.match(
                PeerEvidence(
                    processID: 1, userID: uid, listener: nil,
                    controlGroup: ControlGroup(
                        path: "/user.slice/user-\(uid).slice/user@\(uid).service/app.slice/\(unit)"),
                    program: .unknown("may not be read")))
        }
        let manifests = catalogue.manifests
        #expect(match("up@a.service", uid: 1000) == .app(id: "up@a", by: .userUnit))
        #expect(match("up@a.service", uid: 1001) == .app(id: "up@a", by: .userUnit))
        #expect(manifests[AppID(uid: 1000, name: "up@a")]?.mayRecord == false)
        #expect(manifests[AppID(uid: 1001, name: "up@a")]?.mayRecord == false)
        #expect(match("own@y.service", uid: 1000) == .app(id: "own@y", by: .userUnit))
        // Root's manifest of an instance is nearer than a user's of all.
        #expect(reason(match("own@x.service", uid: 1000)) != nil)
        #expect(manifests.users(named: "up@a").isEmpty)
        #expect(manifests.users(named: "own@y") == [1000])
        #expect(manifests.users(named: "own@x").isEmpty)
        #expect(
            catalogue.personalProblems(of: 1000).contains { $0.severity == .error && $0.file.hasSuffix("wrong@.app") })
    }

    @Test(arguments: [
        "Unit=up.service", "Unit=up@home.service", "Unit=up@*.service", "Exec=/usr/bin/up", "Socket=up",
        "Flatpak=org.example.Up", "Unit=@.service", "Unit=a@b@.service", "UserUnit=up@.scope",
    ]) func `a template is known by a template's unit and nothing else`(line: String) {
        let reading = ManifestReading(
            Array(manifest(line).utf8), id: "up@", path: "up@.app", owner: .root)
        #expect(reading.manifest == nil)
        #expect(reading.problems.contains { $0.severity == .error && $0.line == 4 }, "\(reading.problems)")
    }

    @Test(arguments: [
        ("a", true), ("a@b", true), ("a@b-c.d_e", true), ("a@", false), ("@a", false), ("a@@b", false),
        ("a@b@c", false),
        ("a@.b", false), ("a@-b", false), ("a@b..c", false), ("a@" + String(repeating: "b", count: 127), false),
    ]) func `an id may have one instance`(id: String, isValid: Bool) {
        #expect(AppName.isValid(id) == isValid)
    }

    @Test func `only a name with an at sign at its end is a template`() {
        #expect(AppName.isTemplate("a@"))
        for id in ["a", "@", "a@b", "a@@", ".a@"] { #expect(!AppName.isTemplate(id)) }
    }

    @Test func `manifests that claim the same units are reported`() throws {
        let catalogue = try catalogue([
            ("up@.app", manifest("Unit=up@.service")), ("up@a.app", manifest("Unit=up@a.service")),
            ("up@b.app", manifest("Unit=up@c.service")), ("name.app", manifest("Unit=up@d.service")),
            ("pattern.app", manifest("Unit=up@*.service")), ("twin@.app", manifest("Unit=up@.service")),
            ("far@.app", manifest("Unit=upper@.service")),
        ])
        func claims(_ id: String) throws -> [String] {
            catalogue.claims(of: try #require(catalogue.shared[id])).flatMap(\.apps)
        }
        #expect(try claims("up@") == ["name", "pattern", "twin@", "up@b"])
        #expect(try !claims("up@a").contains("up@"))
        #expect(try claims("name").contains("up@"))
        #expect(try claims("far@").isEmpty)
    }

    @Test func `an ordinary manifest that names a template's unit is reported as matching no process`() throws {
        let reading = ManifestReading(Array(manifest("Unit=up@.service").utf8), id: "up", path: "up.app", owner: .root)
        #expect(ManifestLint.examine(reading).contains { $0.message.contains("call the file NAME@.app") })
    }

    @Test func `a restriction of a template is one of all its instances`() {
        func rules(_ texts: String...) -> Restrictions {
            var rules = RestrictionRules()
            for text in texts { rules.apply(Array("[Restrictions]\n\(text)\n".utf8), path: "a.conf") }
            #expect(rules.problems == [])
            return rules.restrictions
        }
        func denied(_ rules: Restrictions) -> [String] {
            ["up@a", "up@b", "up", "other@a"].filter { rules.denies(AppID(uid: 0, name: $0)) }
        }
        #expect(denied(rules("DenyApps=up@")) == ["up@a", "up@b"])
        #expect(denied(rules("DenyApps=up@a")) == ["up@a"])
        #expect(denied(rules("AllowOnlyApps=up@")) == ["up", "other@a"])
        #expect(denied(rules("AllowOnlyApps=up@a up")) == ["up@b", "other@a"])
        // Two lists leave what is in both.
        #expect(denied(rules("AllowOnlyApps=up@ up", "AllowOnlyApps=up@b other@")) == ["up@a", "up", "other@a"])
        var wrong = RestrictionRules()
        wrong.apply(Array("[Restrictions]\nDenyApps=a@b@c\n".utf8), path: "a.conf")
        #expect(wrong.problems.count == 1)
    }
}

import Glibc
import Platform
import TestSupport
import TestTraits
import Testing

@testable import Manifests

@Suite(.computes) struct CatalogueTests {
    private let directory: TemporaryDirectory
    private let user = getuid() == 0 ? 1000 : getuid()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func folder(_ name: String, owner: FileOwner = .root) -> ManifestFolder {
        ManifestFolder(path: directory.file(name), owner: owner)
    }

    private func manifest(_ lines: String...) -> String {
        "[App]\nName=Map\nWhenInUseUsageDescription=Shows the map.\n" + lines.joined(separator: "\n") + "\n"
    }

    private func catalogue(_ files: [(String, String)]) throws -> Catalogue {
        for (name, text) in files { try directory.write("usr/\(name)", text) }
        var catalogue = Catalogue()
        catalogue.readShared([folder("usr"), folder("etc")])
        return catalogue
    }

    private func evidence(
        uid: uid_t = 1000, listener: String? = nil, group: String? = nil, program: String? = nil
    ) -> PeerEvidence {
        PeerEvidence(
            processID: 1, userID: uid, listener: listener, controlGroup: group.map(ControlGroup.init(path:)),
            program: program.map { .file($0) } ?? .unknown("may not be read"))
    }

    private let scope = "/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-trailmap-12.scope"

    @Test func `a process is the app whose manifest names it, by each kind of proof`() throws {
        let catalogue = try catalogue([
            ("socket.app", manifest("Socket=map")), ("unit.app", manifest("Unit=map.service")),
            ("units.app", manifest("Unit=upload@*.service")), ("user.app", manifest("UserUnit=app-*trailmap*.scope")),
            ("flatpak.app", manifest("Flatpak=org.example.Map")), ("exec.app", manifest("Exec=/usr/bin/map")),
        ])
        #expect(catalogue.sharedProblems == [])
        #expect(catalogue.match(evidence(listener: "map")) == .app(id: "socket", by: .socket))
        #expect(catalogue.match(evidence(group: "/system.slice/map.service")) == .app(id: "unit", by: .unit))
        #expect(
            catalogue.match(evidence(group: "/system.slice/upload@home.service")) == .app(id: "units", by: .unit))
        #expect(catalogue.match(evidence(group: scope)) == .app(id: "user", by: .userUnit))
        let flatpak = "/user.slice/user-1000.slice/user@1000.service/app.slice/app-flatpak-org.example.Map-7.scope"
        #expect(catalogue.match(evidence(group: flatpak)) == .app(id: "flatpak", by: .flatpak))
        #expect(catalogue.match(evidence(program: "/usr/bin/map")) == .app(id: "exec", by: .exec))
        // The strongest proof decides.
        #expect(
            catalogue.match(evidence(listener: "map", group: scope, program: "/usr/bin/map"))
                == .app(id: "socket", by: .socket))
        #expect(catalogue.match(evidence(group: scope, program: "/usr/bin/map")) == .app(id: "user", by: .userUnit))
        // Another user's unit is no proof.
        guard case .unidentified(let reason) = catalogue.match(evidence(uid: 1001, group: scope)) else {
            Issue.record("identified by another user's unit")
            return
        }
        #expect(reason.contains("its program may not be read"))
    }

    @Test func `a process that is two apps by the same proof is neither`() throws {
        let catalogue = try catalogue([
            ("a.app", manifest("UserUnit=app-*trail*.scope")),
            ("b.app", manifest("UserUnit=app-gnome-trailmap-*.scope")),
        ])
        #expect(catalogue.match(evidence(group: scope)) == .ambiguous(["a", "b"], by: .userUnit))
    }

    @Test func `a later folder wins, and a file there that does not count hides the earlier one`() throws {
        try directory.write("etc/a.app", manifest("Exec=/usr/bin/other"))
        try directory.write("etc/b.app", "nonsense")
        try directory.write("etc/c.app", "")
        symlink("/dev/null", directory.file("etc/d.app"))
        let catalogue = try catalogue(["a", "b", "c", "d", "e"].map { ("\($0).app", manifest("Exec=/usr/bin/\($0)")) })
        #expect(catalogue.match(evidence(program: "/usr/bin/other")) == .app(id: "a", by: .exec))
        #expect(catalogue.shared.keys.sorted() == ["a", "e"])
        #expect(catalogue.sharedProblems.allSatisfy { $0.file == directory.file("etc/b.app") })
        #expect(!catalogue.sharedProblems.isEmpty)
    }

    @Test func `folders that do not exist are empty`() {
        var catalogue = Catalogue()
        catalogue.readShared([folder("usr"), folder("etc")])
        #expect(catalogue.shared.isEmpty)
        #expect(catalogue.sharedProblems == [])
    }

    @Test(.enabled(if: Capability.changeOwners.isHeld, "only root can give files away"))
    func `a user's manifest counts for that user only`() throws {
        var catalogue = try catalogue([
            ("a.app", manifest("Exec=/usr/bin/a")), ("b.app", manifest("Exec=/usr/bin/b")),
        ])
        for (name, text) in [
            ("a.app", manifest("Exec=/usr/bin/mine")), ("b.app", "nonsense"),
            ("c.app", manifest("Exec=/usr/bin/c", "Unit=map.service")), ("d.app", manifest("Exec=/usr/bin/a")),
        ] {
            chown(try directory.write("home/\(name)", text), 1000, 1000)
        }
        chown(directory.file("home"), 1000, 1000)
        catalogue.readPersonal(folder("home", owner: .user(1000)))
        // Root's a and b are unchanged for all other users.
        guard case .unidentified = catalogue.match(evidence(program: "/usr/bin/mine")) else {
            Issue.record("a user's manifest took the name of one of root's")
            return
        }
        for id in ["a", "b"] {
            #expect(catalogue.match(evidence(program: "/usr/bin/\(id)")) == .app(id: id, by: .exec))
            #expect(catalogue.manifest(id, uid: 1000) == catalogue.manifest(id, uid: 1001))
        }
        #expect(catalogue.personalManifests(of: 1000).keys.sorted() == ["c", "d"])
        #expect(catalogue.personalProblems(of: 1000).contains { $0.message == Catalogue.outranked })
        #expect(catalogue.match(evidence(program: "/usr/bin/c")) == .app(id: "c", by: .exec))
        guard case .unidentified = catalogue.match(evidence(group: "/system.slice/map.service")) else {
            Issue.record("a user's manifest claimed a system service")
            return
        }
        #expect(catalogue.match(evidence(uid: 1001, program: "/usr/bin/a")) == .app(id: "a", by: .exec))
        #expect(catalogue.manifest("b", uid: 1001) != nil)
        #expect(catalogue.personalProblems(of: 1000).count >= 2)
        catalogue.forgetPersonal(of: 1000)
        #expect(catalogue.match(evidence(program: "/usr/bin/a")) == .app(id: "a", by: .exec))
    }

    @Test func `root's manifest comes before a user's where both claim a process`() throws {
        var catalogue = try catalogue([("root.app", manifest("Exec=/usr/bin/map"))])
        try directory.write("home/mine.app", manifest("Exec=/usr/bin/map"))
        catalogue.readPersonal(folder("home", owner: .user(geteuid())))
        #expect(catalogue.personalManifests(of: geteuid()).keys.sorted() == ["mine"])
        #expect(catalogue.match(evidence(uid: geteuid(), program: "/usr/bin/map")) == .app(id: "root", by: .exec))
    }

    @Test func `root's manifest comes before a user's that has a stronger proof, and both fit`() throws {
        var catalogue = try catalogue([
            ("root.app", manifest("Exec=/usr/bin/map")), ("up@.app", manifest("UserUnit=up@.service")),
        ])
        try directory.write("home/mine.app", manifest("UserUnit=app-gnome-trailmap-*.scope"))
        try directory.write("home/root.app", manifest("UserUnit=app-gnome-*-12.scope"))
        let user = geteuid()
        catalogue.readPersonal(folder("home", owner: .user(user)))
        let units = "/user.slice/user-\(user).slice/user@\(user).service/app.slice"
        let peer = evidence(uid: user, group: "\(units)/app-gnome-trailmap-12.scope", program: "/usr/bin/map")
        #expect(catalogue.match(peer) == .app(id: "root", by: .exec))
        #expect(catalogue.fitting(peer) == ["root", "mine"])
        let other = evidence(uid: user, group: "\(units)/app-gnome-trailmap-12.scope")
        #expect(catalogue.match(other) == .app(id: "mine", by: .userUnit))
        // By a manifest that does not count as well.
        #expect(catalogue.fitting(other) == ["root", "mine"])
        #expect(!catalogue.isUnnamedInstance(other))
        let instance = evidence(uid: user, group: "\(units)/up@a:b.service")
        #expect(catalogue.isUnnamedInstance(instance))
        #expect(catalogue.fitting(instance) == ["up@", "up@a:b"])
    }

    @Test(.enabled(if: Capability.changeOwners.isHeld, "only root can give files away"), arguments: [0, 1, 2, 3])
    func `a file that somebody else may have written does not count`(route: Int) throws {
        let file = try directory.write("usr/a.app", manifest("Exec=/usr/bin/a"))
        switch route {
        case 0: chown(file, 1000, 1000)
        case 1: chmod(file, 0o664)
        case 2: chmod(file, 0o646)
        default: chmod(directory.file("usr"), 0o777)
        }
        let catalogue = try catalogue([])
        #expect(catalogue.shared.isEmpty)
        #expect(catalogue.sharedProblems.count == 1)
    }

    @Test(.enabled(if: Capability.changeOwners.isHeld, "only root can give files away"))
    func `a user's folder gives no access to files that the user may not read`() throws {
        let secret = try directory.write("secret", "root:secret")
        chmod(secret, 0o600)
        mkdir(directory.file("home"), 0o755)
        symlink(secret, directory.file("home/a.app"))
        mkfifo(directory.file("home/b.app"), 0o644)
        chown(directory.file("home/b.app"), 1000, 1000)
        chown(directory.file("home"), 1000, 1000)
        var catalogue = Catalogue()
        catalogue.readPersonal(folder("home", owner: .user(1000)))
        let problems = catalogue.personalProblems(of: 1000)
        #expect(problems.count == 2)
        #expect(!problems.contains { $0.description.contains("root:secret") })
        #expect(catalogue.personalManifests(of: 1000).isEmpty)
    }

    @Test func `a user's folder is below the user's home`() throws {
        let root = try ManifestFolder.personal(of: 0)
        #expect(root == ManifestFolder(path: "/root/.config/waymark/apps", owner: .user(0)))
        #expect(try ManifestFolder.personal(of: 4_000_000_000) == nil)
    }

    @Test func `patterns are found among many, as trying each would find them`() {
        var generator = SeededGenerator()
        let letters = Array("abcd")
        func word(_ count: Int) -> String {
            String((0..<count).map { _ in letters.randomElement(using: &generator) ?? "a" })
        }
        var manifests: [ManifestFile] = []
        for number in 0..<500 {
            let pattern =
                "app-\(Bool.random(using: &generator) ? "*" : "")\(word(Int.random(in: 3...5, using: &generator)))*.scope"
            let reading = ManifestReading(
                Array(manifest("UserUnit=\(pattern)").utf8), id: "m\(number)", path: "m", owner: .root)
            if let manifest = reading.manifest { manifests.append(manifest) }
        }
        #expect(manifests.count == 500)
        let index = IdentityIndex(manifests)
        for _ in 0..<200 {
            let name = "app-\(word(8))-12.scope"
            let expected = manifests.filter { UnitPattern($0.identity[.userUnit] ?? "").fits(name) }.map(\.id).sorted()
            #expect(index.apps(.userUnit, name).sorted() == expected, "\(name), \(generator)")
        }
    }

    @Test func `ten thousand manifests are read and searched`() throws {
        for number in 0..<10_000 {
            try directory.write(
                "usr/org.example.app\(number).app",
                """
                [App]
                Name=Trail Map \(number)
                Name[ko]=등산 지도 \(number)
                UserUnit=app-*trailmap\(number)-*.scope
                Exec=/usr/bin/trailmap\(number)
                WhenInUseUsageDescription=Shows where you are on the map.
                WhenInUseUsageDescription[ko]=지도에 현재 위치를 표시합니다.
                AlwaysAndWhenInUseUsageDescription=Records your hike while the screen is off.
                Record=yes
                [TemporaryUsage]
                Navigation=Spoken directions need your exact position.
                """)
        }
        let clock = SystemClock()
        var catalogue = Catalogue()
        let start = clock.monotonicNanoseconds
        catalogue.readShared([folder("usr")])
        let loaded = clock.monotonicNanoseconds
        #expect(catalogue.shared.count == 10_000)
        let peer = evidence(
            group: "/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-trailmap4711-12.scope",
            program: "/usr/bin/trailmap4711")
        for _ in 0..<1_000 { #expect(catalogue.match(peer) == .app(id: "org.example.app4711", by: .userUnit)) }
        let matched = clock.monotonicNanoseconds
        print(
            "10,000 manifests: read in \((loaded - start) / 1_000_000) ms, a match in \((matched - loaded) / 1_000_000) µs"
        )
    }
}

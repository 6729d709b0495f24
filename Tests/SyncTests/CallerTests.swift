import Authorization
import Location
import Platform
import Records
import TestSupport
import Testing

@testable import Manifests
@testable import Sync

/// Who may use which containers.
@Suite struct CallerTests {
    private static let alice: UInt32 = 1_000
    private static let bob: UInt32 = 1_001

    private static func manifest(
        _ id: String, _ owner: FileOwner, _ containers: [String], exec: String? = nil, unit: String? = nil,
        development: Bool = false
    ) throws -> ManifestFile {
        let lines =
            ["[App]", "Name=\(id)", "Containers=\(containers.joined(separator: " "))"]
            + (exec.map { ["Exec=\($0)"] } ?? []) + (unit.map { ["Unit=\($0)"] } ?? [])
            + (development ? ["Environment=development"] : [])
        let reading = ManifestReading(
            Array(lines.joined(separator: "\n").utf8), id: id, path: "/manifests/\(id).app", owner: owner)
        return try #require(reading.manifest, "\(reading.problems)")
    }

    private static func caller(
        _ program: String, uid: UInt32, _ manifests: [ManifestFile], own: UInt32 = alice
    ) -> SyncCaller {
        var catalogue = Catalogue()
        catalogue.suppose(manifests)
        let evidence = PeerEvidence(processID: 1, userID: uid, program: .file(program))
        return CallerDirectory.caller(evidence, catalogue, own: own)
    }

    private static let notes = named("org.example.notes") as ContainerName

    @Test func `an app has the containers of its manifest`() throws {
        let app = try Self.manifest("notes", .root, ["org.example.notes"], exec: "/usr/bin/notes")
        #expect(
            Self.caller("/usr/bin/notes", uid: Self.alice, [app])
                == .app(id: "notes", containers: [Self.notes], .production))
        let plain = try Self.manifest("other", .root, ["org.example.other"], exec: "/usr/bin/other")
        #expect(
            Self.caller("/usr/bin/other", uid: Self.alice, [app, plain])
                == .app(id: "other", containers: [named("org.example.other")], .production))
    }

    @Test func `an app of a user's own has no container of an app of the system`() throws {
        let app = try Self.manifest("notes", .root, ["org.example.notes"], exec: "/usr/bin/notes")
        let thief = try Self.manifest(
            "thief", .user(Self.alice), ["org.example.notes", "org.example.own"], exec: "/home/alice/thief")
        #expect(
            Self.caller("/home/alice/thief", uid: Self.alice, [app, thief])
                == .app(id: "thief", containers: [named("org.example.own")], .production))
        let bold = try Self.manifest(
            "bold", .user(Self.alice), ["org.example.notes"], exec: "/home/alice/bold")
        guard case .stranger(let why) = Self.caller("/home/alice/bold", uid: Self.alice, [app, bold]) else {
            Issue.record("the app of the user has a container of the system's app")
            return
        }
        #expect(why.contains("org.example.notes"))
    }

    @Test func `development is for a user's own manifests`() throws {
        let own = try Self.manifest(
            "own", .user(Self.alice), ["org.example.own"], exec: "/home/alice/own", development: true)
        #expect(
            Self.caller("/home/alice/own", uid: Self.alice, [own])
                == .app(id: "own", containers: [named("org.example.own")], .development))
        let systems = try Self.manifest(
            "notes", .root, ["org.example.notes"], exec: "/usr/bin/notes", development: true)
        #expect(
            Self.caller("/usr/bin/notes", uid: Self.alice, [systems])
                == .app(id: "notes", containers: [Self.notes], .production))
    }

    @Test func `without a manifest only the person and root are served`() throws {
        #expect(Self.caller("/bin/bash", uid: Self.alice, []) == .person)
        #expect(Self.caller("/bin/bash", uid: 0, []) == .person)
        guard case .stranger = Self.caller("/bin/bash", uid: Self.bob, []) else {
            Issue.record("another user acts for the person")
            return
        }
        let app = try Self.manifest("notes", .root, ["org.example.notes"], exec: "/usr/bin/notes")
        guard case .stranger = Self.caller("/usr/bin/notes", uid: Self.bob, [app]) else {
            Issue.record("another user's app uses the account of the person")
            return
        }
        let silent = try ManifestFile.withoutContainers("silent", exec: "/usr/bin/silent")
        guard case .stranger(let why) = Self.caller("/usr/bin/silent", uid: Self.alice, [silent]) else {
            Issue.record("an app without containers acts for the person")
            return
        }
        #expect(why.contains("Containers="))
    }

    @Test(arguments: [
        "Containers=", "Containers=a a", "Containers=../a", "Containers=a/b", "Environment=test",
        "Containers=" + (0..<17).map { "a\($0)" }.joined(separator: " "),
    ])
    func `a manifest with a wrong list is refused`(line: String) {
        let text = "[App]\nName=Notes\nExec=/usr/bin/notes\n\(line)\n"
        let reading = ManifestReading(Array(text.utf8), id: "notes", path: "/notes.app", owner: .root)
        #expect(reading.manifest == nil && reading.problems.count == 1)
    }
}

extension ManifestFile {
    fileprivate static func withoutContainers(_ id: String, exec: String) throws -> ManifestFile {
        let text = "[App]\nName=\(id)\nExec=\(exec)\n"
        return try #require(
            ManifestReading(Array(text.utf8), id: id, path: "/manifests/\(id).app", owner: .root).manifest)
    }
}

import Glibc
import Platform
import TestSupport
import Testing

@testable import Waymark

/// Saving and restoring with real files.
struct StateStoreTests {
    private let scene: StateScene

    init() throws { scene = try StateScene() }

    @Test func `a state is restored once, by the next process`() throws {
        #expect(try scene.restore().result.isNothing)
        try scene.save(1)
        try scene.save(2)
        #expect(scene.names == ["restoration.state"])
        var status = stat()
        #expect(stat(scene.file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let first = try scene.restore()
        #expect(first.number == 2 && first.result.isRestored)
        #expect(scene.names == [])
        #expect(try scene.restore().result.isNothing)
    }

    @Test func `a state is saved and restored only if the app wants it`() throws {
        let store = try scene.store()
        #expect(try store.save(if: { false }, { _ in Issue.record("encoded") }) == .unwanted)
        #expect(scene.names == [])
        #expect(try store.save { $0.encode(4, for: .number) } == .saved)
        #expect(try store.save(if: { false }, { _ in }) == .unwanted)
        var asked: SavedState?
        let result = try store.restore(
            if: {
                asked = $0
                return false
            },
            { _ in Issue.record("restored") })
        #expect(result.reason == .unwanted && scene.names == [])
        #expect(asked?.version == 1 && asked?.format == 1 && asked?.archive?.root.decode(.number) == 4)
    }

    @Test func `while the app sees a state, its file is marked as opened, and nothing can be saved`() throws {
        try scene.save(1)
        let store = try scene.store()
        let result = try store.restore(if: { _ in
            #expect(scene.names == ["restoration.state.opened"])
            return true
        }) { _ in
            #expect(scene.names == ["restoration.state.opened"])
            let saving = try store.save { $0.encode(2, for: .number) }
            #expect(saving == .restoring)
        }
        #expect(result.isRestored && scene.names == [])
        #expect(try store.save { $0.encode(3, for: .number) } == .saved)
        #expect(try scene.restore().number == 3)
    }

    @Test func `a restoration that waits is in progress until its closure has returned`() async throws {
        try scene.save(1)
        let store = try scene.store()
        let scene = scene
        let result = try await store.restore { state in
            await Task.yield()
            let saving = try store.save { _ in }
            #expect(saving == .restoring)
            #expect(state.decode(.number) == 1 && scene.names == ["restoration.state.opened"])
        }
        #expect(result.isRestored && scene.names == [])
    }

    private struct Fault: Error {}

    @Test func `a state whose restoration failed is deleted`() throws {
        try scene.save(1)
        guard case .failed(let error) = try scene.store().restore({ _ in throw Fault() }) else {
            Issue.record("did not fail")
            return
        }
        #expect(error is Fault && scene.names == [])
        try scene.save(1)
        let migration = try scene.store(version: 2).restore(migrating: { _ in throw Fault() }, { _ in })
        guard case .failed = migration else {
            Issue.record("did not fail")
            return
        }
        #expect(scene.names == [])
    }

    @Test func `the state of an app that was forced to quit is discarded`() throws {
        try scene.save(1)
        #expect(
            try scene.store().restore(afterForcedQuit: true, { _ in Issue.record("restored") }).reason == .forcedQuit)
        #expect(scene.names == [])
        #expect(try scene.store().restore(afterForcedQuit: true, { _ in }).isNothing)
        try scene.save(2)
        try scene.store().discard()
        #expect(scene.names == [])
        #expect(try scene.restore().result.isNothing)
    }

    // Versions

    @Test(arguments: [1, 3]) func `the state of an older or newer version of the app is migrated or discarded`(
        _ version: Int
    ) throws {
        try scene.save(5, version: version)
        let other = Restoration.DiscardReason.version(SavedVersion(format: 1, app: version))
        #expect(try scene.restore(version: 2).result.reason == other)
        #expect(scene.names == [])

        try scene.save(5, version: version)
        var title: String?
        let result = try scene.store(version: 2).restore(migrating: { saved in
            #expect(scene.names == ["restoration.state.opened"])
            let number = saved.archive?.root.decode(.number) ?? 0
            return try StateArchive { $0.encode("\(number) of \(saved.version ?? 0)", for: .title) }
        }) { title = $0.decode(.title) }
        #expect(result.isRestored && title == "5 of \(version)" && scene.names == [])
    }

    @Test func `a state of an unknown format is offered to the app as it is, or discarded`() throws {
        let body = Array(#"{"version":"9.1"}"#.utf8)
        let contents = StateFile.header(of: body, format: 2) + body
        try scene.directory.write("restoration.state", bytes: contents)
        var offered: SavedState?
        let result = try scene.store().restore(
            migrating: {
                offered = $0
                return nil
            },
            { _ in Issue.record("restored") })
        #expect(result.reason == .version(SavedVersion(format: 2, app: nil)))
        #expect(offered?.format == 2 && offered?.version == nil && offered?.archive == nil)
        #expect(offered?.contents == body && scene.names == [])
    }

    // Limits

    @Test func `a state of the greatest size is restored, and a larger one is an error that leaves the old one`() throws
    {
        let store = try scene.store()
        let empty = try StateFile.encode(StateArchive { $0.encode("", for: .title) }, version: 1).count
        let most = StateStore.maximumSize - empty
        try store.save { $0.encode(String(repeating: "a", count: most), for: .title) }
        let error = #expect(throws: StateStoreError.self) {
            try store.save { $0.encode(String(repeating: "a", count: most + 1), for: .title) }
        }
        let limit = StateStore.maximumSize
        #expect(error == .notStorable(.tooLarge(bytes: limit + 1, limit: limit)))
        #expect("\(error.map(\.description) ?? "")".contains("1048577 bytes, and at most 1048576"))
        var length: Int?
        #expect(try store.restore { length = $0.decode(.title)?.utf8.count }.isRestored)
        #expect(length == most)
    }

    @Test func `a duplicate identifier is an error that leaves the old state`() throws {
        try scene.save(1)
        #expect(throws: StateStoreError.notStorable(.duplicateIdentifier(["a"]))) {
            try scene.store().save { state in
                state.child("a") { _ in }
                state.child("a") { _ in }
            }
        }
        #expect(try scene.restore().number == 1)
    }

    private static func smallDisk(kibibytes: Int) throws -> SmallDisk {
        let disk = try SmallDisk(kibibytes: kibibytes)
        try retrying("chmod") { chmod(disk.path, 0o700) }
        return disk
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root may mount a file system"))
    func `on a full disk the old state remains, and nothing of the new one`() throws {
        let disk = try Self.smallDisk(kibibytes: 256)
        let store = try StateStore(app: "org.example.Reader", version: 1, folder: disk.path)
        try store.save { $0.encode(1, for: .number) }
        try disk.fill()
        let error = #expect(throws: StateStoreError.self) {
            try store.save { $0.encode(String(repeating: "a", count: 100_000), for: .title) }
        }
        guard case .system(let cause)? = error else {
            Issue.record("ended with \(String(describing: error))")
            return
        }
        #expect(cause.code == ENOSPC && "\(error.map(\.description) ?? "")".contains("disk is full"))
        #expect(DirectoryListing.names(disk.path).sorted() == ["filler", "restoration.state"])
        var number: Int?
        #expect(try store.restore { number = $0.decode(.number) }.isRestored)
        #expect(number == 1)
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root may mount a file system"))
    func `a state that cannot be marked as opened is not shown to the app`() throws {
        let disk = try Self.smallDisk(kibibytes: 64)
        let store = try StateStore(app: "org.example.Reader", version: 1, folder: disk.path)
        try store.save { $0.encode(1, for: .number) }
        try disk.makeReadOnly()
        let error = #expect(throws: StateStoreError.self) { try store.restore { _ in Issue.record("restored") } }
        guard case .system(let cause)? = error else {
            Issue.record("ended with \(String(describing: error))")
            return
        }
        #expect(cause.code == EROFS)
    }

    // Names and folders

    @Test(arguments: ["", ".", "..", "a/b", ".hidden", "a b", "é", String(repeating: "a", count: 101)])
    func `an app or a store has a name that is one of a file`(_ name: String) {
        #expect(throws: StateStoreError.invalidName(name)) {
            try StateStore(app: name, version: 1, folder: scene.directory.path)
        }
        #expect(throws: StateStoreError.invalidName(name)) {
            try StateStore(app: "a", name: name, version: 1, folder: scene.directory.path)
        }
    }

    @Test func `stores of different names are apart`() throws {
        let names = ["left", "right"]
        for name in names {
            let store = try StateStore(app: "a", name: name, version: 1, folder: scene.directory.path)
            try store.save { $0.encode(name, for: .title) }
        }
        for name in names {
            var title: String?
            let store = try StateStore(app: "a", name: name, version: 1, folder: scene.directory.path)
            #expect(try store.restore { title = $0.decode(.title) }.isRestored)
            #expect(title == name)
        }
    }

    @Test(
        arguments: [
            (["STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "XDG_STATE_HOME": "/s", "HOME": "/h"], "/var/lib/a", false),
            (["STATE_DIRECTORY": "", "XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/app", true),
            (["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/app", true),
            (["HOME": "/h"], "/h/.local/state/app", true),
        ] as [([String: String], String, Bool)])
    func `the environment names the folder`(_ environment: [String: String], _ path: String, _ isMade: Bool) {
        let location = StateLocation.folder(of: "app") { environment[$0] }
        #expect(location?.path == path && location?.isMade == isMade)
    }

    @Test func `without a folder in the environment there is none`() {
        #expect(StateLocation.folder(of: "app") { ["HOME": "relative"][$0] } == nil)
    }

    @Test func `the folder of a user is made with its parents, for this user only`() throws {
        let path = scene.directory.file(".local/state/app")
        _ = try StateFolder(path, isMade: true, name: "a")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(throws: StateStoreError.self) { try StateFolder(path + "/other", isMade: false, name: "a") }
    }
}

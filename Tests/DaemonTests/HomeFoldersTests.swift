import Accounts
import Glibc
import Manifests
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Daemon

/// Users' own manifests while the user database does not respond.
@Suite struct HomeFoldersTests {
    /// A user database that has one user.
    private final class Database: Sendable {
        private let folder: ManifestFolder
        /// The error with which it fails; zero if it responds.
        private let code = Atomic<Int32>(0)
        private let failures = Atomic(0)

        init(_ folder: ManifestFolder) { self.folder = folder }

        func fail(with code: Int32) { self.code.store(code, ordering: .releasing) }

        var failureCount: Int { failures.load(ordering: .acquiring) }

        func find(_ uid: UInt32) throws(SystemError) -> ManifestFolder? {
            let code = self.code.load(ordering: .acquiring)
            guard code == 0 else {
                failures.add(1, ordering: .acquiringAndReleasing)
                throw SystemError("look up the user", code: code)
            }
            return uid == geteuid() ? folder : nil
        }
    }

    private let directory: TemporaryDirectory
    private let database: Database
    private let uid = geteuid()

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
        try directory.write("home\(ManifestFolder.personalEnd)/one.app", "[App]\nName=One\n")
        database = Database(
            ManifestFolder(path: directory.file("home\(ManifestFolder.personalEnd)"), owner: .user(uid)))
    }

    @DaemonActor private func homes() -> HomeFolders {
        HomeFolders(texts: TextFile(directory: nil)) { [database] uid throws(SystemError) in try database.find(uid) }
    }

    @Test(arguments: [ECONNREFUSED, ENOENT, ESRCH])
    @DaemonActor func `manifests stay in force while their user cannot be looked up, and are read again afterwards`(
        _ code: Int32
    ) async throws {
        let homes = homes()
        homes.query(uid)
        #expect(try await eventually { () async throws -> Bool in homes.isKnown(uid) })
        guard let (folder, first) = homes.manifests(of: uid) else {
            Issue.record("the manifests were not read")
            return
        }
        #expect(first != ManifestFolder.Contents(of: folder))

        database.fail(with: code)
        try directory.write("home\(ManifestFolder.personalEnd)/two.app", "[App]\nName=Two\n")
        homes.refresh()
        // The first attempts are those after `refresh` and after the change of the folder. A further one needs neither.
        #expect(try await eventually { () async throws -> Bool in database.failureCount >= 3 })
        #expect(homes.manifests(of: uid)?.contents == first)

        database.fail(with: 0)
        #expect(
            try await eventually { () async throws -> Bool in
                homes.manifests(of: uid).map { $0.contents != first } ?? false
            })
    }

    @Test @DaemonActor func `a user who could not be looked up at first is looked up again`() async throws {
        let homes = homes()
        database.fail(with: ECONNREFUSED)
        homes.query(uid)
        #expect(try await eventually { () async throws -> Bool in homes.isKnown(uid) })
        #expect(homes.manifests(of: uid) == nil)
        database.fail(with: 0)
        #expect(try await eventually { () async throws -> Bool in homes.manifests(of: uid) != nil })
    }

    @Test @DaemonActor func `user ids of one account for which no server responds do not delay other users`()
        async throws
    {
        let server = SilentServer()
        defer { server.respond() }
        let homes = HomeFolders(texts: TextFile(directory: nil)) { server.find($0, isSilent: $0 >= 100_000) }
        for number: UInt32 in 0..<10 {
            // The first range of subordinate ids that useradd(8) assigns, from both ends.
            homes.query(100_000 + number)
            homes.query(165_535 - number)
        }
        homes.query(0)
        homes.query(5_000)
        #expect(try await eventually { () async throws -> Bool in homes.isKnown(0) && homes.isKnown(5_000) })
    }

    @Test @DaemonActor func `a directory server that does not respond does not delay the machine's own users`()
        async throws
    {
        let path = try directory.write("passwd", "root:x:0:0::/root:/bin/sh\none:x:1000:1000::/home/one:/bin/sh\n")
        let server = SilentServer()
        defer { server.respond() }
        let homes = HomeFolders(accounts: UserAccounts(path: path), texts: TextFile(directory: nil)) {
            server.find($0, isSilent: $0 != 1_000)
        }
        for block: UInt32 in 0..<10 { homes.query(block << 16 + 5_000) }
        homes.query(1_000)
        #expect(try await eventually { () async throws -> Bool in homes.isKnown(1_000) })
    }

    @Test @DaemonActor func `a user for whom the queue has no room has no manifests until there is room`()
        async throws
    {
        let server = SilentServer()
        defer { server.respond() }
        let homes = HomeFolders(texts: TextFile(directory: nil)) { server.find($0, isSilent: true) }
        var uid: UInt32 = 131_072
        while homes.refusals == 0, uid < 140_000 {
            uid += 1
            homes.query(uid)
        }
        #expect(try await eventually { () async throws -> Bool in homes.isKnown(uid) })
        #expect(homes.manifests(of: uid) == nil)
        #expect(homes.users == [uid], "the others are queued")
        server.respond()
        #expect(try await eventually { () async throws -> Bool in server.hasFound(uid) })
    }
}

/// A directory server that has no users, and does not respond for some user ids at first.
private final class SilentServer: Sendable {
    private let isResponding = Flag()
    private let found = Mutex<Set<UInt32>>([])

    /// From now on it responds for all user ids.
    func respond() { isResponding.set() }

    /// Whether a user id was looked up.
    func hasFound(_ uid: UInt32) -> Bool { found.withLock { $0.contains(uid) } }

    /// Looks up a user id. If the server is silent, this blocks until it responds.
    func find(_ uid: UInt32, isSilent: Bool) -> ManifestFolder? {
        while isSilent, !isResponding.isSet { usleep(1_000) }
        found.withLock { _ = $0.insert(uid) }
        return nil
    }
}

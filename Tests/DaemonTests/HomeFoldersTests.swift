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
}

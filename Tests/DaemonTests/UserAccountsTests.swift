import Platform
import TestSupport
import Testing

@testable import Daemon

/// Which user ids belong to accounts.
@Suite struct UserAccountsTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        LoopThread.start()
    }

    @Test @DaemonActor func `the file's accounts are known at once, and noticed when they come and go`() async throws {
        let path = try directory.write("passwd", "root:x:0:0::/root:/bin/sh\none:x:1000:1000::/home/one:/bin/sh\nbad\n")
        let accounts = UserAccounts(path: path) { _ in nil }
        accounts.start()
        #expect(accounts.name(of: 0) == "root" && accounts.name(of: 1000) == "one")
        #expect(!accounts.hasAccount(1001) && accounts.limitUser(1001) == UserAccounts.unaccounted)
        #expect(accounts.limitUser(1000) == 1000)
        var found: [UInt32] = []
        accounts.onFound = { found.append($0) }
        try directory.write("passwd", "root:x:0:0::/root:/bin/sh\ntwo:x:1001:1001::/home/two:/bin/sh\n")
        #expect(try await eventually { () async throws -> Bool in accounts.name(of: 1001) == "two" })
        #expect(!accounts.hasAccount(1000) && Set(found) == [1000, 1001])
    }

    @Test @DaemonActor func `another user id is looked up on a thread, and counts as none until then`() async throws {
        let path = try directory.write("passwd", "root:x:0:0::/root:/bin/sh\n")
        let accounts = UserAccounts(path: path) { $0 == 5000 ? "remote" : nil }
        var found: [UInt32] = []
        accounts.onFound = { found.append($0) }
        #expect(!accounts.hasAccount(5000))
        #expect(!accounts.hasAccount(100_000))
        #expect(try await eventually { () async throws -> Bool in found == [5000] })
        #expect(accounts.name(of: 5000) == "remote" && !accounts.hasAccount(100_000))
    }
}

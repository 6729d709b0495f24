import Platform
import Synchronization
import TestSupport
import Testing

@testable import Accounts

/// The accounts to which user ids belong.
@Suite struct UserAccountsTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        LoopThread.start()
    }

    @Test @DaemonActor func `the file's accounts are known at once, and its changes are noticed`() async throws {
        let path = try directory.write("passwd", "root:x:0:0::/root:/bin/sh\none:x:1000:1000::/home/one:/bin/sh\nbad\n")
        let accounts = UserAccounts(path: path) { _ in .absent }
        accounts.start()
        #expect(accounts.name(of: 0) == "root" && accounts.name(of: 1000) == "one")
        #expect(!accounts.hasAccount(1001) && accounts.limitUser(1001) == UserAccounts.unaccounted)
        #expect(accounts.limitUser(1000) == 1000)
        var found: [UInt32] = []
        accounts.onChange = { found.append($0) }
        try directory.write("passwd", "root:x:0:0::/root:/bin/sh\ntwo:x:1001:1001::/home/two:/bin/sh\n")
        #expect(try await eventually { () async throws -> Bool in accounts.name(of: 1001) == "two" })
        #expect(!accounts.hasAccount(1000) && Set(found) == [1000, 1001])
    }

    @Test @DaemonActor func `another user id is looked up on a thread, without an account until then`() async throws {
        let path = try directory.write("passwd", "root:x:0:0::/root:/bin/sh\n")
        let accounts = UserAccounts(path: path) {
            $0 == 5000 ? .present(name: "remote", isLocal: false) : .absent
        }
        var found: [UInt32] = []
        accounts.onChange = { found.append($0) }
        #expect(!accounts.hasAccount(5000))
        #expect(!accounts.hasAccount(100_000))
        #expect(try await eventually { () async throws -> Bool in found == [5000] })
        #expect(accounts.name(of: 5000) == "remote" && !accounts.hasAccount(100_000))
    }

    @Test @DaemonActor func `a file that is being written removes no account, and lookups are unknown`()
        async throws
    {
        let path = try directory.write("passwd", "root:x:0:0::/root:/bin/sh\none:x:1000:1000::/home/one:/bin/sh\n")
        let accounts = UserAccounts(path: path) { _ in .absent }
        var answers: [AccountAnswer] = []
        for text in ["", "one:x:10", "daemon:x:1:1::/:/bin/false\n"] {
            try directory.write("passwd", text)
            accounts.readLocal()
            accounts.lookUp(1000) { answers.append($0) }
            #expect(accounts.name(of: 1000) == "one")
        }
        #expect(answers == Array(repeating: .unknown("\(path) has no root"), count: 3))
        try directory.write("passwd", "root:x:0:0::/root:/bin/sh\n")
        accounts.readLocal()
        accounts.lookUp(1000) { answers.append($0) }
        #expect(try await eventually { () async throws -> Bool in answers.last == .absent })
    }

    @Test @DaemonActor func `a directory server that cannot be queried removes no account`() async throws {
        let path = try directory.write("passwd", "root:x:0:0::/root:/bin/sh\n")
        let answers = AnswersInOrder([
            .present(name: "remote", isLocal: false), .unknown("it does not respond"), .absent,
        ])
        let accounts = UserAccounts(path: path) { _ in answers.next() }
        var seen: [AccountAnswer] = []
        for count in 1...2 {
            accounts.lookUp(5000) { seen.append($0) }
            #expect(try await eventually { () async throws -> Bool in seen.count == count })
            #expect(accounts.name(of: 5000) == "remote")
        }
        accounts.lookUp(5000) { seen.append($0) }
        #expect(try await eventually { () async throws -> Bool in !accounts.hasAccount(5000) })
        #expect(seen == [.present(name: "remote", isLocal: false), .unknown("it does not respond"), .absent])
    }
}

/// The replies of a directory server, one after the other; the last is repeated.
private final class AnswersInOrder: Sendable {
    private let left: Mutex<[AccountAnswer]>

    init(_ answers: [AccountAnswer]) { left = Mutex(answers) }

    func next() -> AccountAnswer {
        left.withLock { answers in answers.count > 1 ? answers.removeFirst() : answers.first ?? .absent }
    }
}

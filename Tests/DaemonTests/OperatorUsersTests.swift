import Platform
import Synchronization
import TestSupport
import Testing

@testable import Daemon

/// Which users are operators without a connection.
@Suite struct OperatorUsersTests {
    init() { LoopThread.start() }

    @Test @DaemonActor func `a member of the group is an operator once the database has replied, and while it is one`()
        async throws
    {
        let members = Mutex<Set<UInt32>>([1_000])
        // A group that exists on every system.
        var changed: [UInt32] = []
        let changes = Changes { if case .operatorChanged(let uid) = $0 { changed.append(uid) } }
        let users = OperatorUsers(OperatorPolicy(groupName: "root"), changes: changes) { uid, _ in
            members.withLock { $0.contains(uid) }
        }
        #expect(users.contains(0))
        #expect(!users.contains(1_000) && !users.contains(1_001))
        var isDone = try await eventually { () async throws -> Bool in users.contains(1_000) }
        #expect(isDone)
        members.withLock { $0 = [] }
        users.accountChanged(1_000)
        isDone = try await eventually { () async throws -> Bool in !users.contains(1_000) }
        #expect(isDone && !users.contains(1_001))
        #expect(changed == [1_000, 1_000])
    }

    @Test @DaemonActor func `a database that cannot be queried changes nothing`() async throws {
        let reply = Mutex<Bool?>(true)
        let users = OperatorUsers(OperatorPolicy(groupName: "root"), changes: Changes()) { _, _ in reply.withLock { $0 }
        }
        let isDone = try await eventually { () async throws -> Bool in users.contains(1_000) }
        #expect(isDone)
        reply.withLock { $0 = nil }
        users.accountChanged(1_000)
        users.apply(OperatorPolicy(groupName: "root"))
        #expect(users.contains(1_000))
    }

    @Test func `root belongs to its group, and nobody does not`() {
        #expect(UserDatabase.isMember(0, of: 0) == true)
        #expect(UserDatabase.isMember(OtherUser.nobody, of: 0) == false)
    }
}

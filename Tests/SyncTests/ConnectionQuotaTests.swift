import Glibc
import Platform
import TestHubs
import TestSupport
import TestTraits
import Testing
import Varlink

@testable import Sync

/// Many user ids of one account's subordinate range that connect to the socket of the machine's account, which is open to everybody.
@Suite(.waits, .timeLimit(.minutes(15)), .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct ConnectionQuotaTests {
    /// The first number of a range of subuid(5), for which no user database has an account.
    private static let subordinate: UInt32 = 2_000_200_000

    private func serve(_ machine: SyncProcess, as user: UInt32) throws -> Client {
        let client = try Client(adopting: OtherUser.connect(to: machine.socket, as: user))
        _ = try client.call("org.varlink.service.GetInfo", [:], timeout: .seconds(60))
        return client
    }

    @Test func `subordinate user ids share one quota, and leave root and accounts room`() throws {
        let machine = try SyncProcess()
        #expect(chmod(machine.folder.path, 0o755) == 0)
        var taken: [Client] = []
        // More than there may be in all, with the quota of a user for each of them.
        for user in 0..<18 {
            for _ in 0..<60 {
                if let client = attempt({ try serve(machine, as: Self.subordinate + UInt32(user)) }) {
                    taken.append(client)
                }
            }
        }
        #expect(taken.count == ServerLimits().maximumConnectionsPerUser)
        // A user with an account, and root.
        _ = try serve(machine, as: OtherUser.nobody)
        _ = try machine.status()
        withExtendedLifetime(taken) {}
    }

    /// What is in a control group, connects as a user, and is answered.
    private struct Visitor {
        let process: PeerProcess
        let client: Client

        init(_ machine: SyncProcess, as user: UInt32, in group: TemporaryControlGroup) throws {
            var script = PeerProcess.Script()
            script.user = user
            script.controlGroup = group.folder
            script.passesConnection = true
            process = try PeerProcess(connectingTo: machine.socket, script)
            client = try Client(adopting: OwnedDescriptor(adopting: dup(process.passed)))
            _ = try client.call("org.varlink.service.GetInfo", [:], timeout: .seconds(60))
        }
    }

    @Test(.enabled(if: TemporaryControlGroup.hierarchy != nil, "control groups cannot be made here"))
    func `in a user namespace each user and service has a quota, by control groups`() throws {
        // As in the unit of the system, no user is visible but root.
        let machine = try SyncProcess(entrance: ["/usr/bin/unshare", "--user", "--map-root-user"])
        #expect(chmod(machine.folder.path, 0o755) == 0)
        let users = try [2_000_300_000, 2_000_300_001].map { (user: UInt32) in
            (user, try TemporaryControlGroup("/user.slice/user-\(user).slice/session-1.scope"))
        }
        let service = try TemporaryControlGroup("/system.slice/connection-quota.service")
        let most = ServerLimits().maximumConnectionsPerUser
        var taken: [Visitor] = []
        for _ in 0..<most { taken.append(try Visitor(machine, as: users[0].0, in: users[0].1)) }
        #expect(throws: (any Error).self, "one more of this user") {
            try Visitor(machine, as: users[0].0, in: users[0].1)
        }
        // A subordinate id of the same user.
        #expect(throws: (any Error).self, "one more in this user's slice") {
            try Visitor(machine, as: Self.subordinate, in: users[0].1)
        }
        taken.append(try Visitor(machine, as: users[1].0, in: users[1].1))
        taken.append(try Visitor(machine, as: OtherUser.nobody, in: service))
        _ = try machine.status()
        withExtendedLifetime(taken) {}
    }
}

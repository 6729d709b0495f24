import Glibc
import Platform
import TestHubs
import TestSupport
import Testing
import Varlink

/// Many user ids of one account's subordinate range that connect to the socket of the machine's account, which is open to everybody.
@Suite(.timeLimit(.minutes(5)), .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
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
}

import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Many user ids of one account's subordinate range, each with as many connections as a user may have.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct ConnectionFloodTests {
    /// The first number of a range of subuid(5), for which no user database has an account.
    private static let subordinate: UInt32 = 2_000_100_000

    @Test func `subordinate user ids share one quota, and leave root and accounts room`() throws {
        let apps = try TestApps()
        let configuration = apps.configuration().replacing(
            "MaximumConnectionsPerUser=4096", with: "MaximumConnections=64\nMaximumConnectionsPerUser=8")
        let daemon = try DaemonProcess(in: apps.directory, configuration: configuration, knowsLogins: false)
        var taken: [Client] = []
        var refusals = 0
        for user in 0..<20 {
            for _ in 0..<4 {
                let client = try Client(
                    adopting: OtherUser.connect(to: daemon.socketPath, as: Self.subordinate + UInt32(user)))
                do {
                    _ = try client.call("org.varlink.service.GetInfo", [:], timeout: .seconds(60))
                    taken.append(client)
                } catch { refusals += 1 }
            }
        }
        #expect(taken.count == 8 && refusals == 72)
        // A user with an account, and root.
        let other = try Client(adopting: OtherUser.connect(to: daemon.socketPath))
        _ = try other.call("org.varlink.service.GetInfo", [:], timeout: .seconds(60))
        _ = try OperatorClient(daemon).list()
        withExtendedLifetime(taken) {}
    }
}

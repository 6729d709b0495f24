import Glibc
import Platform
import TestSupport
import Testing

@testable import Daemon

@Suite struct ConnectionKeeperTests {
    init() { LoopThread.start() }

    @Test @DaemonActor func `the store has a connection once it is written how it stands`() throws {
        let directory = try TemporaryDirectory()
        let manager = try NotificationSocket(directory.file("notify"))
        let keeper = ConnectionKeeper(try DescriptorStore(path: directory.file("notify"), capacity: 8))
        var ends: [Int32] = [-1, -1]
        try retrying("socketpair") {
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        let ours = OwnedDescriptor(adopting: ends[0])
        let theirs = OwnedDescriptor(adopting: ends[1])
        let peer = try PeerIdentity(socket: ours.number)
        func stored() throws -> String? {
            try manager.next(seconds: 0) { $0.contains("FDSTORE=1") && $0.contains("waymark-client-") }
        }
        var before = Result<String?, any Error>.success("never filled")
        let kept = keeper.keep(ours.number, of: peer, hasPrecedence: true) { _ in
            before = Result { try stored() }
        }
        #expect(try before.get() == nil, "whoever ended before would leave a connection of which nothing is known")
        let slot = try #require(kept)
        #expect(try stored()?.contains("waymark-client-\(slot.id)") == true)
        theirs.close()
    }
}

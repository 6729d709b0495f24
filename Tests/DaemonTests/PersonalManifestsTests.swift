import CLinux
import Glibc
import Inspector
import Manifests
import Platform
import TestSupport
import Testing

@testable import Daemon

/// What the daemon receives from an inspector about a home. The test sends the replies of the inspector.
@Suite struct PersonalManifestsTests {
    private let folder = ManifestFolder(path: "/home/bob/.config/waymark/apps", owner: .user(1_000))

    /// The numbers of both ends of a socket of messages, or of a pipe.
    private func ends(_ make: (inout [Int32]) -> Int32) throws -> (Int32, Int32) {
        var pair: [Int32] = [-1, -1]
        try retrying("make a pair") { make(&pair) }
        return (pair[0], pair[1])
    }

    @Test(arguments: [[InspectorAnswer.end], [.home(bornMicroseconds: 7), .end], [.unwatched("why"), .end]])
    func `a descriptor that comes with a reply to which it does not belong is closed`(
        replies: [InspectorAnswer]
    ) throws {
        let sockets = try ends {
            socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &$0)
        }
        let daemon = OwnedDescriptor(adopting: sockets.0)
        let inspector = OwnedDescriptor(adopting: sockets.1)
        let pipe = try ends { pipe2(&$0, O_CLOEXEC) }
        let reading = OwnedDescriptor(adopting: pipe.0)
        let writing = OwnedDescriptor(adopting: pipe.1)
        for (index, reply) in replies.enumerated() {
            let bytes = reply.bytes
            let count = waymark_send_message(
                inspector.number, bytes, bytes.count, [writing.number], index == 0 ? 1 : 0, 0)
            #expect(count == bytes.count)
        }
        writing.close()
        let manifests = try PersonalManifests(of: folder, repliesOn: daemon.number)
        #expect(manifests.watch == nil)
        // The end of the pipe is reported only when no descriptor for writing is open any more. A process that another test
        // starts meanwhile has one until it executes its program.
        #expect(try PollDeadline(seconds: Patience.daemon).poll(reading.number, for: POLLIN))
    }
}

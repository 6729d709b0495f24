import CLinux
import Glibc
import GPSD
import Platform
import TestSupport
import Testing
import Varlink

@testable import Daemon

/// The descriptors that one daemon puts into the service manager's store, and their use by the next one.
@Suite struct HandoverTests {
    init() { LoopThread.start() }

    /// A client's end of a connection.
    private final class FarEnd {
        let socket: OwnedDescriptor

        init(_ number: Int32) { socket = OwnedDescriptor(adopting: number) }

        var isClosed: Bool {
            var byte: UInt8 = 0
            return recv(socket.number, &byte, 1, Int32(MSG_DONTWAIT)) == 0
        }
    }

    /// A service manager, the server of a daemon that stops, and the server of the next one.
    @DaemonActor
    private struct Scene {
        let manager: NotificationSocket
        let path: String
        let first: Server
        let next: Server
        private let directory: TemporaryDirectory

        init() throws {
            directory = try TemporaryDirectory()
            path = directory.file("notify")
            manager = try NotificationSocket(path)
            (first, next) = (try Self.server(), try Self.server())
        }

        private static func server() throws -> Server {
            let info = ServiceInfo(vendor: "Example", product: "Test", version: "1", url: "https://example.org")
            return try Server(Service(info: info), tooManyConnections: "org.example.test.TooManyConnections")
        }

        func handover(_ capacity: Int? = 8) throws -> Handover {
            Handover(try DescriptorStore(path: path, capacity: capacity))
        }

        /// The far end of a connection to the daemon that stops.
        func connect() throws -> FarEnd {
            var ends: [Int32] = [-1, -1]
            try retrying("socketpair") {
                socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
            }
            first.adopt(OwnedDescriptor(adopting: ends[0]), name: "main")
            return FarEnd(ends[1])
        }

        /// The descriptors that the service manager would hand over, a duplicate of each.
        func stored() -> [HandedSockets.Named] { manager.takeStored().map { .init(number: $0.number, name: $0.name) } }

        func stop() {
            first.stop()
            next.stop()
        }
    }

    @Test @DaemonActor func `connections are resumed once, and the store is emptied first`() throws {
        let scene = try Scene()
        let far = try scene.connect()
        scene.first.openConnections.first?.note = [1, 2]
        try scene.handover().leave(scene.first.openConnections)
        scene.first.stop()
        #expect(!far.isClosed)
        let stored = scene.stored()
        #expect(stored.count == 2 && stored.first?.name == "waymark-handover", "\(stored)")
        let again = stored.map { HandedSockets.Named(number: dup($0.number), name: $0.name) }
        let left = try scene.handover().takeOver(stored, into: scene.next)
        #expect(left.connections.count == 1 && left.connections.first?.note == [1, 2])
        #expect(left.connections.first?.listenerName == "main" && left.connections.first?.isResting == true)
        var removed: Set<String> = []
        while let text = try scene.manager.next(seconds: 0, where: { $0.hasPrefix("FDSTOREREMOVE=1") }) {
            removed.insert(text)
        }
        #expect(removed == Set(stored.map { "FDSTOREREMOVE=1\nFDNAME=\($0.name)" }))
        // That process crashed before the service manager handled the removal, so the same descriptors come again.
        scene.next.stop()
        let third = try scene.handover()
        let nothing = third.takeOver(again, into: scene.next)
        #expect(nothing.connections.isEmpty && far.isClosed && third.loss == nil)
        scene.stop()
    }

    @Test @DaemonActor func `an even earlier daemon's handover does no harm`() throws {
        for isFirst in [true, false] {
            let scene = try Scene()
            let far = try scene.connect()
            try scene.handover().leave(scene.first.openConnections)
            scene.first.stop()
            let empty = try MemoryFile.make("waymark-handover", containing: [UInt8]()).release()
            let stored = scene.stored()
            let stale = [HandedSockets.Named(number: empty, name: "waymark-handover")]
            let left = try scene.handover().takeOver(isFirst ? stale + stored : stored + stale, into: scene.next)
            #expect(left.connections.count == 1 && !far.isClosed)
            scene.stop()
        }
    }

    @Test @DaemonActor func `the connection to gpsd is handed over with the read part of a line`() throws {
        for remainder in [LineSplitter.Remainder.beginning([1, 2]), .beginning([]), .dropped] {
            let scene = try Scene()
            let far = try scene.connect()
            let handover = try scene.handover()
            handover.receiver = LeftConnection(
                socket: try OwnedDescriptor("dup") { dup(far.socket.number) }, lastRead: 77, remainder: remainder)
            handover.leave([])
            let stored = scene.stored()
            #expect(stored.map(\.name) == ["waymark-handover", "waymark-gpsd"])
            var left = try scene.handover().takeOver(stored, into: scene.next)
            guard let receiver = left.receiver.take() else {
                Issue.record("nothing was handed over")
                return
            }
            let (time, found) = (receiver.lastRead, receiver.remainder)
            #expect(time == 77 && found == remainder)
            scene.stop()
        }
    }

    @Test @DaemonActor func `connections for which the store has no room are closed`() throws {
        let scene = try Scene()
        let clients = try (0..<3).map { _ in try scene.connect() }
        try scene.handover(2 + 2).leave(scene.first.openConnections)
        scene.first.stop()
        #expect(scene.stored().count == 1 + 2)
        // A child process that another test starts has duplicates of all descriptors until exec.
        #expect(eventually { clients.count(where: \.isClosed) == 1 })
        #expect(try scene.handover(2).isOfUse == false && scene.handover(3).isOfUse && scene.handover(nil).isOfUse)
        scene.stop()
    }

    @Test(arguments: [[UInt8](repeating: 7, count: 100), [1, 2], Array("WMHO".utf8) + [9, 0, 0, 0]])
    @DaemonActor func `an unreadable handover is reported and its connections are closed`(_ content: [UInt8]) throws {
        let scene = try Scene()
        let far = try scene.connect()
        try scene.handover().leave(scene.first.openConnections)
        scene.first.stop()
        let stored = scene.stored()
        let file = try #require(stored.first?.number)
        #expect(ftruncate(file, 0) == 0 && pwrite(file, content, content.count, 0) == content.count)
        let handover = try scene.handover()
        let left = handover.takeOver(stored, into: scene.next)
        #expect(left.connections.isEmpty && far.isClosed)
        #expect(handover.loss?.file == "waymark-handover")
        scene.stop()
    }
}

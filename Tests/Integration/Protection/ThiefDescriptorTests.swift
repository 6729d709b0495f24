import CLinux
import Glibc
import Interfaces
import JSONText
import Location
import Platform
import Protection
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// A thief has a locked machine whose daemon is being restarted, and reads what the service manager stores for it.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct ThiefDescriptorTests {
    private let receiver: PlayedReceiver
    private let program: String
    private let host: ServiceHost
    private let operators: OperatorClient

    /// An app of another user records.
    init() throws {
        receiver = try PlayedReceiver.tenHertz()
        let apps = try TestApps()
        program = try apps.program("trailmap")
        try apps.add("trailmap", name: "Trail Map", program: program, "Record=yes")
        host = try ServiceHost(in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address)
        operators = try OperatorClient(host.socketPath)
        try operators.authorize("trailmap", .always, uid: OtherUser.nobody)
        let reply = try AppClient(program, to: host.socketPath)
            .call(RecordingInterface.Method.start.rawValue, #"{"identifier":"trip"}"#)
        #expect(reply.error == nil, "\(reply)")
        try call(ProtectionInterface.SetPassphrase(passphrase: ProtectionScene.passphrase))
    }

    /// A process of the app, whose connection the test uses.
    private func connect() throws -> (process: PeerProcess, connection: RawConnection) {
        var script = PeerProcess.Script()
        script.user = OtherUser.nobody
        script.passesConnection = true
        script.laterProgram = program
        let process = try PeerProcess(connectingTo: host.socketPath, script)
        try process.become()
        return (process, try RawConnection(copying: process.passed))
    }

    @discardableResult
    private func call<Method: VarlinkMethod>(_ method: Method) throws -> Method.Reply {
        try operators.client.call(method, timeout: .seconds(60))
    }

    /// The number of the last stored position.
    private func last() throws -> Int64 { try #require(try operators.recordings().first).last }

    /// Waits until so many more positions are stored, and returns the number of the last.
    @discardableResult
    private func wait(for count: Int64) throws -> Int64 {
        let target = try last() + count
        #expect(try eventually(within: 60) { try last() >= target }, "\(host.log)")
        return try last()
    }

    private func lock() throws {
        try call(ProtectionInterface.Lock())
        let isLocked = try eventually(within: 60) { try call(ProtectionInterface.Status()).status.state == .locked }
        #expect(isLocked, "\(host.log)")
    }

    /// All positions, read from an unlocked daemon.
    private func positions() throws -> [RecordedPosition] {
        try call(ProtectionInterface.Unlock(secret: ProtectionScene.passphrase))
        let (points, error) = try AppClient(program, to: host.socketPath).recordedPositions()
        try #require(error == nil)
        return points
    }

    private static func encodings(_ positions: some Sequence<RecordedPosition>) -> Set<[UInt8]> {
        Set(
            positions.flatMap { [$0.position.coordinate.latitude, $0.position.coordinate.longitude] }
                .flatMap(CoordinateEncodings.all))
    }

    /// How many of these are in what is stored, by the name of the descriptor.
    private static func found(_ needles: Set<[UInt8]>, in stored: [(name: String, bytes: [UInt8])]) -> [String: Int] {
        Dictionary(stored.map { file in (file.name, needles.count { Bytes.contains($0, in: file.bytes) }) }) { $0 + $1 }
    }

    /// Stores a file and a connection that have these bytes, returns what then is stored, and removes both.
    private func contents(with planted: [UInt8]) throws -> [(name: String, bytes: [UInt8])] {
        var pair: [Int32] = [-1, -1]
        try retrying("socketpair") {
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair)
        }
        let near = OwnedDescriptor(adopting: pair[0])
        let far = OwnedDescriptor(adopting: pair[1])
        #expect(write(near.number, planted, planted.count) == planted.count)
        let file = try MemoryFile.make("planted", containing: planted)
        let store = try host.store()
        let deadline = PollDeadline(seconds: 60)
        #expect(try store.add([file.number], name: "planted-file", until: deadline))
        #expect(try store.add([far.number], name: "planted-socket", until: deadline))
        let contents = try host.storedContents()
        for name in ["planted-file", "planted-socket"] { #expect(try store.remove(name, until: deadline)) }
        return contents
    }

    @Test func `what a locked daemon stores at an orderly stop has the last position, and none before it`() throws {
        defer { receiver.stop() }
        try wait(for: 60)
        // Clients whose connections are handed over: one that has received recorded positions and waits for more, one
        // that does not read those that it requested, and one with present positions.
        let read = RecordingInterface.Method.read.rawValue
        let apps = try (0..<3).map { _ in try connect() }
        let recorded = try StreamLog(
            over: apps[0].connection, read, #"{"identifier":"trip","after":0,"limit":20,"wait":true}"#)
        let present = try StreamLog(over: apps[1].connection, LocationInterface.Method.monitor.rawValue)
        #expect(eventually { recorded.replies.count >= 3 && !present.replies.isEmpty })
        let slow = apps[2].connection
        for _ in 0..<20 {
            let call = #"{"method":"\#(read)","parameters":{"identifier":"trip","after":0,"limit":60}}"#
            #expect(try slow.send(message: call) == .everything)
        }
        try lock()
        try wait(for: 30)
        // While the daemon runs, the store is empty.
        #expect(try host.isStoreEmpty)
        let newest = try last()
        try host.kill(SIGTERM)
        let stopped = present.replies.count
        #expect(try host.storedClients >= 3 && host.isReceiverStored)
        // gpsd goes on, and its reports are queued in its connection.
        let witness = try GPSDWitness(receiver.address)
        #expect(witness.waitForMore(20))
        witness.stop()
        let stored = try host.storedContents()
        let planted = Self.encodings(try #require(RecordingPage(recorded.replies[0].parameters)).points.prefix(5))
        let withPlanted = try contents(with: Array(planted.joined(separator: [0])))
        try host.start()
        #expect(eventually { present.replies.count > stopped })
        // The reports that were queued are recorded.
        try wait(for: 20)

        let positions = try positions()
        let later = Self.encodings(positions.filter { $0.sequence > newest - 10 })
        let earlier = Self.encodings(positions.filter { $0.sequence <= newest - 10 }).subtracting(later)
        #expect(earlier.count > 10 * positions.count / 2, "\(positions.count) positions differ too little")
        // The scanner finds what is there: in a file, in the queue of a connection, and positions that may be there.
        let plants = Self.found(planted, in: withPlanted)
        #expect(plants["planted-file"] == planted.count && plants["planted-socket"] == planted.count, "\(plants)")
        #expect(stored.contains { $0.name == "waymark-handover" && Bytes.contains(Array(read.utf8), in: $0.bytes) })
        #expect(Self.found(later, in: stored)["waymark-gpsd", default: 0] > 0)
        #expect(Self.found(later, in: stored)["waymark-handover", default: 0] > 0)
        #expect(Self.found(earlier, in: stored).filter { $0.value > 0 } == [:])
        // The client that did not read was disconnected at the lock.
        #expect(try slow.read() != nil)
        recorded.stop()
        present.stop()
    }
}

import Glibc
import Interfaces
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Replies written for a client that does not read.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct RecordingWithdrawalTests {
    @Test func `the unread rest of a reply is never sent after a denial`() throws {
        let apps = try TestApps()
        try apps.add("probe", name: "Probe", program: try TestApps.ownProgram(), "Record=yes")
        let receiver = try PlayedReceiver(
            try Products.recording("ten-hertz", seconds: 240, in: apps.directory), pace: .times(10))
        defer { receiver.stop() }
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address, logLevel: "warning")
        let manage = try OperatorClient(daemon)
        try manage.authorize("probe", .always, uid: OtherUser.nobody)
        let starter = try Client(adopting: OtherUser.connect(to: daemon.socketPath))
        _ = try starter.call(
            RecordingInterface.Method.start.rawValue, ["identifier": "trip", "options": ["onRevoke": "keep"]],
            timeout: .seconds(60))
        #expect(
            try eventually(within: 60) {
                let list = try starter.call(RecordingInterface.List(), timeout: .seconds(60))
                return list.recordings.first.map { $0.last >= 1_000 } ?? false
            }, "\(daemon.log)")
        let call = #"{"method":"io.waymark.Recording.Read","parameters":{"identifier":"trip","after":0,"limit":1000}}"#
        let clients = try (0..<4).map { _ in try RawConnection(adopting: OtherUser.connect(to: daemon.socketPath)) }
        for client in clients { #expect(try client.send(message: call) == .everything) }
        // The first bytes have arrived, and as much as the kernel buffers.
        for client in clients {
            #expect(try PollDeadline(seconds: 60).poll(client.socket.number, for: POLLIN))
        }
        try manage.authorize("probe", .deny, uid: OtherUser.nobody)
        // Room for more, were there any.
        for client in clients {
            var bytes: [UInt8] = []
            let isClosed = try eventually {
                let arrived = try client.readArrived()
                bytes += arrived.bytes
                return arrived.isClosed
            }
            #expect(isClosed && !bytes.contains(0), "\(bytes.count) bytes, a whole reply or an open connection")
            #expect(bytes.count > 10_000)
        }
    }
}

import CLinux
import Glibc
import Platform
import TestSupport
import Testing

@testable import Daemon

/// The connection to a bus that is not ready yet.
@Suite struct FollowedServiceTests {
    init() { LoopThread.start() }

    @DaemonActor private final class Refusals {
        var codes: [Int32] = []
    }

    @Test @DaemonActor func `a bus that listens some time after it has made its socket is found`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("bus")
        let socket = try BoundSocket.make(SOCK_STREAM, at: path)
        let refusals = Refusals()
        let service = FollowedService(.at("unix:path=\(path)"), name: "org.example.Absent", signals: []) {
            if case .unavailable(let error) = $0 { refusals.codes.append(error.code) }
        }
        service.start()
        #expect(refusals.codes == [ECONNREFUSED])
        try retrying("listen") { listen(socket.number, 1) }
        // If the test runs slowly, up to a minute lies between two attempts.
        let isConnected = try await eventually(within: 120) { () async throws -> Bool in
            try PollDeadline(seconds: 0).poll(socket.number, for: POLLIN)
        }
        #expect(isConnected)
        service.stop()
    }

    @Test(
        arguments: [
            ("unix:path=/run/dbus/system_bus_socket", "/run/dbus/system_bus_socket"),
            ("unix:path=/a/b,guid=0123", "/a/b"), ("unix:guid=0123,path=/a/b", "/a/b"),
            ("tcp:host=localhost,port=1;unix:path=/c", "/c"), ("unix:abstract=/a", nil), ("tcp:host=localhost", nil),
        ] as [(String, String?)])
    func `the path of a bus's socket is found in its address`(address: String, path: String?) {
        #expect(FollowedService.socket(of: .at(address)) == path)
    }
}

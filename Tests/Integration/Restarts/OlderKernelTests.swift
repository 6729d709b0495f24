import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Connections that outlive the daemon on a kernel that does not bind processes to them, as before Linux 6.5: the
/// process is handed over beside each.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct OlderKernelTests {
    private let receiver: PlayedReceiver
    private let apps: TestApps
    private let host: ServiceHost
    private let manage: OperatorClient

    init() throws {
        receiver = try PlayedReceiver.tenHertz()
        apps = try TestApps()
        try apps.add("own", name: "Test", program: try TestApps.ownProgram())
        host = try ServiceHost(
            in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address, isOlderKernel: true)
        manage = try OperatorClient(host.socketPath)
        try manage.authorize("own", .always, uid: OtherUser.nobody)
    }

    /// A process of the app, whose connection the test holds.
    private func process() throws -> PeerProcess {
        var script = PeerProcess.Script()
        script.user = OtherUser.nobody
        script.passesConnection = true
        return try PeerProcess(connectingTo: host.socketPath, script)
    }

    /// Its stream of positions, of which some have come.
    private func stream(of process: PeerProcess) throws -> RawConnection {
        let connection = try RawConnection(copying: process.passed)
        #expect(
            try connection.send(message: #"{"method":"io.waymark.Location.Monitor","more":true}"#) == .everything)
        #expect(try connection.readsPosition(), "\(host.log)")
        return connection
    }

    @Test func `a stream continues with the process that opened it`() throws {
        defer { receiver.stop() }
        let process = try process()
        let connection = try stream(of: process)
        for _ in 0..<3 {
            try host.kill(SIGTERM)
            // It and the operator's connection, and the process of each.
            #expect(try host.storedClients == 2 * 2)
            // What comes after this is from a daemon that has identified the process again.
            _ = try connection.readArrived()
            try host.start()
            #expect(try host.isStoreEmpty)
            #expect(try connection.read(messages: 20)?.contains(#""error""#) == false, "\(host.log)")
            let app = try #require(try manage.app("own"))
            #expect(app.processes == 1 && app.uid == OtherUser.nobody && app.assurance == "program")
        }
    }

    @Test func `after that process has ended, no process gets its rights`() throws {
        defer { receiver.stop() }
        let process = try process()
        let connection = try stream(of: process)
        try host.kill(SIGTERM)
        process.end()
        try host.start()
        #expect(try ending(of: connection)?.contains("ManifestMissing") == true, "\(host.log)")
    }

    @Test(
        .enabled(
            if: Capability.administer.isHeld && access("/proc/sys/kernel/ns_last_pid", W_OK) == 0,
            "the number of the next process cannot be chosen here"))
    func `another process with the same number has no rights either`() throws {
        defer { receiver.stop() }
        // Other tests start processes meanwhile: this is repeated until a process gets the number.
        for _ in 0..<50 {
            if try isNobody() { return }
        }
        Issue.record("the number was never had again")
    }

    /// Ends a process while the daemon is stopped, and connects another one, which gets nothing of the first one's
    /// state; returns whether it has the first one's number. The connections of both are closed afterwards.
    private func isNobody() throws -> Bool {
        let process = try process()
        let connection = try stream(of: process)
        try host.kill(SIGTERM)
        process.end()
        try write("\(process.processID - 1)")
        let impostor = try self.process()
        defer { impostor.end() }
        try host.start()
        let ending = try ending(of: connection)
        #expect(ending?.contains("ManifestMissing") == true, "\(host.log)")
        return impostor.processID == process.processID
    }

    private func ending(of connection: RawConnection) throws -> String? {
        for _ in 0..<500 {
            guard let text = try connection.read(messages: 1) else { return nil }
            if text.contains(#""error""#) { return text }
        }
        return nil
    }

    private func write(_ number: String) throws {
        let path = "/proc/sys/kernel/ns_last_pid"
        let file = try OwnedDescriptor("open", subject: path) { open(path, O_WRONLY | O_CLOEXEC) }
        try retrying("write", subject: path) { Glibc.write(file.number, number, number.utf8.count) }
    }
}

import Cryptography
import Glibc
import Interfaces
import JSONText
import Location
import Platform
import Protection
import TestClients
import TestSupport
import Testing
import Varlink

/// A daemon with a receiver that reports ten times a second, and an app of another user that records always.
final class ProtectionScene {
    let receiver: PlayedReceiver
    let apps: TestApps
    let program: String
    private(set) var daemon: DaemonProcess
    static let passphrase = "a bicycle without a bell"

    init(
        manifest: String = "", more: [String] = [], configuration: String = "",
        surroundings: DaemonSurroundings = DaemonSurroundings()
    ) throws {
        receiver = try PlayedReceiver.tenHertz()
        apps = try TestApps()
        program = try apps.program("trailmap")
        try apps.add("trailmap", name: "Trail Map", program: program, "Record=yes\n\(manifest)")
        daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration() + configuration, gpsd: receiver.address, more: more,
            surroundings: surroundings)
        try OperatorClient(daemon).authorize("trailmap", .always, uid: OtherUser.nobody)
        let client = try app()
        let reply = try client.call(RecordingInterface.Method.start.rawValue, #"{"identifier":"trip"}"#)
        #expect(reply.error == nil, "\(reply)")
    }

    deinit { receiver.stop() }

    func app() throws -> AppClient { try AppClient(program, to: daemon.socketPath) }

    /// The recording, as operators see it.
    func recording() throws -> KnownRecording { try #require(try OperatorClient(daemon).recordings().first) }

    /// Waits until the recording has so many more positions than now, and returns the number of the last.
    @discardableResult
    func wait(for count: Int64) throws -> Int64 {
        let target = try recording().last + count
        #expect(try eventually(within: 60) { try recording().last >= target }, "\(daemon.log)")
        return try recording().last
    }

    /// Runs a command of data protection, with lines of standard input.
    @discardableResult
    func protection(_ arguments: String..., input: [String] = [], code: Int32 = 0) throws -> CompletedProcess {
        try daemon.protection(arguments, input: input, code: code)
    }

    func status() throws -> ProtectionInterface.Report {
        try OperatorClient(daemon).client.call(ProtectionInterface.Status(), timeout: .seconds(60)).status
    }

    func lock() throws {
        // From the reply to the command itself: on a busy machine the lock may fall before another call.
        let announced = try protection("lock").output
        #expect(announced.contains("will be locked in"), "\(announced)")
        #expect(try eventually(within: 60) { try status().state == .locked }, "\(daemon.log)")
    }

    func unlock() throws { try protection("unlock", input: [Self.passphrase]) }

    /// A page of the recording; the error's name where there is none.
    func read(after: Int64 = 0, limit: Int = 1_000) throws -> (page: RecordingPage?, error: String?) {
        let reply = try app().call(
            RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":\#(after),"limit":\#(limit)}"#)
        return (reply.error == nil ? RecordingPage(reply.parameters) : nil, reply.error)
    }

    /// The positions after a number that can be read.
    func readAll(after: Int64 = 0) throws -> [RecordedPosition] { try app().recordedPositions(after: after).points }

    /// Ends the daemon, by a signal, and starts it again.
    func restart(by signal: Int32 = SIGTERM) throws {
        daemon.signal(signal)
        _ = try daemon.wait()
        try start()
    }

    /// Starts the daemon, and waits until it has read the journal, unless that cannot be read.
    func start(isReadable: Bool = true) throws {
        daemon = try DaemonProcess(in: apps.directory, configuration: configuration, gpsd: receiver.address)
        if isReadable { try daemon.waitForJournal() }
    }

    private var configuration: String { apps.configuration() }
}

extension DaemonProcess {
    /// Waits until it has read the journal. Calls of data protection wait for that themselves, but no longer than five
    /// seconds.
    func waitForJournal() throws { _ = try OperatorClient(self).recordings() }

    /// Runs a command of data protection, with lines of standard input.
    @discardableResult
    func protection(_ arguments: [String], input: [String] = [], code: Int32 = 0) throws -> CompletedProcess {
        let process = try CompletedProcess.run(
            Products.program("waymark"), ProtectionWords.of(arguments) + (input.isEmpty ? [] : ["--stdin"]),
            environment: environment(), input: input.map { $0 + "\n" }.joined(), seconds: 90)
        #expect(process.status == .exited(code), "\(arguments): \(process.output) \(process.error) \(log)")
        return process
    }
}

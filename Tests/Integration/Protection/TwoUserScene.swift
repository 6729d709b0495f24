import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import Testing
import Varlink

/// A daemon with a receiver that reports ten times a second, and an app with which two users record.
final class TwoUserScene {
    /// Debian has accounts of these numbers: nobody and games.
    static let (anna, bert): (UInt32, UInt32) = (OtherUser.nobody, 5)
    static let passphrase = "a heron on the third pier"

    let apps: TestApps
    let daemon: DaemonProcess
    private let receiver: PlayedReceiver
    private let program: String
    private let command: String

    init(configuration: String = "", surroundings: DaemonSurroundings = DaemonSurroundings()) throws {
        receiver = try PlayedReceiver.tenHertz()
        apps = try TestApps()
        program = try apps.program("trailmap")
        command = try apps.program("waymark", of: "waymark")
        try apps.add("trailmap", name: "Trail Map", program: program, "Record=yes")
        daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration() + configuration, gpsd: receiver.address,
            knowsLogins: false, surroundings: surroundings)
        for uid in [Self.anna, Self.bert] { try start(uid) }
    }

    deinit { receiver.stop() }

    /// Has the app of a user record.
    func start(_ uid: UInt32) throws {
        try OperatorClient(daemon).authorize("trailmap", .always, uid: uid)
        let reply = try app(uid).call(RecordingInterface.Method.start.rawValue, #"{"identifier":"trip"}"#)
        #expect(reply.error == nil, "\(reply)")
    }

    func app(_ uid: UInt32) throws -> AppClient { try AppClient(program, to: daemon.socketPath, as: uid) }

    /// Runs a command of data protection as a user, with lines of standard input.
    @discardableResult
    func protection(
        _ uid: UInt32, _ arguments: String..., input: [String] = [], code: Int32 = 0
    ) throws -> CompletedProcess {
        let options = input.isEmpty ? [] : ["--stdin"]
        let process = try CompletedProcess.run(
            "/usr/bin/setpriv",
            ["--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", command] + ProtectionWords.of(arguments) + options,
            environment: daemon.environment(), input: input.map { $0 + "\n" }.joined(), seconds: 90)
        #expect(process.status == .exited(code), "\(arguments): \(process.output) \(process.error) \(daemon.log)")
        return process
    }

    /// The status of a user's lock, or of the machine's, for an operator.
    func status(_ uid: UInt32? = nil) throws -> ProtectionInterface.Report {
        try OperatorClient(daemon).client.call(
            ProtectionInterface.Status(user: uid.map { Int64($0) }), timeout: .seconds(60)
        ).status
    }

    /// Sets a user's passphrase, and waits until all rows have moved.
    func protect(_ uid: UInt32) throws {
        try protection(uid, "set-passphrase", input: [Self.passphrase])
        #expect(try status(uid).state == .unlocked)
        #expect(try eventually(within: 60) { try status(uid).rowsToSeal == 0 })
    }

    /// Locks the data of a user, as that user.
    func lock(_ uid: UInt32) throws {
        try protection(uid, "lock")
        #expect(try eventually(within: 60) { try status(uid).state == .locked }, "\(daemon.log)")
    }

    func recording(_ uid: UInt32) throws -> KnownRecording {
        try #require(try OperatorClient(daemon).recordings().first { $0.uid == uid })
    }

    /// Waits until a user's recording has so many more positions than now.
    @discardableResult
    func wait(_ uid: UInt32, for count: Int64) throws -> Int64 {
        let target = try recording(uid).last + count
        #expect(try eventually(within: 60) { try recording(uid).last >= target }, "\(daemon.log)")
        return try recording(uid).last
    }

    /// The positions of a user; the error's name where the next one cannot be read.
    func readAll(_ uid: UInt32) throws -> (points: [RecordedPosition], error: String?) {
        try app(uid).recordedPositions()
    }

    /// Whether a user's positions are readable from the first to the last, without a gap.
    func isComplete(_ uid: UInt32) throws -> Bool {
        let (points, error) = try readAll(uid)
        return error == nil && points.map(\.sequence) == Array(1...max(Int64(points.count), 1))
    }

    func restart(by signal: Int32 = SIGKILL) throws {
        daemon.signal(signal)
        _ = try daemon.wait()
        try startAgain()
    }

    /// Starts the daemon after its end, and waits until it has read the journal.
    func startAgain() throws {
        try daemon.restart()
        try daemon.waitForJournal()
    }

    /// The name of a file of the state directory.
    func file(_ name: String) -> String { apps.directory.file("state/\(name)") }

    /// The `id` of a user's file of keys; empty if there is none.
    private func keyFile(_ uid: UInt32) throws -> String {
        let path = file("protection/\(uid).keys")
        guard access(path, F_OK) == 0 else { return "" }
        let text = String(decoding: try BoundedFile.bytes(of: path, limit: 65_536), as: UTF8.self)
        return String(text.split(separator: "\"id\":\"")[1].prefix { $0 != "\"" })
    }

    /// How many positions of a user are not sealed with the user's own keys, by the database itself.
    func openRows(_ uid: UInt32) throws -> String {
        let query = """
            SELECT count(*) FROM positions JOIN recordings ON recordings.id = positions.recording
            JOIN segments ON segments.id = segment
            WHERE uid = \(uid) AND (positions.class = 0 OR hex(keyFile) <> upper('\(try keyFile(uid))'))
            """
        let process = try CompletedProcess.run("/usr/bin/sqlite3", ["-readonly", file("journal.db"), query])
        #expect(process.status == .exited(0), "\(process.error)")
        return String(process.output.prefix { $0 != "\n" })
    }
}

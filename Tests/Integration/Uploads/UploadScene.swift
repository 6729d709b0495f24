import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import Testing
import Varlink

/// A receiver that reports ten times a second, a daemon, an uploader and a server, all real.
final class UploadScene {
    let receiver: PlayedReceiver
    let apps: TestApps
    let program: String
    let daemon: DaemonProcess
    let server: UploadServerProcess
    private(set) var uploader: UploaderProcess?
    let startedAt = ContinuousClock.now

    /// An app that may record always; its uploader has not been started. `pace` makes it more than ten positions a
    /// second.
    init(server arguments: [String] = [], pace: Double = 1) throws {
        receiver = try PlayedReceiver.tenHertz(pace: .times(pace))
        apps = try TestApps()
        program = try apps.program("carrier", of: "waymark-upload")
        try apps.add("carrier", name: "Carrier", program: program, "Record=yes")
        daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address, more: ["--simulated"])
        server = try UploadServerProcess(more: arguments)
        try authorize(.always)
    }

    func authorize(_ status: ManageInterface.Authorize.Status) throws {
        try OperatorClient(daemon).authorize("carrier", status, uid: geteuid())
    }

    /// A destination's file; by default every position is sent.
    func configuration(
        _ format: String, server: UploadServerProcess? = nil,
        filter: String = "Distance=none\nInterval=none\nStationary=none",
        _ more: String = ""
    ) -> String {
        Self.file(
            destination: "URL=\((server ?? self.server).address)/\(format)?secret=geheim\nFormat=\(format)",
            filter: filter)
            + more
    }

    /// A destination's file with these lines of its sections; by default every position is sent.
    static func file(
        destination: String, credential: String? = nil,
        filter: String = "Distance=none\nInterval=none\nStationary=none"
    ) -> String {
        """
        [Destination]
        \(destination)
        \(credential.map { "[Credential]\n\($0)\n" } ?? "")[Filter]
        \(filter)
        [Device]
        User=jane
        Name=boat

        """
    }

    func start(
        _ configuration: String, credentials: [String: String] = [:], environment: [String: String] = [:]
    ) throws {
        uploader = try UploaderProcess(
            program, to: daemon.socketPath, configuration: configuration, credentials: credentials,
            environment: environment)
    }

    /// The output of waymark(1), with its error output.
    func waymark(_ arguments: [String]) throws -> String {
        let process = try daemon.waymark(arguments)
        return process.output + process.error
    }

    func waymark(_ arguments: String...) throws -> String { try waymark(arguments) }

    /// Ends everything.
    func end() {
        receiver.stop()
        do {
            _ = try uploader?.stop(graceSeconds: 2)
            _ = try daemon.stop(graceSeconds: 2)
            try server.kill()
        } catch {
            Issue.record("\(error)")
        }
    }

    // Information from the daemon and the server

    private func client() throws -> Client { try Client(path: daemon.socketPath, timeout: .seconds(60)) }

    func recording() throws -> KnownRecording? { try OperatorClient(daemon).recordings().first }

    func upload() throws -> KnownUpload? {
        try OperatorClient(daemon).uploads().first
    }

    /// The commands of an operator.
    func command(_ method: UploadsInterface.Method) throws {
        try client().call(method.rawValue, ["name": "home"], timeout: .seconds(60))
    }

    /// The numbers that the server has stored, in the order of their arrival.
    func numbers(_ server: UploadServerProcess? = nil) throws -> [Int64] {
        try (server ?? self.server).storedIDs().map { id in
            try #require(id.split(separator: "/").last.flatMap { Int64($0) }, "\(id)")
        }
    }

    /// Waits until a condition is true, and records all logs if it does not become true.
    func eventually(_ what: String, within seconds: Double = 60, _ condition: () throws -> Bool) throws {
        guard try !TestSupport.eventually(within: seconds, condition) else { return }
        Issue.record("\(what)\n\(uploader?.log ?? "")\n\(daemon.log.suffix(4_000))")
        throw NotInTime()
    }

    /// Waits for an upload of which a condition holds, and returns it: at a second look it may have another status.
    @discardableResult
    func upload(_ what: String, where condition: (KnownUpload) -> Bool) throws -> KnownUpload {
        var found: KnownUpload?
        try eventually(what) {
            found = try upload().flatMap { condition($0) ? $0 : nil }
            return found != nil
        }
        return try #require(found)
    }

    /// Waits until the server has this many points.
    func waitForPoints(_ count: Int, _ server: UploadServerProcess? = nil) throws {
        try eventually("\(count) points at the server") { try numbers(server).count >= count }
    }

    /// Stops recording, and waits until all recorded positions are acknowledged.
    func waitUntilDrained() throws {
        receiver.stop()
        try eventually("the daemon has received everything") {
            try OperatorClient(daemon).status().receiver.state != .watching
        }
        // What was recorded before is committed before the journal is read.
        try client().call(JournalInterface.Read(kinds: [.serviceStarted]), timeout: .seconds(60))
        // An uploader whose attempts have failed may wait five minutes before the next one.
        try eventually("all is acknowledged", within: 400) {
            try recording().map { $0.acknowledged == $0.last } ?? false
        }
    }

    /// Waits until the uploader waits before its next attempt and everything that was sent is acknowledged to the
    /// recording: then nothing more is acknowledged before that attempt.
    func waitUntilAcknowledged() throws {
        try eventually("what was sent is acknowledged") {
            guard let known = try upload(), known.status.state == .backingOff else { return false }
            return try recording()?.sent == known.status.sent
        }
    }

    struct NotInTime: Error {}
}

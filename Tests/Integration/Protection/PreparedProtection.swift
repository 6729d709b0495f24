import Glibc
import Interfaces
import JSONText
import Location
import Platform
import PowerCut
import TestClients
import TestSupport
import Testing
import Varlink

/// State directories from which operations of data protection begin, each of them as often as is needed: one without a passphrase,
/// and one with two. Both have the same few recorded positions, and a region.
///
/// Keys are derived from passphrases at the least cost, because only the files matter.
final class PreparedProtection: Sendable {
    /// The recording cannot be read.
    struct NotReadable: Error, CustomStringConvertible {
        /// The error of the daemon.
        let description: String
    }

    /// The secrets of the sealed state.
    static let (first, second) = ("a bicycle without a bell", "a heron on the third pier")
    static let region = "the-house-by-the-river"
    /// The fewest positions.
    private static let fewest: Int64 = 24

    /// The user whose lock it is; nil for the machine's.
    let user: UInt32?
    let apps: TestApps
    /// The app that records.
    let program: String
    let receiver: PlayedReceiver
    /// The positions of both states, by their numbers.
    let positions: [Int64: Position]
    private let directory: TemporaryDirectory

    /// Prepares both states, with a receiver that reports for so long, 20 times a second.
    init(of user: UInt32? = nil, receiverSeconds: Int) throws {
        self.user = user
        apps = try TestApps()
        program = try apps.program("recorder")
        try apps.add("recorder", name: "Recorder", program: program, "Record=yes")
        receiver = try PlayedReceiver(
            try Products.recording("ten-hertz", seconds: 2 * receiverSeconds, in: apps.directory), pace: .times(2))
        directory = try TemporaryDirectory()
        let library = try PreloadedLibrary.cheapPassphrases(in: apps.directory)
        var surroundings = DaemonSurroundings()
        surroundings.entrance = ["/usr/bin/env", "LD_PRELOAD=\(library.path)"]
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address, logLevel: "warning",
            surroundings: surroundings)
        try OperatorClient(daemon).authorize("recorder", .always, uid: OtherUser.nobody)
        try Self.addRegion(daemon.socketPath)
        let app = try AppClient(program, to: daemon.socketPath)
        let reply = try app.call(RecordingInterface.Method.start.rawValue, #"{"identifier":"trip"}"#)
        #expect(reply.error == nil, "\(reply)")
        let isRecorded = try eventually(within: 60) {
            try OperatorClient(daemon).recordings().first?.last ?? 0 >= Self.fewest
        }
        #expect(isRecorded, "\(daemon.log)")
        #expect(try daemon.stop() == .exited(0), "\(daemon.log)")
        let state = apps.directory.file("state")
        try Self.copy(state, to: directory.file("open"))
        // Without a receiver: both states have the same positions.
        let second = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), logLevel: "warning", surroundings: surroundings)
        try second.waitForJournal()
        let owner = try Self.owner(user, second.socketPath)
        _ = try owner.call(ProtectionInterface.SetPassphrase(passphrase: Self.first), timeout: .seconds(60))
        _ = try owner.call(
            ProtectionInterface.AddPassphrase(secret: Self.first, passphrase: Self.second), timeout: .seconds(60))
        let isSealed = try eventually(within: 60) {
            try owner.call(ProtectionInterface.Status(), timeout: .seconds(60)).status.rowsToSeal == 0
                && (user != nil || access("\(state)/regions.sqlite", F_OK) != 0)
        }
        let status = try owner.call(ProtectionInterface.Status(), timeout: .seconds(60)).status
        #expect(isSealed, "\(status) \(DirectoryListing.names(state)) \(second.log)")
        positions = try Self.read(AppClient(program, to: second.socketPath))
        #expect(positions.count >= Self.fewest)
        #expect(try second.stop() == .exited(0), "\(second.log)")
        try Self.copy(state, to: directory.file("sealed"))
    }

    deinit { receiver.stop() }

    /// The folder of a state.
    func folder(isSealed: Bool) -> String { directory.file(isSealed ? "sealed" : "open") }

    /// Copies a folder, which replaces another.
    static func copy(_ folder: String, to target: String) throws {
        let run = try CompletedProcess.run("/bin/sh", ["-c", #"rm -rf "$1" && cp -a "$0" "$1""#, folder, target])
        guard run.status.isSuccess else { throw SystemError("copy", code: EIO, subject: "\(folder): \(run.error)") }
    }

    /// A connection of whoever has the lock.
    static func owner(_ user: UInt32?, _ socket: String) throws -> Client {
        guard let user else { return try Client(path: socket, timeout: .seconds(60)) }
        return try Client(adopting: OtherUser.connect(to: socket, as: user))
    }

    private static func addRegion(_ socket: String) throws {
        let circle = #"{"identifier":"\#(region)","circle":{"latitude":47,"longitude":-30,"radius":100}}"#
        let client = try Client(path: socket, timeout: .seconds(60))
        _ = try client.call(
            RegionsInterface.Method.add.rawValue,
            try JSON.parse(Array(#"{"monitor":"m","regions":[\#(circle)]}"#.utf8)),
            timeout: .seconds(60))
    }

    /// All positions by their numbers.
    static func read(_ app: AppClient) throws -> [Int64: Position] {
        let (points, error) = try app.recordedPositions()
        if let error { throw NotReadable(description: error) }
        return Dictionary(points.map { ($0.sequence, $0.position) }, uniquingKeysWith: { first, _ in first })
    }
}

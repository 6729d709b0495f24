import Glibc
import Interfaces
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// The streams of an operator who is removed from the group.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct RefusalTests {
    @Test func `a member of the operators' group gets positions until a reload names another group`() throws {
        let group = try #require(try PeerIdentity.groupID(named: "games"), "Debian has this group")
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try DaemonProcess(
            configuration: "[Authorization]\nOperatorGroup=games\n", gpsd: receiver.address)
        #expect(chmod(daemon.directory.path, 0o711) == 0)
        let reader = try UpdateReader(daemon.socketPath)
        defer { reader.stop() }

        func open(_ method: String, _ parameters: String = "{}", more: Bool = true) throws -> RawConnection {
            let connection = try RawConnection(adopting: OtherUser.connect(to: daemon.socketPath, groups: [group]))
            let call = #"{"method":"\#(method)","parameters":\#(parameters),"more":\#(more)}"#
            #expect(try connection.send(message: call) == .everything)
            return connection
        }
        // Slow enough for what nobody reads meanwhile to have room in the socket.
        let positions = try open(LocationInterface.Method.monitor.rawValue, #"{"interval":1}"#)
        let satellites = try open(LocationInterface.Method.monitorSatellites.rawValue)
        let authorization = try open(LocationInterface.Method.monitorAuthorization.rawValue)
        let query = try open(
            LocationInterface.Method.getPosition.rawValue, #"{"desiredAccuracy":0.001,"timeout":600}"#, more: false)
        let journal = try open(JournalInterface.Method.read.rawValue, #"{"follow":true}"#)
        let status = try open(ManageInterface.Method.monitor.rawValue)
        #expect(try eventually { try positions.read(messages: 1)?.contains("latitude") == true })
        #expect(try satellites.read(messages: 1)?.contains("satellites") == true)
        #expect(try authorization.read(messages: 1)?.contains("authorizedAlways") == true)
        #expect(try journal.read(messages: 1)?.contains("serviceStarted") == true)
        #expect(try status.read(messages: 1)?.contains("health") == true)

        try daemon.directory.write("waymark.conf", "[Authorization]\nOperatorGroup=users\n")
        let client = try Client(path: daemon.socketPath)
        let reload = try client.call(ManageInterface.Method.reload.rawValue, timeout: .seconds(60))
        #expect(reload["changed"] == ["Authorization.OperatorGroup"])

        // Once the reload has returned, all streams have ended.
        for (stream, name) in [
            (positions, ErrorName.manifestMissing), (satellites, .manifestMissing), (query, .manifestMissing),
            (journal, .journalNotOperator), (status, .manageNotOperator),
        ] {
            let replies = try Self.replies(stream.readArrived().bytes)
            #expect(replies.last?.error == name.rawValue, "\(replies.map(\.parameters))")
            #expect(replies.last?.parameters["message"]?.stringValue?.isEmpty == false)
            #expect(replies.dropLast().allSatisfy { $0.error == nil && $0.continues })
        }
        let reported = try Self.replies(authorization.readArrived().bytes)
        #expect(reported.map { $0.parameters["authorization"]?["status"] } == ["notDetermined"])

        #expect(reader.receives(15), "\(reader.ending ?? daemon.log)")
        for stream in [positions, satellites, authorization, query, journal, status] {
            let (bytes, isClosed) = try stream.readArrived()
            #expect(bytes.isEmpty && !isClosed, "\(String(decoding: bytes, as: UTF8.self))")
        }
        let again = #"{"method":"io.waymark.Location.GetPosition"}"#
        #expect(try positions.send(message: again) == .everything)
        #expect(try positions.read(messages: 1)?.contains(ErrorName.manifestMissing.rawValue) == true)

        try daemon.directory.write("waymark.conf", "[Authorization]\nOperatorGroup=games\n")
        _ = try client.call(ManageInterface.Method.reload.rawValue, timeout: .seconds(60))
        #expect(try authorization.read(messages: 1)?.contains("authorizedAlways") == true)
        #expect(try positions.send(message: again) == .everything)
        #expect(try positions.read(messages: 1)?.contains("latitude") == true)
    }

    @Test(arguments: ["status", "watch --count 1", "get", "log", "uploads", "recording list", "authorize x always"])
    func `a refused command of an ordinary user names the command that makes the user an operator`(_ line: String)
        throws
    {
        let apps = try TestApps()
        let program = try apps.program("waymark-copy", of: "waymark")
        let daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), gpsd: "none")
        let arguments = line.split(separator: " ").map(String.init)
        let refused = try OtherUser.act { try daemon.waymark(arguments, as: program) }
        #expect(refused.status == .exited(4), "\(refused.error)")
        let commands = ["`sudo adduser nobody waymark`", "`sudo usermod --append --groups waymark nobody`"]
        #expect(commands.contains { refused.error.contains($0) }, "\(refused.error)")
    }

    private static func replies(_ bytes: [UInt8]) throws -> [Reply] {
        try bytes.split(separator: 0).map { try Reply(parsing: Array($0)) }
    }
}

import Glibc
import Interfaces
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// A process that is an app and executes another program while it holds its connection, as authorization.md describes.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct ExecTests {
    private let apps: TestApps
    private let receiver: PlayedReceiver
    private let daemon: DaemonProcess
    private let next: String

    init() throws {
        apps = try TestApps()
        next = try apps.program("next")
        try apps.add("trailmap", name: "Trail Map", program: try TestApps.ownProgram())
        receiver = try PlayedReceiver.tenHertz()
        daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address)
        try OperatorClient(daemon).authorize("trailmap", .always, uid: OtherUser.nobody)
    }

    /// A process that is the first app, and its connection with a stream on which positions come.
    private func streaming() throws -> (process: PeerProcess, connection: RawConnection) {
        var script = PeerProcess.Script()
        script.user = OtherUser.nobody
        script.passesConnection = true
        script.laterProgram = next
        let process = try PeerProcess(connectingTo: daemon.socketPath, script)
        let connection = try RawConnection(copying: process.passed)
        #expect(try connection.send(message: Self.monitor) == .everything)
        // Before the first position there may be several reasons why there is none.
        #expect(try eventually { try connection.read(messages: 1)?.contains("latitude") == true })
        return (process, connection)
    }

    private static let monitor = #"{"method":"io.waymark.Location.Monitor","more":true}"#
    private static let authorization = #"{"method":"io.waymark.Location.GetAuthorization"}"#

    /// The reply to the process's new program on a new connection.
    private func call(_ process: PeerProcess, _ message: String) throws -> String {
        let second = try RawConnection(copying: process.control)
        #expect(try second.send(message: message) == .everything)
        return try #require(try second.read(messages: 1))
    }

    /// The messages up to the one that ends a stream.
    private func ending(_ connection: RawConnection) throws -> String {
        for _ in 0..<500 {
            guard let text = try connection.read(messages: 1) else { break }
            if text.contains(#""error""#) { return text }
        }
        Issue.record("the stream did not end")
        return ""
    }

    @Test func `a program that is no app ends the streams of its former app when it connects`() throws {
        defer { receiver.stop() }
        let (process, old) = try streaming()
        try process.become()
        // The identity of the connection is not evaluated again: its holder has the rights of the app.
        #expect(try old.read(messages: 20)?.contains("latitude") == true)
        #expect(try OperatorClient(daemon).app("trailmap")?.processes == 1)

        let reply = try call(process, Self.authorization)
        #expect(!reply.contains("trailmap"), "\(reply)")
        #expect(try OperatorClient(daemon).app("trailmap")?.processes == 0)
        let end = try ending(old)
        #expect(end.contains(ErrorName.manifestMissing.rawValue), "\(end)")
        // Other calls on the old connection return no position either.
        for method in ["GetPosition", "GetSatellites", "HoldInUse"] {
            let message = #"{"method":"io.waymark.Location.\#(method)","more":\#(method == "HoldInUse")}"#
            #expect(try old.send(message: message) == .everything)
            let refusal = try #require(try old.read(messages: 1))
            #expect(refusal.contains(ErrorName.manifestMissing.rawValue), "\(refusal)")
        }
        #expect(try old.send(message: Self.monitor) == .everything)
        #expect(try old.read(messages: 1)?.contains(ErrorName.manifestMissing.rawValue) == true)
        process.end()
    }

    @Test(arguments: [true, false])
    func `a program that is another app is that one on both connections, and the first app's streams have ended`(
        isAllowed: Bool
    ) throws {
        defer { receiver.stop() }
        try apps.add("wanderer", name: "Wanderer", program: next)
        #expect(try eventually { try OperatorClient(daemon).app("wanderer") != nil })
        try OperatorClient(daemon).authorize("wanderer", isAllowed ? .always : .deny, uid: OtherUser.nobody)
        let (process, old) = try streaming()
        try process.become()
        let reply = try call(process, Self.authorization)
        #expect(reply.contains(#""app":"wanderer""#), "\(reply)")
        #expect(try OperatorClient(daemon).app("trailmap")?.processes == 0)
        #expect(try OperatorClient(daemon).app("wanderer")?.processes == 1)
        _ = try ending(old)

        #expect(try old.send(message: Self.authorization) == .everything)
        let now = try #require(try old.read(messages: 1))
        #expect(now.contains(#""app":"wanderer""#), "\(now)")
        #expect(try old.send(message: #"{"method":"io.waymark.Location.GetPosition"}"#) == .everything)
        let position = try #require(try old.read(messages: 1))
        #expect(position.contains(isAllowed ? "latitude" : ErrorName.denied.rawValue), "\(position)")
        process.end()
        #expect(try eventually { try OperatorClient(daemon).app("wanderer")?.processes == 0 })
    }

    @Test func `a grant for once ends with the program that got it`() throws {
        defer { receiver.stop() }
        _ = try OperatorClient(daemon).client.call(
            ManageInterface.Method.reset.rawValue, ["app": "trailmap"], timeout: .seconds(60))
        var script = PeerProcess.Script()
        script.user = OtherUser.nobody
        script.passesConnection = true
        script.laterProgram = next
        let process = try PeerProcess(connectingTo: daemon.socketPath, script)
        let old = try RawConnection(copying: process.passed)
        for message in [
            #"{"method":"io.waymark.Location.SetActivity","parameters":{"activity":"active"}}"#,
            #"{"method":"io.waymark.Location.RequestWhenInUse"}"#,
        ] {
            #expect(try old.send(message: message) == .everything)
            #expect(try old.read(messages: 1)?.contains("notDetermined") == true)
        }
        let request = try #require(try OperatorClient(daemon).requests().first)
        _ = try OperatorClient(daemon).client.call(
            ManageInterface.Method.answer.rawValue,
            ["id": .integer(Int64(request.question.id)), "choice": "allowOnce"],
            timeout: .seconds(60))
        #expect(try OperatorClient(daemon).app("trailmap")?.permission == .once)
        try process.become()
        _ = try call(process, Self.authorization)
        #expect(try eventually { try OperatorClient(daemon).app("trailmap")?.permission == .notDetermined })
        process.end()
    }
}

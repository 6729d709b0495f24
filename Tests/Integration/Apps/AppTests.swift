import Glibc
import Interfaces
import JSONText
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Apps at a real daemon: real processes of another user, known by their program.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct AppTests {
    private let apps: TestApps
    private let receiver: PlayedReceiver
    private let daemon: DaemonProcess

    init() throws {
        apps = try TestApps()
        try apps.add("trailmap", name: "Trail Map", program: try TestApps.ownProgram())
        receiver = try PlayedReceiver.tenHertz()
        daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration() + TestApps.patientReceiver, gpsd: receiver.address)
    }

    /// A connection of the test's own program, as the user nobody.
    private func connect() throws -> Client {
        try Client(adopting: OtherUser.connect(to: daemon.socketPath))
    }

    private func call(_ client: Client, _ method: LocationInterface.Method, _ parameters: JSON = .emptyObject) throws
        -> JSON
    {
        try client.call(method.rawValue, parameters, timeout: .seconds(60))
    }

    private func status(_ client: Client) throws -> JSON? {
        try call(client, .getAuthorization)["authorization"]?["status"]
    }

    /// The replies of a stream up to a wanted one; nil where the stream ends before.
    private func next(
        _ stream: ReplyStream, where isWanted: (LocationUpdate) -> Bool
    ) throws -> LocationUpdate? {
        while let reply = try stream.next(timeout: .seconds(60)) {
            guard let update = reply.parameters["update"].flatMap(LocationUpdate.init) else { continue }
            if isWanted(update) { return update }
        }
        return nil
    }

    /// The error with which a stream ends.
    private func ending(_ stream: ReplyStream) throws -> ErrorName? {
        try Refusal { _ = try next(stream) { _ in false } }?.error
    }

    private func monitor() throws -> ReplyStream {
        try connect().stream(LocationInterface.Method.monitor.rawValue, timeout: .seconds(60))
    }

    @Test func `an app gets positions while a connection of its process declares that it is in use`() throws {
        let manage = try OperatorClient(daemon)
        try manage.authorize("trailmap", .whileUsing, uid: OtherUser.nobody)
        let (front, back) = (try connect(), try connect())
        let stream = try back.stream(LocationInterface.Method.monitor.rawValue, timeout: .seconds(60))
        #expect(try next(stream) { _ in true }?.diagnostics == ["insufficientlyInUse"])
        let authorization = try call(front, .setActivity, ["activity": "active"])["authorization"]
        #expect(authorization?["isInUse"] == true && authorization?["app"] == "trailmap")
        #expect(authorization?["assurance"] == "program")
        #expect(try next(stream) { $0.position != nil }?.position?.accuracy == .full)
        for _ in 0..<3 {
            _ = try call(front, .setActivity, ["activity": "background"])
            // The replies after a status are in the order of the status changes.
            #expect(try next(stream) { $0.diagnostics == ["insufficientlyInUse"] }?.position == nil)
            #expect(try Refusal { _ = try call(front, .getPosition) }?.error == .notInUse)
            _ = try call(front, .setActivity, ["activity": "inactive"])
            let resumed = try next(stream) { _ in true }
            #expect(resumed?.position != nil && resumed?.diagnostics == [], "the first after the pause")
        }
        // A declaration ends with the connection that made it.
        front.close()
        #expect(try next(stream) { $0.diagnostics == ["insufficientlyInUse"] } != nil)
        #expect(try manage.app("trailmap")?.isInUse == false)
    }

    @Test func `with a hold an app stays in use until its connection ends`() throws {
        try OperatorClient(daemon).authorize("trailmap", .whileUsing, uid: OtherUser.nobody)
        let (front, holder, stream) = (try connect(), try connect(), try monitor())
        #expect(
            try Refusal {
                _ = try holder.stream(LocationInterface.Method.holdInUse.rawValue).next(timeout: .seconds(60))
            }?.error
                == .notInUse)
        _ = try call(front, .setActivity, ["activity": "active"])
        let hold = try holder.stream(LocationInterface.Method.holdInUse.rawValue)
        #expect(try hold.next(timeout: .seconds(60))?.continues == true)
        _ = try call(front, .setActivity, ["activity": "background"])
        #expect(try call(front, .getAuthorization)["authorization"]?["isInUse"] == true)
        #expect(try next(stream) { $0.position != nil } != nil)
        #expect(try OperatorClient(daemon).app("trailmap")?.holds == 1)
        holder.close()
        #expect(try next(stream) { $0.diagnostics == ["insufficientlyInUse"] } != nil)
        #expect(try OperatorClient(daemon).app("trailmap")?.holds == 0)
    }

    @Test func `a grant for once survives a new connection and the daemon, and not the process`() throws {
        let manage = try OperatorClient(daemon)
        func allowOnce(_ client: Client) throws {
            _ = try call(client, .setActivity, ["activity": "active"])
            let asked = try call(client, .requestWhenInUse)["authorization"]
            #expect(asked?["status"] == "notDetermined" && asked?["diagnostics"] == ["agentUnavailable"])
            let request = try #require(try OperatorClient(daemon).requests().first)
            _ = try OperatorClient(daemon).client.call(
                ManageInterface.Method.answer.rawValue,
                ["id": .integer(Int64(request.question.id)), "choice": "allowOnce"],
                timeout: .seconds(60))
            #expect(try status(client) == "authorizedWhenInUse")
        }
        var client = try connect()
        for _ in 0..<3 {
            client.close()
            client = try connect()
            if try status(client) == "notDetermined" { try allowOnce(client) }
            _ = try call(client, .setActivity, ["activity": "active"])
            #expect(try call(client, .getPosition)["position"] != nil)
        }
        #expect(try manage.app("trailmap")?.permission == .once)
        // A thread of the daemon writes what the next process has to know.
        let file = apps.directory.file("state/continuation.state")
        #expect(
            eventually {
                let bytes = attempt { try BoundedFile.bytes(of: file, limit: 1 << 16) } ?? []
                return Bytes.contains(Array("trailmap".utf8), in: bytes)
            })
        try daemon.restart()
        client.close()
        let again = try connect()
        _ = try call(again, .setActivity, ["activity": "active"])
        #expect(try call(again, .getPosition)["position"] != nil)

        try apps.add("wanderer", name: "Wanderer", program: try apps.program("wanderer"))
        #expect(try eventually { try OperatorClient(daemon).app("wanderer") != nil })
        let program = try AppClient(apps.directory.file("bin/wanderer"), to: daemon.socketPath)
        try program.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#)
        try program.call(LocationInterface.Method.requestWhenInUse.rawValue)
        let request = try #require(try OperatorClient(daemon).requests().first { $0.question.app == "wanderer" })
        _ = try OperatorClient(daemon).client.call(
            ManageInterface.Method.answer.rawValue,
            ["id": .integer(Int64(request.question.id)), "choice": "allowOnce"],
            timeout: .seconds(60))
        #expect(try OperatorClient(daemon).app("wanderer")?.permission == .once)
        try program.kill()
        #expect(try eventually { try OperatorClient(daemon).app("wanderer")?.permission == .notDetermined })
    }

    @Test func `grants and requests are preserved over a restart`() throws {
        try OperatorClient(daemon).authorize("trailmap", .always, uid: OtherUser.nobody)
        try apps.add("wanderer", name: "Wanderer", program: try apps.program("wanderer"))
        #expect(try eventually { try OperatorClient(daemon).app("wanderer") != nil })
        let program = try AppClient(apps.directory.file("bin/wanderer"), to: daemon.socketPath)
        try program.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#)
        try program.call(LocationInterface.Method.requestAlways.rawValue)
        let before = try OperatorClient(daemon).requests()
        #expect(before.map(\.question.app) == ["wanderer"])
        for isOrderly in [true, false] {
            if isOrderly { #expect(try daemon.stop() == .exited(0)) } else { daemon.signal(SIGKILL) }
            try daemon.restart()
            let after = try OperatorClient(daemon).requests()
            #expect(
                after.map(\.question.id) == before.map(\.question.id)
                    && after.first?.question.kind == before.first?.question.kind)
            #expect(try status(try connect()) == "authorizedAlways")
            #expect(try call(try connect(), .getPosition)["position"] != nil)
        }
    }

    @Test func `a connection passed to another process belongs to its creator, and to no app once that has ended`()
        throws
    {
        try OperatorClient(daemon).authorize("trailmap", .always, uid: OtherUser.nobody)
        var script = PeerProcess.Script()
        script.user = OtherUser.nobody
        script.passesConnection = true
        let maker = try PeerProcess(connectingTo: daemon.socketPath, script)
        let connection = try RawConnection(copying: maker.passed)
        #expect(try connection.send(message: #"{"method":"io.waymark.Location.Monitor","more":true}"#) == .everything)
        // Before the first position there may be several reasons why there is none.
        #expect(try eventually { try connection.read(messages: 1)?.contains("latitude") == true })
        maker.end()
        #expect(
            try eventually {
                try connection.read(messages: 1)?.contains(ErrorName.manifestMissing.rawValue) == true
            })
        let again = #"{"method":"io.waymark.Location.GetPosition"}"#
        #expect(try connection.send(message: again) == .everything)
        #expect(try connection.read(messages: 1)?.contains(ErrorName.manifestMissing.rawValue) == true)
    }

    @Test func `a program that becomes another one after connecting is that other one`() throws {
        try OperatorClient(daemon).authorize("trailmap", .always, uid: OtherUser.nobody)
        var script = PeerProcess.Script()
        script.user = OtherUser.nobody
        script.passesConnection = true
        script.program = "/bin/sleep"
        let peer = try PeerProcess(connectingTo: daemon.socketPath, script)
        let link = "/proc/\(peer.processID)/exe"
        #expect(
            eventually {
                var path = [CChar](repeating: 0, count: 256)
                let count = readlink(link, &path, path.count)
                return String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
                    .hasSuffix("sleep")
            })
        let connection = try RawConnection(copying: peer.passed)
        #expect(try connection.send(message: #"{"method":"io.waymark.Location.GetPosition"}"#) == .everything)
        #expect(try connection.read(messages: 1)?.contains(ErrorName.manifestMissing.rawValue) == true)
        peer.end()
    }

    @Test func `a restriction added to the folder ends streams, and so does an unreadable one`() throws {
        let manage = try OperatorClient(daemon)
        try manage.authorize("trailmap", .always, uid: OtherUser.nobody)
        for text in ["[Restrictions]\nDenyAll=yes\n", "[Restrictions\nDenyAll=", "\u{0}\u{1}"] {
            let stream = try monitor()
            #expect(try next(stream) { $0.position != nil } != nil)
            try apps.restrict(text)
            #expect(try ending(stream) == .restricted)
            #expect(try Refusal { _ = try call(try connect(), .getPosition) }?.error == .restricted)
            try apps.restrict(nil)
            #expect(try eventually { try status(try connect()) == "authorizedAlways" })
        }
    }

    @Test func `without its manifest an app has no rights, and with another binding it has to request again`() throws {
        let manage = try OperatorClient(daemon)
        try manage.authorize("trailmap", .always, uid: OtherUser.nobody)
        let reported = try connect().stream(LocationInterface.Method.monitorAuthorization.rawValue)
        func nextStatus(_ wanted: JSON) throws -> Bool {
            for _ in 0..<10 {
                let reply = try reported.next(timeout: .seconds(60))
                guard let authorization = reply?.parameters["authorization"] else { return false }
                if authorization["status"] == wanted, authorization["diagnostics"] == [] { return true }
            }
            return false
        }
        #expect(try nextStatus("authorizedAlways"))
        let stream = try monitor()
        #expect(try next(stream) { $0.position != nil } != nil)
        #expect(unlink(apps.directory.file("apps/trailmap.app")) == 0)
        #expect(try ending(stream) == .manifestMissing)
        #expect(try Refusal { _ = try call(try connect(), .getPosition) }?.error == .manifestMissing)

        try apps.add("trailmap", name: "Trail Map", program: try TestApps.ownProgram())
        #expect(try nextStatus("authorizedAlways"), "the grant is valid again with the manifest")
        let again = try monitor()
        #expect(try next(again) { $0.position != nil } != nil)

        try apps.add(
            "trailmap", name: "Trail Map", program: try TestApps.ownProgram(), "Flatpak=org.example.TrailMap")
        #expect(try nextStatus("notDetermined"))
        #expect(try manage.app("trailmap")?.permission == .notDetermined)
    }

    @Test func `an app with reduced accuracy gets no satellites and no exact position`() throws {
        try OperatorClient(daemon).authorize("trailmap", .always, uid: OtherUser.nobody, accuracy: .reduced)
        let client = try connect()
        #expect(try Refusal { _ = try call(client, .getSatellites) }?.error == .accuracyReduced)
        let stream = try monitor()
        let update = try #require(try next(stream) { _ in true })
        #expect(update.accuracyAuthorization == .reduced && update.position?.accuracy != .full)
        #expect(update.diagnostics.contains("accuracyLimited"))
        try OperatorClient(daemon).authorize("trailmap", .always, uid: OtherUser.nobody, accuracy: .full)
        #expect(try next(stream) { $0.position?.accuracy == .full } != nil)
    }

    @Test func `the recipients of positions are in the journal when the daemon has stopped`() throws {
        try OperatorClient(daemon).authorize("trailmap", .always, uid: OtherUser.nobody)
        let stream = try monitor()
        for _ in 0..<5 { #expect(try next(stream) { $0.position != nil } != nil) }
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        let read = JournalInterface.Read(kinds: [.positionsSeen])
        let entries = try OperatorClient(daemon).client.call(read, timeout: .seconds(60)).events
        let seen = entries.filter { $0.app == "trailmap" }.compactMap(SeenPositions.init)
        #expect(seen.reduce(0) { $0 + $1.fullInBackground } >= 5, "\(entries)")
    }
}

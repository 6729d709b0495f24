import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink
import Waymark

/// The protocol and features that the daemon reports; a client of the first protocol gets all that it knew.
@Suite(.waits) struct DaemonProtocolTests {
    /// The features that a daemon reports.
    private func features(_ socketPath: String) throws -> Set<DaemonFeature> {
        let release = try WaymarkClient(socketPath: socketPath).release()
        #expect(release.version == WaymarkVersion.text && release.age == 0)
        #expect(release.protocolNumber == WaymarkVersion.protocolNumber)
        #expect(release.features.isSubset(of: DaemonFeature.known))
        return release.features
    }

    @Test func `a daemon offers what its settings and its machine allow`() throws {
        let bare = try DaemonProcess(configuration: "[Reachability]\nResolver=none\n")
        #expect(try features(bare.socketPath) == [.recordings, .reachability])
        let nobody = try LoopbackPort()
        let whole = try DaemonProcess(gpsd: "127.0.0.1:\(nobody.number)")
        #expect(try features(whole.socketPath) == [.positions, .recordings, .reachability, .hostNames])
        var surroundings = DaemonSurroundings()
        surroundings.entrance = ["/usr/bin/python3", try Products.file("Tests/Integration/Foreign/refuse.py")]
        let blind = try DaemonProcess(surroundings: surroundings)
        #expect(try features(blind.socketPath) == [.recordings])
    }

    @Test func `a daemon whose journal has failed offers no recordings`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("state", "not a directory")
        let daemon = try DaemonProcess(in: directory)
        let isRemoved = try eventually { try !features(daemon.socketPath).contains(.recordings) }
        #expect(isRemoved)
    }

    @Test(arguments: [(64, true), (2, false)])
    func `connections survive a restart if the store has room for one`(_ room: Int, _ isRetained: Bool) throws {
        let host = try ServiceHost(mostDescriptors: room)
        #expect(try features(host.socketPath).contains(.preservedConnections) == isRetained, "\(host.log)")
    }

    @Test func `the status contains the protocol, and the command line prints both sides`() throws {
        let daemon = try DaemonProcess()
        let status = try WaymarkClient(socketPath: daemon.socketPath).status()
        #expect(status.protocol == Int64(WaymarkVersion.protocolNumber))
        let run = try CompletedProcess.run(
            try Products.program("waymark"), ["--version", "--socket", daemon.socketPath],
            environment: ["PATH": "/usr/bin:/bin"])
        #expect(
            run.output == """
                waymark \(WaymarkVersion.described)
                waymarkd \(WaymarkVersion.described) responds at \(daemon.socketPath)
                it offers recordings, reachability, hostNames

                """)
    }

    // A client of the first protocol

    /// Calls as a program of the first protocol sends them, each with more or without, and an error where that is
    /// right.
    private static let calls: [(method: String, parameters: String, more: Bool, error: String?)] = [
        ("org.varlink.service.GetInfo", "{}", false, nil),
        ("org.varlink.service.GetInterfaceDescription", #"{"interface":"io.waymark.Location"}"#, false, nil),
        ("io.waymark.Location.GetAuthorization", "{}", false, nil),
        ("io.waymark.Location.MonitorAuthorization", "{}", true, nil),
        ("io.waymark.Location.GetPosition", #"{"maximumAge":10.0,"timeout":20.0}"#, false, nil),
        ("io.waymark.Location.GetPosition", #"{"timeout":-1}"#, false, "org.varlink.service.InvalidParameter"),
        ("io.waymark.Location.Monitor", #"{"desiredAccuracy":1000,"distanceFilter":10.0,"interval":1}"#, true, nil),
        ("io.waymark.Location.Monitor", "{}", false, "org.varlink.service.ExpectedMore"),
        ("io.waymark.Location.GetSatellites", "{}", false, nil),
        ("io.waymark.Location.MonitorSatellites", "{}", true, nil),
        ("io.waymark.Location.MonitorHeading", #"{"headingFilter":181}"#, true, "org.varlink.service.InvalidParameter"),
        ("io.waymark.Location.MonitorVisits", #"{"since":-1}"#, true, "org.varlink.service.InvalidParameter"),
        ("io.waymark.Location.SetActivity", #"{"activity":"active"}"#, false, nil),
        ("io.waymark.Manage.Status", "{}", false, nil),
        ("io.waymark.Manage.Monitor", "{}", true, nil),
        ("io.waymark.Manage.Reload", "{}", false, nil),
        ("io.waymark.Manage.Metrics", "{}", false, nil),
        ("io.waymark.Manage.ListApps", "{}", false, nil),
        ("io.waymark.Manage.ListRequests", "{}", false, nil),
        ("io.waymark.Manage.SetServicesEnabled", #"{"enabled":true}"#, false, nil),
        ("io.waymark.Manage.Authorize", #"{"app":"nobody","status":"deny"}"#, false, "io.waymark.Manage.NoSuchApp"),
        ("io.waymark.Manage.Answer", #"{"id":99,"choice":"deny"}"#, false, "io.waymark.Manage.NoSuchRequest"),
        ("io.waymark.Journal.Note", #"{"text":"a remark of an older program"}"#, false, nil),
        ("io.waymark.Journal.Read", #"{"limit":5,"kinds":["note"],"newest":1}"#, true, nil),
        ("io.waymark.Journal.Verify", "{}", false, nil),
        ("io.waymark.Reachability.GetPath", "{}", false, nil),
        ("io.waymark.Reachability.MonitorPath", "{}", true, nil),
        ("io.waymark.Reachability.GetTarget", #"{"host":"127.0.0.1","port":9}"#, false, nil),
        ("io.waymark.Reachability.MonitorTarget", #"{"host":"127.0.0.1"}"#, true, nil),
        ("io.waymark.Reachability.ReportTarget", #"{"host":"127.0.0.1","outcome":"answered"}"#, false, nil),
        ("io.waymark.Recording.List", "{}", false, nil),
        (
            "io.waymark.Recording.Start", #"{"identifier":"trip","options":{"distanceFilter":5,"onRevoke":"keep"}}"#,
            false,
            "io.waymark.Recording.NotAllowed"
        ),
        ("io.waymark.Recording.Read", #"{"identifier":"trip","after":0}"#, false, "io.waymark.Recording.NotAllowed"),
        ("io.waymark.Uploads.List", "{}", false, nil),
        ("io.waymark.Uploads.Monitor", "{}", true, nil),
        ("io.waymark.Uploads.Pause", #"{"name":"home"}"#, false, "io.waymark.Uploads.NoSuchUpload"),
        ("io.waymark.Agent.Dismiss", #"{"prompt":1}"#, false, "io.waymark.Agent.NotAgent"),
    ]

    @Test func `a client of the first protocol gets the replies that its interfaces define`() throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try DaemonProcess(gpsd: receiver.address)
        let first = try PinnedProtocol(1)
        for call in Self.calls {
            let request = CallRequest(method: call.method)
            let description = try InterfaceDescription(
                parsing: #require(first.text(of: request.interfaceName), "\(call.method)"))
            let connection = try RawConnection(daemon.socketPath)
            let more = call.more ? #","more":true"# : ""
            let message = #"{"method":"\#(call.method)","parameters":\#(call.parameters)\#(more)}"#
            #expect(try connection.send(message: message) == .everything)
            let text = try #require(try connection.read(messages: 1), "\(call.method): no reply\n\(daemon.log)")
            let reply = try Reply(parsing: Array(text.utf8.prefix { $0 != 0 }))
            #expect(reply.error == call.error, "\(call.method): \(reply.parameters)")
            let fields: [InterfaceDescription.Field]
            if let error = reply.error {
                let name = String(error.split(separator: ".").last ?? "")
                let place = try #require(first.text(of: CallRequest(method: error).interfaceName))
                fields = try #require(InterfaceDescription(parsing: place).errors[name], "\(error) is new")
            } else {
                fields = try #require(description.methods[request.methodName], "\(call.method) is new").output
            }
            do {
                try description.validate(reply.parameters, against: fields)
            } catch {
                Issue.record("\(call.method): \(error)")
            }
        }
    }

    @Test func `additional members from a newer client are ignored`() throws {
        let daemon = try DaemonProcess()
        let connection = try RawConnection(daemon.socketPath)
        let message = #"{"method":"io.waymark.Location.GetAuthorization","parameters":{"novelty":{"of":1}}}"#
        #expect(try connection.send(message: message) == .everything)
        #expect(try connection.read(messages: 1)?.contains("authorizedAlways") == true)
        #expect(try connection.send(message: #"{"method":"io.waymark.Location.Novelty"}"#) == .everything)
        #expect(try connection.read(messages: 1)?.contains("org.varlink.service.MethodNotFound") == true)
    }

    // A call that outlives the daemon it was made to

    @Test func `a call with parameters unknown to this daemon is not executed`() throws {
        let host = try ServiceHost()
        let known = try StreamLog(host.socketPath, LocationInterface.Method.monitor.rawValue, #"{"distanceFilter":10}"#)
        let newer = try StreamLog(
            host.socketPath, LocationInterface.Method.monitor.rawValue, #"{"distanceFilter":10,"novelty":true}"#)
        #expect(eventually { !known.replies.isEmpty && !newer.replies.isEmpty })
        try host.restart(SIGTERM)
        #expect(eventually { newer.ending != nil })
        #expect(known.ending == nil)
        known.stop()
    }
}

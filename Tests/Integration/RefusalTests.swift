import Glibc
import Interfaces
import Location
import Platform
import Testing
import TestSupport
import Varlink

/// What somebody gets who is neither root nor the daemon's user nor in the operators' group.
@Suite(.enabled(if: OtherUser.isPossible, "only root can connect as somebody else"))
struct RefusalTests {
    /// What a method does for a stranger.
    private enum Conduct {
        case refuses(ErrorName)
        /// Answers, with nothing of where the machine is or has been.
        case answers
        /// Is not there yet.
        case isMissing
    }

    /// A way to call a method.
    private enum Form: String, CaseIterable {
        case plain = ""
        case more = #","more":true"#
        case oneway = #","oneway":true"#
    }

    /// Each method with parameters that ask for as much as can be had. A new method has to find its place here.
    private static let methods: [String: (parameters: String, conduct: Conduct)] = [
        "org.varlink.service.GetInfo": ("{}", .answers),
        "org.varlink.service.GetInterfaceDescription": (#"{"interface":"io.waymark.Location"}"#, .answers),
        "io.waymark.Location.GetAuthorization": ("{}", .answers),
        "io.waymark.Location.MonitorAuthorization": ("{}", .answers),
        "io.waymark.Location.RequestWhenInUse": ("{}", .refuses(.manifestMissing)),
        "io.waymark.Location.RequestAlways": ("{}", .refuses(.manifestMissing)),
        "io.waymark.Location.RequestTemporaryFullAccuracy": (
            #"{"purposeKey":"Navigation"}"#, .refuses(.manifestMissing)
        ),
        "io.waymark.Location.SetActivity": (#"{"activity":"active"}"#, .answers),
        "io.waymark.Location.HoldInUse": ("{}", .refuses(.manifestMissing)),
        "io.waymark.Location.GetPosition": (#"{"maximumAge":600,"timeout":5}"#, .refuses(.manifestMissing)),
        "io.waymark.Location.Monitor": ("{}", .refuses(.manifestMissing)),
        "io.waymark.Location.GetSatellites": ("{}", .refuses(.manifestMissing)),
        "io.waymark.Location.MonitorSatellites": ("{}", .refuses(.manifestMissing)),
        "io.waymark.Manage.Status": ("{}", .refuses(.manageNotOperator)),
        "io.waymark.Manage.Monitor": ("{}", .refuses(.manageNotOperator)),
        "io.waymark.Manage.Reload": ("{}", .refuses(.manageNotOperator)),
        "io.waymark.Manage.Metrics": ("{}", .refuses(.manageNotOperator)),
        "io.waymark.Manage.ListApps": ("{}", .refuses(.manageNotOperator)),
        "io.waymark.Manage.Authorize": (#"{"app":"trailmap","status":"always"}"#, .refuses(.manageNotOperator)),
        "io.waymark.Manage.Reset": (#"{"app":"trailmap"}"#, .refuses(.manageNotOperator)),
        "io.waymark.Manage.ResetAll": ("{}", .refuses(.manageNotOperator)),
        "io.waymark.Manage.SetServicesEnabled": (#"{"enabled":true}"#, .refuses(.manageNotOperator)),
        "io.waymark.Manage.ListRequests": ("{}", .refuses(.manageNotOperator)),
        "io.waymark.Manage.Answer": (#"{"id":1,"choice":"allow"}"#, .refuses(.manageNotOperator)),
        "io.waymark.Manage.SetLocked": (#"{"uid":0,"locked":false}"#, .refuses(.manageNotOperator)),
        "io.waymark.Manage.RotateReduced": ("{}", .refuses(.manageNotOperator)),
        "io.waymark.Agent.Register": ("{}", .refuses(.notAgent)),
        "io.waymark.Agent.Answer": (#"{"prompt":1,"choice":"allow"}"#, .refuses(.notAgent)),
        "io.waymark.Agent.Dismiss": (#"{"prompt":1}"#, .refuses(.notAgent)),
        "io.waymark.Agent.SetLocked": (#"{"locked":false}"#, .refuses(.notAgent)),
        "io.waymark.Journal.Read": (#"{"after":0,"follow":true}"#, .refuses(.journalNotOperator)),
        "io.waymark.Journal.Verify": ("{}", .refuses(.journalNotOperator)),
        "io.waymark.Journal.Note": (#"{"text":"a stranger was here"}"#, .refuses(.journalNotOperator)),
    ]

    @Test func `a stranger gets no position, no satellite and no event from any method`() throws {
        let receiver = try PlayedReceiver(try Products.fixture("ten-hertz.nmea"))
        defer { receiver.stop() }
        let daemon = try DaemonProcess(
            configuration: "[Socket]\nMaximumConnectionsPerUser=256\n", gpsd: receiver.address)
        #expect(chmod(daemon.directory.path, 0o711) == 0)
        let reader = try PositionReader(daemon.socketPath)
        defer { reader.stop() }
        #expect(reader.receives(3), "\(reader.seen.ending ?? daemon.log)")
        let first = try #require(reader.seen.last)

        var connections: [(name: String, RawConnection)] = []
        for method in try introspect(daemon.socketPath) {
            guard let (parameters, conduct) = Self.methods[method] else {
                Issue.record("what a stranger gets from \(method) is not tested: add it to `methods`")
                continue
            }
            for form in Form.allCases {
                let connection = try RawConnection(adopting: OtherUser.connect(to: daemon.socketPath))
                let call = #"{"method":"\#(method)","parameters":\#(parameters)\#(form.rawValue)}"#
                #expect(try connection.send(message: call) == .everything)
                try check(connection, form, conduct, "\(call)")
                connections.append((call, connection))
            }
        }

        // Positions go on to whoever may have them, and to nobody else.
        #expect(reader.receives(5), "\(reader.seen.ending ?? daemon.log)")
        let last = try #require(reader.seen.last)
        for (call, connection) in connections {
            let (bytes, isClosed) = try connection.readArrived()
            #expect(bytes.isEmpty && !isClosed, "\(call) got more: \(String(decoding: bytes, as: UTF8.self))")
        }
        let client = try Client(path: daemon.socketPath)
        let events = try client.call(JournalMethod.read.rawValue, timeout: .seconds(10))
        #expect(!"\(events)".contains("a stranger was here"), "a stranger's remark was written")
        let status = try #require(try DaemonStatus(client.call(ManageMethod.status.rawValue)["status"] ?? .null))
        #expect(status.clients.refused > 0)
        for text in [daemon.log, "\(events)", "\(try client.call(ManageMethod.metrics.rawValue))"] {
            for digits in Self.digits(first) + Self.digits(last) { #expect(!text.contains(digits)) }
        }
        #expect(try daemon.stop() == .exited(0))
        let stored = try Self.contents(daemon.directory.file("state/journal.db"))
        for digits in Self.digits(first) + Self.digits(last) { #expect(!stored.contains(digits)) }
    }

    @Test func `a member of the operators' group gets positions until a reload names another group`() throws {
        let group = try #require(try PeerIdentity.groupID(named: "games"), "Debian has this group")
        let receiver = try PlayedReceiver(try Products.fixture("ten-hertz.nmea"))
        defer { receiver.stop() }
        let daemon = try DaemonProcess(
            configuration: "[Authorization]\nOperatorGroup=games\n", gpsd: receiver.address)
        #expect(chmod(daemon.directory.path, 0o711) == 0)
        let reader = try PositionReader(daemon.socketPath)
        defer { reader.stop() }

        func open(_ method: String, _ parameters: String = "{}", more: Bool = true) throws -> RawConnection {
            let connection = try RawConnection(adopting: OtherUser.connect(to: daemon.socketPath, groups: [group]))
            let call = #"{"method":"\#(method)","parameters":\#(parameters),"more":\#(more)}"#
            #expect(try connection.send(message: call) == .everything)
            return connection
        }
        let positions = try open(LocationMethod.monitor.rawValue)
        let satellites = try open(LocationMethod.monitorSatellites.rawValue)
        let authorization = try open(LocationMethod.monitorAuthorization.rawValue)
        let query = try open(
            LocationMethod.getPosition.rawValue, #"{"desiredAccuracy":0.001,"timeout":60}"#, more: false)
        let journal = try open(JournalMethod.read.rawValue, #"{"follow":true}"#)
        let status = try open(ManageMethod.monitor.rawValue)
        #expect(try positions.read(messages: 4)?.contains("latitude") == true)
        #expect(try satellites.read(messages: 1)?.contains("satellites") == true)
        #expect(try authorization.read(messages: 1)?.contains("authorizedAlways") == true)
        #expect(try journal.read(messages: 1)?.contains("serviceStarted") == true)
        #expect(try status.read(messages: 1)?.contains("health") == true)

        try daemon.directory.write("waymark.conf", "[Authorization]\nOperatorGroup=users\n")
        let client = try Client(path: daemon.socketPath)
        let reload = try client.call(ManageMethod.reload.rawValue, timeout: .seconds(10))
        #expect(reload["changed"] == ["Authorization.OperatorGroup"])

        // Once the reload has been answered everything has ended.
        for (stream, name) in [
            (positions, ErrorName.manifestMissing), (satellites, .manifestMissing), (query, .manifestMissing),
            (journal, .journalNotOperator), (status, .manageNotOperator),
        ] {
            let replies = try Self.replies(stream.readArrived().bytes)
            #expect(replies.last?.error == name.rawValue, "\(replies.map(\.parameters))")
            #expect(replies.last?.parameters["message"]?.stringValue?.isEmpty == false)
            #expect(replies.dropLast().allSatisfy { $0.error == nil && $0.continues })
        }
        let told = try Self.replies(authorization.readArrived().bytes)
        #expect(told.map { $0.parameters["authorization"]?["status"] } == ["notDetermined"])

        #expect(reader.receives(5), "\(reader.seen.ending ?? daemon.log)")
        for stream in [positions, satellites, authorization, query, journal, status] {
            let (bytes, isClosed) = try stream.readArrived()
            #expect(bytes.isEmpty && !isClosed, "\(String(decoding: bytes, as: UTF8.self))")
        }
        let again = #"{"method":"io.waymark.Location.GetPosition"}"#
        #expect(try positions.send(message: again) == .everything)
        #expect(try positions.read(messages: 1)?.contains(ErrorName.manifestMissing.rawValue) == true)

        try daemon.directory.write("waymark.conf", "[Authorization]\nOperatorGroup=games\n")
        _ = try client.call(ManageMethod.reload.rawValue, timeout: .seconds(10))
        #expect(try authorization.read(messages: 1)?.contains("authorizedAlways") == true)
        #expect(try positions.send(message: again) == .everything)
        #expect(try positions.read(messages: 1)?.contains("latitude") == true)
    }

    /// The full names of all methods that the daemon says it has.
    private func introspect(_ path: String) throws -> [String] {
        let client = try Client(adopting: OtherUser.connect(to: path))
        return try client.serviceInfo(timeout: .seconds(10)).interfaces.flatMap { name in
            let text = try client.interfaceText(name, timeout: .seconds(10))
            return try InterfaceDescription(parsing: text).methods.keys.sorted().map { "\(name).\($0)" }
        }
    }

    private func check(_ connection: RawConnection, _ form: Form, _ conduct: Conduct, _ call: String) throws {
        if form == .oneway {
            // The answer of the next call is the first that comes.
            #expect(try connection.send(message: #"{"method":"org.varlink.service.GetInfo"}"#) == .everything)
        }
        let text = try #require(try connection.read(messages: 1), "no answer to \(call)")
        let replies = try Self.replies(Array(text.utf8))
        let reply = try #require(replies.first)
        #expect(replies.count == 1, "\(call)")
        for word in ["latitude\":", "longitude\":", "satellites\":", "events\":"] { #expect(!text.contains(word)) }
        switch conduct {
        case _ where form == .oneway:
            #expect(reply.parameters["product"] == "waymarkd", "\(call) was answered: \(text)")
        case _ where form == .plain && reply.error == "org.varlink.service.ExpectedMore":
            break
        case .refuses(let name):
            #expect(reply.error == name.rawValue, "\(call): \(text)")
            #expect(reply.parameters["message"]?.stringValue?.isEmpty == false, "\(call): \(text)")
        case .isMissing:
            #expect(reply.error == "org.varlink.service.MethodNotImplemented", "\(call): \(text)")
        case .answers:
            #expect(reply.error == nil, "\(call): \(text)")
            if let authorization = reply.parameters["authorization"] {
                #expect(authorization["status"] == "notDetermined")
            }
        }
    }

    private static func replies(_ bytes: [UInt8]) throws -> [Reply] {
        try bytes.split(separator: 0).map { try Reply(parsing: Array($0)) }
    }

    /// The beginnings of a position's coordinates, to hundreds of metres.
    private static func digits(_ position: Position) -> [String] {
        [position.coordinate.latitude, position.coordinate.longitude].map { value in
            let text = "\(abs(value))"
            return String(text.prefix((text.firstIndex(of: ".")?.utf16Offset(in: text) ?? 0) + 4))
        }
    }

    private static func contents(_ path: String) throws -> String {
        let file = try OwnedDescriptor("open", subject: path) { Glibc.open(path, O_RDONLY | O_CLOEXEC) }
        var bytes = [UInt8](repeating: 0, count: 16 << 20)
        let count = try retrying("read", subject: path) { read(file.number, &bytes, bytes.count) }
        #expect(count > 0)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

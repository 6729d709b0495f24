import Glibc
import Interfaces
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Programs of an operator that are apps: which of the operator's rights they have.
@Suite(
    .waits, .enabled(if: OtherUser.isPossible, "starting programs as another user needs root"),
    .enabled(if: TemporaryControlGroup.hierarchy != nil, "no control group can be made here"))
struct OperatorAppTests {
    private let apps: TestApps
    private let program: String
    private let unit: String
    private let manifest: String

    init() throws {
        apps = try TestApps()
        program = try apps.program("tracker")
        unit = "tracker-\(getpid())-\(Int.random(in: 0..<1_000_000_000)).service"
        manifest =
            "[App]\nName=Tracker\nUnit=\(unit)\nAlwaysInUse=yes\nWhenInUseUsageDescription=Finds the boat again.\n"
        try apps.directory.write("apps/tracker.app", manifest)
    }

    private func start(_ more: String = "") throws -> DaemonProcess {
        try DaemonProcess(in: apps.directory, configuration: apps.configuration() + more)
    }

    /// A program of root's, which is an operator, in the unit of the app.
    private func confined(_ daemon: DaemonProcess, in group: TemporaryControlGroup) throws -> AppClient {
        let client = try AppClient(program, to: daemon.socketPath, as: 0)
        try group.write("\(client.processID)", to: "cgroup.procs")
        return client
    }

    private func group() throws -> TemporaryControlGroup { try TemporaryControlGroup("/system.slice/\(unit)") }

    /// The calls that only operators may make, with the error that others get.
    private static let operators: [(method: String, parameters: String, error: ErrorName)] =
        ManageInterface.Method.allCases.map { method in
            switch method {
            case .authorize: (method.rawValue, #"{"app":"tracker","status":"always"}"#, .manageNotOperator)
            case .authorizeTracking: (method.rawValue, #"{"app":"tracker","status":"allow"}"#, .manageNotOperator)
            case .reset: (method.rawValue, #"{"app":"tracker"}"#, .manageNotOperator)
            case .answer: (method.rawValue, #"{"id":1,"choice":"allowWhileUsing"}"#, .manageNotOperator)
            case .setServicesEnabled: (method.rawValue, #"{"enabled":true}"#, .manageNotOperator)
            case .setLocked: (method.rawValue, #"{"uid":0,"locked":false}"#, .manageNotOperator)
            case .eraseUser, .restoreUser: (method.rawValue, #"{"uid":1}"#, .manageNotOperator)
            default: (method.rawValue, "{}", .manageNotOperator)
            }
        } + [
            (JournalInterface.Method.verify.rawValue, "{}", .journalNotOperator),
            (JournalInterface.Method.note.rawValue, #"{"text":"the app was here"}"#, .journalNotOperator),
            (
                WakingInterface.Method.reportPush.rawValue,
                #"{"container":"org.example.notes","environment":"production"}"#, .wakingNotAllowed
            ),
            (
                ProtectionInterface.Method.monitorCopyKey.rawValue,
                #"{"recipient":"\#(String(repeating: "09", count: 32))","isSealed":false}"#, .protectionNotAllowed
            ),
            (ProtectionInterface.Method.releaseCopyKey.rawValue, "{}", .protectionNotAllowed),
            (UploadsInterface.Method.pause.rawValue, #"{"name":"home"}"#, .uploadsNotOperator),
            (UploadsInterface.Method.flush.rawValue, #"{"name":"home"}"#, .uploadsNotOperator),
            (RecordingInterface.Method.erase.rawValue, #"{"identifier":"way","app":"other"}"#, .recordingNotOperator),
        ]

    @Test(arguments: ["", "MinimumAssurance=socket\n"])
    func `an operator's program that is an app by its unit neither operates the daemon nor reads of others`(
        more: String
    ) throws {
        let daemon = try start(more)
        let group = try group()
        let client = try confined(daemon, in: group)
        for (method, parameters, error) in Self.operators {
            try client.begin(
                method, parameters,
                more: ManageInterface.Method.monitor.rawValue == method
                    || method == ProtectionInterface.Method.monitorCopyKey.rawValue)
            let reply = try #require(try client.next(), "no reply to \(method)")
            #expect(reply.error == error.rawValue, "\(method): \(reply.error ?? "") \(reply.parameters)")
        }
        let read = try client.call(JournalInterface.Method.read.rawValue)
        if more.isEmpty {
            let events = try #require(read.parameters["events"]?.arrayValue).compactMap(JournalEntry.init)
            #expect(events.allSatisfy { $0.app == "tracker" && $0.user == 0 }, "\(read.parameters)")
        } else {
            // The proof of its identity is not strong enough, so it is treated as no app.
            #expect(read.error == ErrorName.journalNotOperator.rawValue)
        }
        let expected: ErrorName = more.isEmpty ? .notDetermined : .manifestMissing
        #expect(try client.call(LocationInterface.Method.getPosition.rawValue).error == expected.rawValue)
        let manage = try OperatorClient(daemon)
        #expect(try manage.app("tracker")?.permission == .notDetermined)
        #expect(try manage.list().servicesEnabled)
        try client.kill()
        withExtendedLifetime(group) {}
    }

    @Test func `an operator's app that is known by its program alone operates the daemon as well`() throws {
        try apps.add("wanderer", name: "Wanderer", program: program)
        let daemon = try start()
        let client = try AppClient(program, to: daemon.socketPath, as: 0)
        let own = try client.call(LocationInterface.Method.getAuthorization.rawValue)
        #expect(own.parameters["authorization"]?["app"] == "wanderer")
        #expect(try client.call(ManageInterface.Method.status.rawValue).error == nil)
        let authorized = try client.call(
            ManageInterface.Method.authorize.rawValue, #"{"app":"wanderer","uid":0,"status":"deny"}"#)
        #expect(authorized.error == nil, "\(authorized.parameters)")
        let read = try client.call(JournalInterface.Method.read.rawValue, #"{"kinds":["serviceStarted"]}"#)
        #expect(try #require(read.parameters["events"]?.arrayValue).count == 1)
    }

    @Test func `a connection opened by an operator's app has no operator's rights after that process has ended`() throws
    {
        let daemon = try start()
        let group = try group()
        var script = PeerProcess.Script()
        script.controlGroup = group.folder
        script.passesConnection = true
        let maker = try PeerProcess(connectingTo: daemon.socketPath, script)
        let connection = try RawConnection(copying: maker.passed)
        maker.end()
        for (method, error) in [
            (ManageInterface.Method.status.rawValue, ErrorName.manageNotOperator),
            (JournalInterface.Method.read.rawValue, .journalNotOperator),
            (LocationInterface.Method.getPosition.rawValue, .manifestMissing),
        ] {
            #expect(try connection.send(message: #"{"method":"\#(method)"}"#) == .everything)
            let reply = try #require(try connection.read(messages: 1))
            #expect(reply.contains(error.rawValue), "\(reply)")
        }
        withExtendedLifetime(group) {}
    }

    @Test func `the streams of an operator's program end when a manifest makes it an app`() throws {
        try apps.directory.write("apps/tracker.app", "[App]\nName=Tracker\nUnit=somebody-else.service\n")
        let daemon = try start()
        let group = try group()
        let clients = try [confined(daemon, in: group), confined(daemon, in: group)]
        try clients[0].begin(ManageInterface.Method.monitor.rawValue, more: true)
        try clients[1].begin(JournalInterface.Method.read.rawValue, #"{"follow":true}"#, more: true)
        for client in clients { #expect(try client.next()?.error == nil) }
        try apps.directory.write("apps/tracker.app", manifest)
        for (client, error) in zip(clients, [ErrorName.manageNotOperator, .journalNotOperator]) {
            var last: Reply?
            for _ in 0..<50 {
                last = try client.next()
                if last?.error != nil || last == nil { break }
            }
            #expect(last?.error == error.rawValue, "\(daemon.log)")
        }
        for client in clients { try client.kill() }
        withExtendedLifetime(group) {}
    }
}

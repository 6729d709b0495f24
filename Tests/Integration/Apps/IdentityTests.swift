import Glibc
import Interfaces
import JSONText
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Identifiers of apps at a real daemon, with programs of several users.
@Suite(.waits, .timeLimit(.minutes(10)), .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct IdentityTests {
    private static let other: uid_t = 45_680
    private let apps: TestApps
    private let map: String
    private let compass: String
    private let rival: String

    init() throws {
        apps = try TestApps()
        (map, compass, rival) = (try apps.program("map"), try apps.program("compass"), try apps.program("rival"))
        try apps.add("map", name: "Map", program: map, "Vendor=org.example")
        try apps.add("compass", name: "Compass", program: compass, "Vendor=org.example")
        try apps.add("rival", name: "Rival", program: rival)
    }

    private func start(_ configuration: String = "") throws -> DaemonProcess {
        try DaemonProcess(in: apps.directory, configuration: apps.configuration() + configuration)
    }

    private func reply(
        _ program: String, _ daemon: DaemonProcess, as user: uid_t = OtherUser.nobody
    ) throws -> Reply {
        let client = try AppClient(program, to: daemon.socketPath, as: user)
        defer { withExtendedLifetime(client) {} }
        return try client.call(IdentityInterface.Method.getIdentifierForVendor.rawValue)
    }

    /// The identifier that a program receives.
    private func identifier(
        _ program: String, _ daemon: DaemonProcess, as user: uid_t = OtherUser.nobody
    ) throws -> UniqueID {
        let reply = try reply(program, daemon, as: user)
        #expect(reply.error == nil, "\(reply.parameters)")
        let found = try IdentityInterface.GetIdentifierForVendor.reply(reply.parameters)
        let identifier = try #require(UniqueID(found.identifier))
        #expect(identifier.isRandom && "\(identifier)" == found.identifier)
        return identifier
    }

    private func waitFor(_ app: String, isInstalled: Bool, _ daemon: DaemonProcess) throws {
        let manage = try OperatorClient(daemon)
        let isDone = try eventually(within: Patience.daemon) { (try manage.app(app)?.manifest != nil) == isInstalled }
        #expect(isDone, "\(daemon.log)")
    }

    @Test func `apps of one vendor receive one identifier, other vendors, users and machines others`() throws {
        let daemon = try start()
        let first = try identifier(map, daemon)
        #expect(try identifier(map, daemon) == first && identifier(compass, daemon) == first)
        var others = [try identifier(rival, daemon), try identifier(map, daemon, as: Self.other)]
        // Another state directory is another machine.
        let elsewhere = try TestApps()
        try elsewhere.add("map", name: "Map", program: map, "Vendor=org.example")
        let machine = try DaemonProcess(in: elsewhere.directory, configuration: elsewhere.configuration())
        others.append(try identifier(map, machine))
        #expect(Set(others + [first]).count == 4)
        let vendor = try reply(rival, daemon).parameters["vendor"]
        #expect(vendor == "rival", "an app without Vendor= is a vendor by itself")
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        #expect(try identifier(compass, daemon) == first)
        #expect(!daemon.log.contains("\(first)"), "an identifier is in no log")
    }

    @Test func `a program that is no app has none`() throws {
        let daemon = try start()
        let refused = try reply(try apps.program("stranger"), daemon)
        #expect(refused.error == ErrorName.identityNotAllowed.rawValue)
        #expect(refused.parameters["message"]?.stringValue?.contains("no manifest") == true)
        let root = try Refusal { try OperatorClient(daemon).call(IdentityInterface.GetIdentifierForVendor()) }
        #expect(root?.error == .identityNotAllowed)
    }

    @Test(arguments: [false, true])
    func `an identifier remains while an app of the vendor is installed, and not after the last`(isKilled: Bool) throws
    {
        let daemon = try start()
        let first = try identifier(map, daemon)
        func remove(_ app: String) throws {
            #expect(unlink(apps.directory.file("apps/\(app).app")) == 0)
            try waitFor(app, isInstalled: false, daemon)
        }
        try remove("map")
        #expect(try identifier(compass, daemon) == first)
        try apps.add("map", name: "Map", program: map, "Vendor=org.example")
        try waitFor("map", isInstalled: true, daemon)
        #expect(try identifier(map, daemon) == first, "the other app was installed meanwhile")
        // A mistake in a manifest is no removal.
        try apps.directory.write("apps/map.app", "nonsense")
        try waitFor("map", isInstalled: false, daemon)
        if isKilled {
            // Removed while no daemon runs.
            daemon.signal(SIGKILL)
            _ = try daemon.wait()
            #expect(unlink(apps.directory.file("apps/compass.app")) == 0)
            try daemon.restart()
        } else {
            try remove("compass")
        }
        try apps.add("map", name: "Map", program: map, "Vendor=org.example")
        try waitFor("map", isInstalled: true, daemon)
        #expect(try identifier(map, daemon) == first)
        if isKilled {
            daemon.signal(SIGKILL)
            _ = try daemon.wait()
            #expect(unlink(apps.directory.file("apps/map.app")) == 0)
            try daemon.restart()
        } else {
            try remove("map")
        }
        let manage = try OperatorClient(daemon)
        #expect(
            try eventually(within: Patience.daemon) {
                try manage.call(ManageInterface.ListIdentifiers()).identifiers.isEmpty
            }, "\(daemon.log)")
        try apps.add("map", name: "Map", program: map, "Vendor=org.example")
        try waitFor("map", isInstalled: true, daemon)
        #expect(try identifier(map, daemon) != first, "installed again after all were removed")
    }

    @Test func `a reset changes the identifiers of a user, and is listed without any identifier`() throws {
        let daemon = try start()
        let manage = try OperatorClient(daemon)
        let first = try identifier(map, daemon)
        let rivals = try identifier(rival, daemon)
        let neighbours = try identifier(map, daemon, as: Self.other)
        _ = try identifier(compass, daemon)
        let list = try manage.call(ManageInterface.ListIdentifiers(uid: OtherUser.nobody)).identifiers
        #expect(list.map(\.app) == ["compass", "map", "rival"])
        #expect(list.map(\.vendor) == ["org.example", "org.example", "rival"])
        #expect(list.allSatisfy { $0.kind == .identifierForVendor && !$0.isPersonal && $0.first <= $0.last })
        #expect(try manage.call(ManageInterface.ListIdentifiers(app: "map")).identifiers.count == 2)

        #expect(try daemon.waymark("reset", "--identifiers").status == .exited(2), "nobody can confirm it here")
        #expect(try daemon.waymark("reset", "--identifiers", "map", "--yes").status == .exited(2))
        let reset = try daemon.waymark("reset", "--identifiers", "--user", "nobody", "--yes")
        #expect(reset.output == "Reset 2 identifiers: apps receive new ones at their next query.\n", "\(reset.error)")
        #expect(try manage.call(ManageInterface.ListIdentifiers(uid: OtherUser.nobody)).identifiers.isEmpty)
        daemon.signal(SIGKILL)
        try daemon.restart()
        let second = try identifier(map, daemon)
        #expect(try second != first && identifier(rival, daemon) != rivals)
        #expect(try identifier(compass, daemon) == second)
        #expect(try identifier(map, daemon, as: Self.other) == neighbours, "another user's is the same")
        #expect(
            try daemon.waymark("reset", "--identifiers", "--yes", "--json").output == #"{"count":3}"# + "\n")

        let events = try daemon.waymark("log", "--kind", "identifierDisclosed", "--kind", "identifiersReset").output
        #expect(events.contains("map of nobody: the identifier for the vendor org.example"), "\(events)")
        #expect(events.contains("nobody: 2 identifiers, by operator root"), "\(events)")
        let report = try daemon.waymark("report").output
        #expect(report.contains("org.example") && report.contains("compass"), "\(report)")
        let objects = try daemon.waymark("report", "--json", "--app", "rival").output
        #expect(objects.contains(#""identifier":"identifierForVendor","app":"rival""#), "\(objects)")
        for text in [events, report, objects, daemon.log] {
            for identifier in [first, second, rivals, neighbours] { #expect(!text.contains("\(identifier)")) }
        }
    }

    @Test func `what an app has received is stored, whenever the daemon is killed`() throws {
        let daemon = try start()
        var known: UniqueID?
        for round in 0..<12 {
            if round % 4 == 0 {
                _ = try OperatorClient(daemon).call(ManageInterface.ResetIdentifiers())
                known = nil
            }
            let client = try AppClient(round % 2 == 0 ? map : compass, to: daemon.socketPath)
            // It is connected.
            try client.call(LocationInterface.Method.getAuthorization.rawValue)
            try client.begin(IdentityInterface.Method.getIdentifierForVendor.rawValue)
            // Before, while or after the record is stored.
            let early = round % 3 == 0 ? nil : try client.next(seconds: 0.0005 * Double(round))
            daemon.signal(SIGKILL)
            if let reply = try early ?? client.next(), reply.error == nil {
                let received = UniqueID(
                    try IdentityInterface.GetIdentifierForVendor.reply(reply.parameters).identifier)
                #expect(received != nil && (known == nil || known == received), "\(daemon.log)")
                known = received
            }
            try daemon.restart()
            if let known { #expect(try identifier(map, daemon) == known, "\(daemon.log)") }
        }
        #expect(try identifier(map, daemon) == identifier(compass, daemon))
    }

    @Test func `a damaged text is begun again with a line in the log, and the others remain`() throws {
        let daemon = try start()
        let (first, rivals) = (try identifier(map, daemon), try identifier(rival, daemon))
        #expect(try daemon.stop() == .exited(0))
        let run = try CompletedProcess.run(
            "/usr/bin/sqlite3",
            [
                apps.directory.file("state/journal.db"),
                "UPDATE state SET value = substr(value, 5) WHERE name LIKE 'value:identifier % named org.example'",
            ])
        #expect(run.status.isSuccess, "\(run.error)")
        try daemon.restart()
        #expect(try identifier(map, daemon) != first && identifier(rival, daemon) == rivals)
        #expect(daemon.log.contains("cannot be read, and is begun again"), "\(daemon.log)")
    }

    @Test(.enabled(if: SmallDisk.isPossible, "mounting a tmpfs needs root"))
    func `an identifier that cannot be stored is not given away`() throws {
        let disk = try SmallDisk(kibibytes: 1_024)
        let state = apps.directory.file("state")
        try retrying("link", subject: state) { symlink(disk.path, state) }
        let daemon = try start()
        let rivals = try identifier(rival, daemon)
        let user = try daemon.userNotStored(with: disk) { user in
            let reply = try reply(map, daemon, as: user)
            if reply.error == nil { return true }
            #expect(reply.error == ErrorName.identityNotStored.rawValue, "\(reply.parameters) \(daemon.log)")
            #expect(reply.parameters["message"]?.stringValue?.contains("Repeat the call later") == true)
            return false
        }
        #expect(try identifier(rival, daemon) == rivals, "what is stored can be read")
        disk.free()
        #expect(
            try eventually(within: Patience.daemon) { try reply(map, daemon, as: user).error == nil }, "\(daemon.log)")
    }
}

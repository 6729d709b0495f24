import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Authorization to track, and the advertising identifier, at a real daemon with apps and agents of several users.
@Suite(.waits, .timeLimit(.minutes(10)), .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct AdvertisingIdentifierTests {
    static let person = OtherUser.nobody
    static let other: uid_t = 45_681
    static let purpose = "UserTrackingUsageDescription=Finds out who buys walking boots."
    let apps: TestApps
    let agent: String
    let map: String
    let shop: String
    let silent: String

    init() throws {
        apps = try TestApps()
        agent = try apps.program("agent")
        (map, shop, silent) = (try apps.program("map"), try apps.program("shop"), try apps.program("silent"))
        try apps.add(
            "map", name: "Map", program: map,
            "Vendor=org.example\n\(Self.purpose)\nUserTrackingUsageDescription[ko]=등산화를 사는 사람을 알아냅니다.")
        try apps.add("shop", name: "Shop", program: shop, "Vendor=com.example\n\(Self.purpose)")
        try apps.add("silent", name: "Silent", program: silent)
    }

    func start() throws -> DaemonProcess {
        try DaemonProcess(in: apps.directory, configuration: apps.configuration(agents: [agent]), knowsLogins: false)
    }

    func app(_ program: String, _ daemon: DaemonProcess, as user: uid_t = person) throws -> AppClient {
        try AppClient(program, to: daemon.socketPath, as: user)
    }

    /// What a program receives as the advertising identifier.
    func advertising(
        _ program: String, _ daemon: DaemonProcess, as user: uid_t = person
    ) throws -> (identifier: UniqueID, status: TrackingAuthorizationStatus) {
        let client = try app(program, daemon, as: user)
        return try advertising(client)
    }

    func advertising(
        _ client: AppClient
    ) throws -> (identifier: UniqueID, status: TrackingAuthorizationStatus) {
        let reply = try client.call(IdentityInterface.Method.getAdvertisingIdentifier.rawValue)
        #expect(reply.error == nil, "\(reply.parameters)")
        let found = try IdentityInterface.GetAdvertisingIdentifier.reply(reply.parameters)
        let identifier = try #require(UniqueID(found.identifier))
        #expect(identifier == .zero || identifier.isRandom)
        #expect((identifier == .zero) == (found.status != .authorized), "\(found)")
        return (identifier, found.status)
    }

    func decide(
        _ app: String, _ status: ManageInterface.AuthorizeTracking.Status, _ daemon: DaemonProcess,
        uid: UInt32 = person
    ) throws {
        _ = try OperatorClient(daemon).call(
            ManageInterface.AuthorizeTracking(app: app, uid: uid, status: status))
    }

    /// An app in use whose request is pending.
    func asking(_ program: String, _ daemon: DaemonProcess) throws -> AppClient {
        let client = try app(program, daemon)
        #expect(try client.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#).error == nil)
        try client.begin(IdentityInterface.Method.requestTrackingAuthorization.rawValue)
        return client
    }

    func outcome(_ reply: Reply?) throws -> IdentityInterface.RequestTrackingAuthorization.Reply {
        let reply = try #require(reply)
        #expect(reply.error == nil, "\(reply.error ?? "") \(reply.parameters)")
        return try IdentityInterface.RequestTrackingAuthorization.reply(reply.parameters)
    }

    func answer(_ question: Question, _ choice: PromptChoice, _ daemon: DaemonProcess) throws {
        let reply = try app(agent, daemon).call(
            AgentInterface.Method.answer.rawValue, #"{"prompt":\#(question.id),"choice":"\#(choice.rawValue)"}"#)
        #expect(reply.error == nil, "\(reply.parameters)")
    }

    /// Runs `waymark` as a user who is no operator.
    func waymark(_ arguments: String..., as user: uid_t, _ daemon: DaemonProcess) throws -> CompletedProcess {
        let program = try apps.program("waymark", of: "waymark")
        return try daemon.waymark(
            ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", program] + arguments, as: "/usr/bin/setpriv")
    }

    // The identifier

    @Test func `without a decision and after a denial the identifier is zero, and allowed apps of a user share one`()
        throws
    {
        let daemon = try start()
        #expect(try advertising(map, daemon) == (.zero, .notDetermined))
        try decide("map", .deny, daemon)
        #expect(try advertising(map, daemon) == (.zero, .denied))
        for app in ["map", "shop"] { try decide(app, .allow, daemon) }
        let first = try advertising(map, daemon).identifier
        #expect(first != .zero)
        #expect(try advertising(shop, daemon).identifier == first, "another vendor, the same user")
        #expect(try advertising(map, daemon, as: Self.other) == (.zero, .notDetermined), "another user has not decided")
        try decide("map", .allow, daemon, uid: Self.other)
        let others = try advertising(map, daemon, as: Self.other).identifier
        #expect(others != first && others != .zero)
        // An identifier of a vendor is another number.
        let vendors = try app(map, daemon).call(IdentityInterface.Method.getIdentifierForVendor.rawValue)
        let vendor = try IdentityInterface.GetIdentifierForVendor.reply(vendors.parameters).identifier
        #expect(UniqueID(vendor) != first)
        #expect(try advertising(silent, daemon) == (.zero, .notDetermined))
    }

    @Test(arguments: [false, true])
    func `decisions and identifier remain after a restart, and a denial is in effect at once`(isKilled: Bool) throws {
        let daemon = try start()
        try decide("map", .allow, daemon)
        try decide("shop", .deny, daemon)
        let first = try advertising(map, daemon).identifier
        func restart() throws {
            if isKilled {
                daemon.signal(SIGKILL)
                _ = try daemon.wait()
            } else {
                #expect(try daemon.stop() == .exited(0))
            }
            try daemon.restart()
        }
        try restart()
        #expect(try advertising(map, daemon) == (first, .authorized), "\(daemon.log)")
        #expect(try advertising(shop, daemon) == (.zero, .denied))
        let client = try app(map, daemon)
        #expect(try advertising(client).identifier == first)
        try decide("map", .deny, daemon)
        #expect(try advertising(client) == (.zero, .denied))
        try restart()
        #expect(try advertising(map, daemon) == (.zero, .denied))
        // An identifier is not changed by a denial.
        try decide("map", .allow, daemon)
        #expect(try advertising(map, daemon).identifier == first)
        try decide("map", .undecided, daemon)
        #expect(try advertising(map, daemon) == (.zero, .notDetermined))
        try restart()
        #expect(try advertising(map, daemon) == (.zero, .notDetermined))
    }

    @Test func `a person resets the own identifier without being an operator, and no other identifier`() throws {
        let daemon = try start()
        for app in ["map", "shop"] { try decide(app, .allow, daemon) }
        try decide("map", .allow, daemon, uid: Self.other)
        let first = try advertising(map, daemon).identifier
        let others = try advertising(map, daemon, as: Self.other).identifier
        let vendor = IdentityInterface.Method.getIdentifierForVendor.rawValue
        let vendors = try app(map, daemon).call(vendor).parameters

        let nobody = try waymark("reset", "--advertising-identifier", "--yes", as: 45_682, daemon)
        #expect(nobody.output == "No app has received an advertising identifier of yours.\n", "\(nobody.error)")
        #expect(try waymark("reset", "--advertising-identifier", as: Self.person, daemon).status == .exited(2))
        let reset = try waymark("reset", "--advertising-identifier", "--yes", as: Self.person, daemon)
        #expect(reset.output.hasPrefix("Reset the advertising identifier"), "\(reset.error)")
        daemon.signal(SIGKILL)
        _ = try daemon.wait()
        try daemon.restart()
        let second = try advertising(map, daemon).identifier
        #expect(try second != first && second != .zero && advertising(shop, daemon).identifier == second)
        #expect(try advertising(map, daemon, as: Self.other).identifier == others)
        #expect(try app(map, daemon).call(vendor).parameters == vendors)
        // Another user's needs an operator.
        let refused = try waymark(
            "reset", "--advertising-identifier", "--user", "45681", "--yes", as: Self.person, daemon)
        #expect(refused.status == .exited(4), "\(refused.output)\(refused.error)")
        let operators = try daemon.waymark("reset", "--advertising-identifier", "--user", "nobody", "--yes")
        #expect(operators.output.hasPrefix("Reset the advertising identifier"), "\(operators.error)")
        #expect(try app(map, daemon).call(vendor).parameters == vendors)
        let third = try advertising(map, daemon).identifier
        #expect(![first, second].contains(third))
        // A kind of a later release resets nothing.
        let unknown = ManageInterface.ResetIdentifiers(uid: nil, kind: .init(rawValue: "other"))
        #expect(throws: VarlinkError.self) { try OperatorClient(daemon).call(unknown) }
        #expect(try advertising(map, daemon).identifier == third)
        #expect(try daemon.waymark("reset", "--identifiers", "--yes").status == .exited(0))
        #expect(try advertising(map, daemon).identifier != third && advertising(shop, daemon).identifier != third)
    }

    @Test(.enabled(if: TemporaryControlGroup.hierarchy != nil, "no control group can be made here"))
    func `an app that is confined by its unit may not reset the identifier`() throws {
        try apps.directory.write("apps/boxed.app", "[App]\nName=Boxed\nUserUnit=app-boxed-*.scope\n")
        let daemon = try start()
        try decide("map", .allow, daemon)
        let first = try advertising(map, daemon).identifier
        let slice = "/user.slice/user-\(Self.person).slice/user@\(Self.person).service/app.slice"
        let group = try TemporaryControlGroup("\(slice)/app-boxed-7.scope")
        let inside = try app(try apps.program("boxed"), daemon)
        try group.write("\(inside.processID)", to: "cgroup.procs")
        let refused = try inside.call(IdentityInterface.Method.resetAdvertisingIdentifier.rawValue)
        #expect(refused.error == ErrorName.identityNotAllowed.rawValue, "\(refused.parameters)")
        #expect(try advertising(map, daemon).identifier == first)
        try inside.kill()
        // Exec= alone leaves a program its user's rights.
        let free = try app(silent, daemon).call(IdentityInterface.Method.resetAdvertisingIdentifier.rawValue)
        #expect(free.parameters["wasReset"] == true, "\(free.parameters)")
        #expect(try advertising(map, daemon).identifier != first)
    }

    @Test func `a restriction forbids tracking to all, and a mistake in a restriction does too`() throws {
        let daemon = try start()
        try decide("map", .allow, daemon)
        let client = try app(map, daemon)
        let first = try advertising(client).identifier
        for text in ["[Restrictions]\nForbidTracking=yes\n", "[Restrictions]\nForbidTrackin=yes\n"] {
            try apps.restrict(text)
            #expect(
                try eventually(within: Patience.daemon) { try advertising(client) == (.zero, .restricted) },
                "\(daemon.log)")
            #expect(try outcome(try client.call(requestMethod)).status == .restricted)
            let allowed = try daemon.waymark("tracking", "allow", "shop", "--user", "nobody")
            #expect(allowed.status == .exited(4) && allowed.error.contains("waymark restrictions"), "\(allowed.error)")
            try apps.restrict(nil)
            #expect(
                try eventually(within: Patience.daemon) { try advertising(client) == (first, .authorized) },
                "\(daemon.log)")
        }
        // Positions and tracking are independent.
        _ = try OperatorClient(daemon).call(ManageInterface.SetServicesEnabled(enabled: false))
        #expect(try advertising(client) == (first, .authorized))
    }

    var requestMethod: String { IdentityInterface.Method.requestTrackingAuthorization.rawValue }

    // What others learn

    @Test func `decisions and disclosures are shown and recorded, and the identifier is nowhere but in the journal`()
        throws
    {
        let daemon = try start()
        let manage = try OperatorClient(daemon)
        let allow = try daemon.waymark("tracking", "allow", "map", "--user", "nobody")
        #expect(
            allow.output == "map of nobody may track, and receives the advertising identifier.\n", "\(allow.error)")
        var identifiers = [try advertising(map, daemon).identifier]
        let reset = try waymark("reset", "--advertising-identifier", "--yes", "--json", as: Self.person, daemon)
        #expect(reset.output == #"{"wasReset":true}"# + "\n", "\(reset.error)")
        identifiers.append(try advertising(map, daemon).identifier)
        #expect(Set(identifiers).count == 2)
        let list = try manage.call(ManageInterface.ListIdentifiers()).identifiers
        #expect(list.map(\.app) == ["map"] && list.map(\.kind) == [.advertisingIdentifier])
        #expect(list.first?.vendor == nil && list.first?.isPersonal == false)
        #expect(try manage.app("map")?.tracking == .authorized)

        let events = try daemon.waymark("log").output
        #expect(events.contains("map of nobody: allowed, by operator root"), "\(events)")
        #expect(events.contains("map of nobody: the advertising identifier"), "\(events)")
        #expect(events.contains("nobody: the advertising identifier, by nobody"), "\(events)")
        let report = try daemon.waymark("report").output
        #expect(report.contains("advertising") && report.contains("allowed, by operator root"), "\(report)")
        let decisions = try daemon.waymark("tracking").output
        #expect(decisions.contains("map") && decisions.contains("allowed"), "\(decisions)")
        let details = try daemon.waymark("apps", "map").output
        #expect(details.contains("Tracking"), "\(details)")
        var texts = [events, report, decisions, details, daemon.log]
        for command in [
            ["status", "--json"], ["metrics"], ["report", "--json"], ["log", "--json"], ["apps", "--json"],
        ] {
            texts.append(try daemon.waymark(command).output)
        }
        #expect(try daemon.stop() == .exited(0))
        texts.append(daemon.log)
        for text in texts {
            for identifier in identifiers { #expect(!text.contains("\(identifier)"), "\(identifier) is in \(text)") }
        }
    }

    @Test func `everything is erased with the user's other data, and a changed identity begins again`() throws {
        let daemon = try start()
        try decide("map", .allow, daemon, uid: Self.other)
        let first = try advertising(map, daemon, as: Self.other).identifier
        try OperatorClient(daemon).call(ManageInterface.EraseUser(uid: Self.other))
        #expect(try advertising(map, daemon, as: Self.other) == (.zero, .notDetermined))
        try decide("map", .allow, daemon, uid: Self.other)
        let second = try advertising(map, daemon, as: Self.other).identifier
        #expect(second != first)
        // Another program under the same name has to be allowed again.
        let program = try apps.program("other")
        try apps.add("map", name: "Map", program: program, Self.purpose)
        #expect(
            try eventually(within: Patience.daemon) {
                try app(program, daemon, as: Self.other).call(
                    IdentityInterface.Method.getTrackingAuthorization.rawValue
                ).parameters["status"] == "notDetermined"
            }, "\(daemon.log)")
        // `reset` erases the decision about tracking as well.
        try decide("shop", .allow, daemon)
        #expect(try daemon.waymark("reset", "shop", "--user", "nobody").status == .exited(0))
        #expect(try advertising(shop, daemon) == (.zero, .notDetermined))
    }

    @Test func `a damaged decision counts as not made, with a line in the log`() throws {
        let daemon = try start()
        for app in ["map", "shop"] { try decide(app, .allow, daemon) }
        let first = try advertising(shop, daemon).identifier
        #expect(try daemon.stop() == .exited(0))
        let run = try CompletedProcess.run(
            "/usr/bin/sqlite3",
            [
                apps.directory.file("state/journal.db"),
                "UPDATE state SET value = substr(value, 5) WHERE name LIKE 'value:tracking % map'",
            ])
        #expect(run.status.isSuccess, "\(run.error)")
        try daemon.restart()
        #expect(try advertising(map, daemon) == (.zero, .notDetermined))
        #expect(try advertising(shop, daemon) == (first, .authorized))
        #expect(daemon.log.contains("cannot be read, and counts as not made"), "\(daemon.log)")
    }

    @Test(.enabled(if: SmallDisk.isPossible, "mounting a tmpfs needs root"))
    func `an answer that cannot be stored allows nothing`() throws {
        let disk = try SmallDisk(kibibytes: 1_024)
        let state = apps.directory.file("state")
        try retrying("link", subject: state) { symlink(disk.path, state) }
        let daemon = try start()
        try decide("shop", .deny, daemon)
        let user = try daemon.userNotStored(with: disk) { user in
            let allowed = try daemon.waymark("tracking", "allow", "map", "--user", "\(user)")
            #expect(allowed.status == .exited(0) || allowed.status == .exited(1), "\(allowed.output)\(allowed.error)")
            return allowed.status == .exited(0)
        }
        #expect(try advertising(map, daemon, as: user) == (.zero, .notDetermined))
        disk.free()
        #expect(
            try eventually(within: Patience.daemon) {
                try daemon.waymark("tracking", "allow", "map", "--user", "\(user)").status == .exited(0)
            }, "\(daemon.log)")
        #expect(try advertising(map, daemon, as: user).status == .authorized)
    }
}

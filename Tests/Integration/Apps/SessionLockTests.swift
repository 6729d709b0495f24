import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Screens that logind reports as locked, on a message bus of the test's own.
@Suite(
    .waits, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"),
    .enabled(if: access("/usr/bin/dbus-daemon", X_OK) == 0, "dbus-daemon is not installed"))
struct SessionLockTests {
    private let apps: TestApps
    private let program: String
    private let bus: PrivateBus
    private let daemon: DaemonProcess

    init() throws {
        apps = try TestApps()
        program = try apps.program("trailmap")
        try apps.add("trailmap", name: "Trail Map", program: program)
        bus = try PrivateBus()
        var surroundings = DaemonSurroundings()
        surroundings.environment = ["DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)"]
        daemon = try DaemonProcess(
            in: apps.directory,
            configuration: apps.configuration() + "[Protection]\nLockWithScreen=yes\nLockWhenIdle=1s\n",
            knowsLogins: false, surroundings: surroundings)
        try OperatorClient(daemon).authorize("trailmap", .whileUsing, uid: OtherUser.nobody)
    }

    /// An app in front of its user.
    private func app() throws -> AppClient {
        let client = try AppClient(program, to: daemon.socketPath)
        #expect(
            try client.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#).error == nil)
        return client
    }

    private func isInUse(_ client: AppClient) throws -> Bool? {
        let reply = try client.call(LocationInterface.Method.getAuthorization.rawValue)
        return reply.parameters["authorization"].flatMap(AppAuthorization.init)?.isInUse
    }

    private func protection() throws -> ProtectionInterface.State {
        try OperatorClient(daemon).client.call(ProtectionInterface.Status()).status.state
    }

    @Test func `an app is not in use while its user's screen is locked, also after a crash of the daemon`() throws {
        let desk = try LoginDesk(
            bus, ["_31": .init(uid: OtherUser.nobody), "_32": .init(uid: OtherUser.nobody, seat: "")])
        defer { desk.leave() }
        let client = try app()
        #expect(try eventually(within: Patience.daemon) { try isInUse(client) == true }, "\(daemon.log)")
        desk.setLocked("_31", true)
        #expect(try eventually(within: Patience.daemon) { try isInUse(client) == false }, "\(daemon.log)")
        #expect(try daemon.waymark("log", "--kind", "userLocked").output.contains("nobody"))
        daemon.signal(SIGKILL)
        _ = try daemon.wait()
        try daemon.restart()
        let next = try app()
        #expect(try isInUse(next) == false, "a restart unlocks no screen")
        desk.setLocked("_31", false)
        #expect(try eventually(within: Patience.daemon) { try isInUse(next) == true }, "\(daemon.log)")
        #expect(try daemon.waymark("log", "--kind", "userUnlocked").output.contains("nobody"))
        // What a program declares stays in force until it is declared as unlocked.
        #expect(try daemon.waymark("screen", "lock", "--user", "nobody").status == .exited(0))
        #expect(try isInUse(next) == false)
        desk.setLocked("_31", true)
        desk.setLocked("_31", false)
        #expect(try daemon.waymark("screen", "unlock", "--user", "nobody").status == .exited(0))
        #expect(try eventually(within: Patience.daemon) { try isInUse(next) == true })
    }

    private func setPassphrase() throws {
        let set = try CompletedProcess.run(
            Products.program("waymark"), ["protection", "set-passphrase", "--stdin"],
            environment: daemon.environment(), input: "a heron on the third pier\n", seconds: 90)
        #expect(set.status == .exited(0), "\(set.error)")
        #expect(try protection() == .unlocked)
    }

    @Test(arguments: [true, false])
    func `protected data is locked when nobody uses the machine, and when everybody has logged out`(
        logsOut: Bool
    ) throws {
        let desk = try LoginDesk(bus, ["_31": .init(uid: OtherUser.nobody), "_32": .init(uid: 0)])
        defer { desk.leave() }
        try setPassphrase()
        let client = try app()
        #expect(try eventually(within: Patience.daemon) { try isInUse(client) == true })
        desk.setIdle("_32", since: 1)
        #expect(try !eventually(within: 2) { try protection() != .unlocked }, "somebody uses it")
        if logsOut {
            desk.remove("_31")
            desk.remove("_32")
        } else {
            desk.setIdle("_31", since: 1)
        }
        #expect(try eventually(within: Patience.daemon) { try protection() != .unlocked }, "\(daemon.log)")
        #expect(try eventually(within: 60) { try protection() == .locked })
        #expect(try daemon.waymark("log", "--kind", "dataLocked").output.contains("idle"))
    }

    @Test(arguments: [true, false])
    func `protected data is locked with the screen, and when logind is asked to lock it`(
        hasLocker: Bool
    ) throws {
        let desk = try LoginDesk(bus, ["_31": .init(uid: OtherUser.nobody)])
        defer { desk.leave() }
        try setPassphrase()
        let client = try app()
        #expect(try eventually(within: Patience.daemon) { try isInUse(client) == true })
        // A session that the daemon does not know yet would count as locked before.
        let isLocking = try eventually(within: Patience.daemon) {
            if hasLocker {
                for isLocked in [false, true] { desk.setLocked("_31", isLocked) }
            } else {
                desk.requestLock("_31")
            }
            return try protection() != .unlocked
        }
        #expect(isLocking, "\(daemon.log)")
        #expect(try eventually(within: 60) { try protection() == .locked })
        #expect(try daemon.waymark("log", "--kind", "dataLocked").output.contains("screen"))
        // The desk may still send some of the changes, of which the last one is a lock.
        #expect(try eventually(within: Patience.daemon) { try isInUse(client) == !hasLocker })
        // Unlocking the screen does not unlock the data.
        desk.setLocked("_31", false)
        #expect(try eventually(within: Patience.daemon) { try isInUse(client) == true })
        #expect(try protection() == .locked)
    }

    private func state(of uid: UInt32) throws -> ProtectionInterface.State {
        try OperatorClient(daemon).client.call(ProtectionInterface.Status(user: Int64(uid)), timeout: .seconds(60))
            .status
            .state
    }

    private func setOwnPassphrase(_ uid: UInt32) throws {
        let client = try Client(adopting: OtherUser.connect(to: daemon.socketPath, as: uid))
        _ = try client.call(ProtectionInterface.SetPassphrase(passphrase: "of \(uid)"), timeout: .seconds(60))
        #expect(try state(of: uid) == .unlocked)
    }

    @Test(arguments: ["logout", "screen"])
    func `a user's own data is locked at the end of that user's last session, and with that user's screen`(
        cause: String
    ) throws {
        let (anna, bert): (UInt32, UInt32) = (OtherUser.nobody, 5)
        let desk = try LoginDesk(
            bus, ["_31": .init(uid: anna), "_32": .init(uid: anna, seat: ""), "_33": .init(uid: bert)])
        defer { desk.leave() }
        for uid in [anna, bert] { try setOwnPassphrase(uid) }
        try setPassphrase()
        let client = try app()
        #expect(try eventually(within: Patience.daemon) { try isInUse(client) == true })
        if cause == "logout" {
            desk.remove("_31")
            #expect(try !eventually(within: 2) { try state(of: anna) != .unlocked }, "a session of ssh remains")
            desk.remove("_32")
        } else {
            let isLocking = try eventually(within: Patience.daemon) {
                for isLocked in [false, true] { desk.setLocked("_31", isLocked) }
                return try state(of: anna) != .unlocked
            }
            #expect(isLocking, "\(daemon.log)")
        }
        #expect(try eventually(within: Patience.daemon) { try state(of: anna) != .unlocked }, "\(daemon.log)")
        #expect(try eventually(within: 60) { try state(of: anna) == .locked })
        #expect(try state(of: bert) == .unlocked, "it is no session of his")
        #expect(try (protection() == .unlocked) == (cause == "logout"), "a screen locks the machine's data as well")
        #expect(try daemon.waymark("log", "--kind", "dataLocked").output.contains(cause))
    }
}

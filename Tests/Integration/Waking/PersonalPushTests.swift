import Glibc
import Interfaces
import Platform
import TestClients
import TestHubs
import TestSupport
import TestTraits
import Testing

/// A sleeping app of a person, by a manifest and in a service of that person: started by that person's service manager, which
/// only the person's own `waymark-agent --wake` asks, when the person's `waymark-sync` has changes from the hub.
///
/// The agent has the person's manager at its place below /run in mounts of its own.
@Suite(
    .waits, .timeLimit(.minutes(15)),
    .enabled(
        if: SleepScene.isPossible && OtherUser.isPossible && DaemonSurroundings.seesProgramsFromOwnMounts,
        "another user with mounts and control groups of a test's own needs root"))
final class PersonalPushTests {
    private static let person = OtherUser.nobody

    private let apps: TestApps
    private let daemon: DaemonProcess
    private let manager: ServiceManagerProcess
    private let machines: SyncedMachines
    private let passwd: String
    private let unit: String
    private let record: String
    private var agent: ChildProcess?

    init() throws {
        apps = try TestApps()
        let (folder, home) = (apps.directory, "home/.config/waymark/apps")
        // Several scenes may exist at the same time.
        unit = "notes-\(folder.path.split(separator: "-").last ?? "").service"
        try folder.write(
            "\(home)/notes.app",
            """
            [App]
            Name=Notes
            UserUnit=\(unit)
            Containers=\(SyncMachine.container)
            [Wake]
            Unit=\(unit)
            For=push
            """)
        record = try folder.write("record/notes", "")
        let owned = [
            "home", "home/.config", "home/.config/waymark", home, "\(home)/notes.app", "record", "record/notes",
        ]
        for name in owned {
            try retrying("give away", subject: name) { chown(folder.file(name), Self.person, Self.person) }
        }
        passwd = try folder.write(
            "passwd",
            "root:x:0:0::/root:/bin/sh\nnobody:x:\(Self.person):\(Self.person)::\(folder.file("home")):/bin/sh\n")
        var surroundings = DaemonSurroundings()
        surroundings.knowsLogins = false
        surroundings.userDatabase = passwd
        daemon = try DaemonProcess(
            in: folder,
            configuration: apps.configuration(
                agents: [try Products.resolvedProgram("waymark-agent")], personalManifests: true),
            surroundings: surroundings)
        let slice = "/user.slice/user-\(Self.person).slice/user@\(Self.person).service/app.slice"
        let service = try ServiceManagerProcess.Unit(
            unit, Self.asPerson + [try Products.program("waymark-sleeper"), record, "0", "push"],
            environment: ["WAYMARK_SOCKET": daemon.socketPath], output: folder.file("output"), slice: slice)
        manager = try ServiceManagerProcess([service], in: folder)
        let socket = manager.socketPath
        try retrying("chmod", subject: socket) { chmod(socket, 0o666) }
        machines = try SyncedMachines(daemon: daemon.socketPath, user: Self.person)
    }

    deinit { agent?.signal(SIGKILL) }

    private static let asPerson = ["/usr/bin/setpriv", "--reuid=\(person)", "--regid=\(person)", "--clear-groups"]

    /// Starts the person's `waymark-agent --wake`, as the person's service manager does after a login.
    private func logIn() throws {
        let script = """
            mount -t tmpfs tmpfs /run && mkdir -p /run/user/\(Self.person)/systemd &&
            ln -s "$1" /run/user/\(Self.person)/systemd/private && mount --bind "$0" /etc/passwd && shift && exec "$@"
            """
        let command =
            ["--mount", "--propagation", "private", "/bin/sh", "-c", script, passwd, manager.socketPath] + Self.asPerson
            + [try Products.program("waymark-agent"), "--wake"]
        agent = try ChildProcess(
            ChildProcess.Launch(
                "/usr/bin/unshare", command, environment: ["WAYMARK_SOCKET": daemon.socketPath], error: .inherited,
                isGuarded: true))
    }

    /// The lines that the app has written.
    private func lines() throws -> [Substring] {
        String(decoding: try BoundedFile.bytes(of: record, limit: 1 << 20), as: UTF8.self).split(separator: "\n")
    }

    /// The causes of the starts of the app.
    private func launches() throws -> [Substring] {
        try lines().filter { $0.hasPrefix("launch ") }.map { $0.split(separator: " ")[1] }
    }

    private func waking() throws -> ManageInterface.Waking {
        try #require(try OperatorClient(daemon).app("notes")?.waking)
    }

    @Test func `the app is started by that person's manager, and by no other, when another machine has saved a record`()
        throws
    {
        try logIn()
        try manager.start(unit)
        func isAsleep(_ wakes: Int) throws -> Bool {
            try launches().count == wakes + 1 && waking().pending == 0
                && manager.starts.last.map { !processExists($0.processID) } == true
        }
        let isIntroduced = try eventually(within: Patience.daemon) { try isAsleep(0) }
        #expect(isIntroduced, "\(daemon.log)")
        let before = try lines().count
        try machines.phone.save("milk")
        let isStarted = try eventually(within: Patience.daemon) { try isAsleep(1) }
        #expect(isStarted, "\(daemon.log)")
        #expect(try launches() == ["own", "push"])
        let events = try lines().dropFirst(before).filter { $0.hasPrefix("event ") }
        #expect(events.count == 1 && events[0].hasSuffix(" push=\(SyncMachine.container)"), "\(events)")

        // Without a service manager of that person nobody starts it: root's is not asked. The next one does.
        let ended = try #require(agent)
        ended.signal(SIGTERM)
        #expect(try ended.wait(seconds: 60) == .exited(0))
        try machines.phone.save("bread")
        let isPending = try eventually(within: Patience.daemon) {
            let waking = try waking()
            return waking.pending == 1 && waking.obstacle == .noHelper
        }
        #expect(isPending, "\(daemon.log)")
        #expect(try launches().count == 2)
        try logIn()
        let isStartedLater = try eventually(within: Patience.daemon) { try isAsleep(2) }
        #expect(isStartedLater, "\(daemon.log)")
        #expect(try launches() == ["own", "push", "push"])
    }
}

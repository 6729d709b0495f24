import Glibc
import Interfaces
import Platform
import SyncInterface
import TestClients
import TestHubs
import TestSupport
import TestTraits
import Testing
import Varlink

/// Who may do what with the key of a copy of records: programs that run as `waymark-sync`, and keys that were moved.
@Suite(
    .waits, .serialized, .timeLimit(.minutes(15)),
    .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct CopyKeyRightsTests {
    private static let passphrase = "a bicycle without a bell"
    private static let (anna, bert): (uid_t, uid_t) = (OtherUser.nobody, 5)
    private static let release = #"{"method":"io.waymark.Protection.ReleaseCopyKey"}"#
    private static let authorization = #"{"method":"io.waymark.Location.GetAuthorization"}"#

    private let apps: TestApps
    private let daemon: DaemonProcess
    private let program: String

    init() throws {
        apps = try TestApps()
        program = try Products.program("waymark-sync")
        daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
    }

    /// A process that runs the program `waymark-sync`, and whose connection the test has.
    private final class Insider {
        let folder: TemporaryDirectory
        let process: PeerProcess
        let connection: RawConnection

        init(_ program: String, to socket: String, as user: uid_t, in group: TemporaryControlGroup? = nil) throws {
            folder = try TemporaryDirectory()
            let path = folder.path
            try retrying("give away", subject: path) { chown(path, user, user) }
            var script = PeerProcess.Script()
            script.user = user
            script.controlGroup = group?.folder
            script.passesConnection = true
            script.laterProgram = program
            script.laterArguments = [
                "--folder", folder.file("copy"), "--listen", folder.file("sync.sock"), "--daemon", folder.file("none"),
            ]
            process = try PeerProcess(connectingTo: socket, script)
            connection = try RawConnection(copying: process.passed)
            try process.become()
        }

        func reply(_ message: String) throws -> String {
            #expect(try connection.send(message: message) == .everything)
            return try #require(try connection.read(messages: 1))
        }

        /// The error that a call is replied with; nil if it is fulfilled.
        func refusal(of message: String) throws -> String? {
            let reply = try reply(message)
            return reply.contains("error") ? reply : nil
        }
    }

    private func insider(_ user: uid_t, in group: TemporaryControlGroup? = nil) throws -> Insider {
        try Insider(program, to: daemon.socketPath, as: user, in: group)
    }

    private func stateFile(_ name: String) -> String { apps.directory.file("state/\(name)") }

    private func stored(_ user: uid_t) throws -> [UInt8] { try apps.directory.bytes("state/copy-\(user).key") }

    private func setPassphrase() throws { try daemon.protection(["set-passphrase"], input: [Self.passphrase]) }

    @Test func `a key is removed by its own waymark-sync only, and not while it seals`() throws {
        let hub = try HubProcess(more: [])
        let tablet = try SyncMachine(hub, as: "tablet", daemon: daemon.socketPath, user: Self.anna)
        try tablet.use()
        try tablet.save("milk")
        try setPassphrase()
        try tablet.waitFor(.sealed)
        let key = try stored(Self.anna)
        let (own, other) = (try insider(Self.anna), try insider(Self.bert))
        for insider in [own, other] { #expect(try insider.refusal(of: Self.release) == nil) }
        #expect(try stored(Self.anna) == key, "it seals a copy")
        try tablet.crash()
        try tablet.waitFor(.sealed)
        #expect(try tablet.text() == "milk")

        // Nobody else releases the key of a copy that its user has still to open.
        try tablet.stop()
        try daemon.protection(["switch-off", "--yes"], input: [Self.passphrase])
        let isReleased = try eventually(within: Patience.daemon) {
            try stored(Self.anna).starts(with: Array("released ".utf8))
        }
        #expect(isReleased, "\(daemon.log)")
        #expect(try other.refusal(of: Self.release) == nil)
        #expect(access(stateFile("copy-\(Self.anna).key"), F_OK) == 0)
        try tablet.start()
        try tablet.waitFor(.plain)
        #expect(try tablet.text() == "milk")
        #expect(eventually(within: Patience.daemon) { access(stateFile("copy-\(Self.anna).key"), F_OK) != 0 })
    }

    @Test(arguments: [false, true])
    func `no connection is waymark-sync and an app at once`(isOfMachine: Bool) throws {
        let group =
            isOfMachine
            ? try TemporaryControlGroup(
                "/system.slice/x\(Int.random(in: 0..<1_000_000_000)).slice/waymark-sync.service") : nil
        let user: uid_t = isOfMachine ? 0 : Self.anna
        let insider = try insider(user, in: group)
        let released = try insider.reply(Self.release)
        #expect(!released.contains("error"), "\(released) \(daemon.log)")
        for method in ["Location.GetPosition", "Waking.GetLaunchReason", "Identity.GetIdentifierForVendor"] {
            let reply = try insider.reply(#"{"method":"io.waymark.\#(method)"}"#)
            #expect(reply.contains("error"), "\(reply)")
        }
        #expect(try !insider.reply(Self.authorization).contains("records"))
        #expect(try OperatorClient(daemon).list().apps.isEmpty)

        // A mistaken manifest makes an app of it.
        if isOfMachine {
            try apps.directory.write("apps/records.app", "[App]\nName=Records\nUnit=waymark-sync.service\n")
        } else {
            try apps.add("records", name: "Records", program: program)
        }
        let isApp = try eventually(within: Patience.daemon) {
            try insider.reply(Self.authorization).contains(#""app":"records""#)
        }
        #expect(isApp, "\(daemon.log)")
        let refusal = try insider.reply(Self.release)
        #expect(refusal.contains("no app is waymark-sync"), "\(refusal)")

        // It remains one without the manifest, which may return.
        try retrying("remove") { unlink(apps.directory.file("apps/records.app")) }
        let isRemoved = try eventually(within: Patience.daemon) {
            try !self.insider(user, in: group).reply(Self.release).contains("error")
        }
        #expect(isRemoved, "\(daemon.log)")
        #expect(try insider.reply(Self.authorization).contains(#""app":"records""#))
        let still = try insider.reply(Self.release)
        #expect(still.contains("no app is waymark-sync"), "\(still)")
    }

    @Test func `a waymark-sync that has become an app gets no key over its open connection`() throws {
        let hub = try HubProcess(more: [])
        let tablet = try SyncMachine(hub, as: "tablet", daemon: daemon.socketPath, user: Self.anna)
        try tablet.use()
        try tablet.save("milk")
        try apps.add("records", name: "Records", program: program)
        #expect(try eventually(within: Patience.daemon) { try OperatorClient(daemon).app("records") != nil })
        try setPassphrase()
        let isRefused = try eventually(within: Patience.daemon) {
            try tablet.status().copyProblem?.contains("no app is waymark-sync") == true
        }
        #expect(isRefused, "\(tablet.log)")
        #expect(try tablet.status().copyForm == .plain && tablet.text() == "milk")
        #expect(access(stateFile("copy-\(Self.anna).key"), F_OK) != 0)
        try retrying("remove") { unlink(apps.directory.file("apps/records.app")) }
        try tablet.waitFor(.sealed)
        #expect(try tablet.text() == "milk")
    }

    @Test func `the key of one user's copy opens nothing in the place of another's`() throws {
        let hub = try HubProcess(more: [])
        let machines = try [Self.anna, Self.bert].map { user in
            let machine = try SyncMachine(hub, as: "tablet\(user)", daemon: daemon.socketPath, user: user)
            try machine.use()
            return machine
        }
        try machines[0].save("milk")
        try setPassphrase()
        for machine in machines {
            try machine.waitFor(.sealed)
            try machine.stop()
        }
        let keys = try [stored(Self.anna), stored(Self.bert)]
        func place(_ first: [UInt8], _ second: [UInt8]) throws {
            try apps.directory.write("state/copy-\(Self.anna).key", bytes: first)
            try apps.directory.write("state/copy-\(Self.bert).key", bytes: second)
        }
        try place(keys[1], keys[0])
        for (machine, user) in zip(machines, [Self.anna, Self.bert]) {
            try machine.start()
            let isRefused = try eventually(within: Patience.daemon) {
                try machine.status().copyProblem?.contains("copy-\(user).key cannot be opened: it was changed") == true
            }
            #expect(isRefused, "\(machine.log)")
            #expect(try machine.status().copyForm == .closed)
        }
        try place(keys[0], keys[1])
        for machine in machines { try machine.waitFor(.sealed) }
        #expect(try machines[0].text() == "milk")
    }
}

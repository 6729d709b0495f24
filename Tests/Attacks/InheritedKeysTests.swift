import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Getting another person's keys with that person's user id.
@Suite(
    .waits, .serialized,
    .enabled(
        if: OtherUser.isPossible && DaemonSurroundings.seesProgramsFromOwnMounts,
        "connecting as another user and mounting another user database need root"))
struct InheritedKeysTests {
    private static let account: UInt32 = 45_678
    private static let passphrase = "a heron on the third pier"

    private let apps: TestApps
    private let database: String

    init() throws {
        apps = try TestApps()
        database = try apps.directory.write("passwd", "")
        try give(to: "one")
    }

    /// Assigns the number to an account, or to none. The file is written in place, as the daemon sees it through a mount.
    private func give(to name: String?) throws {
        let line = name.map { "\($0):x:\(Self.account):\(Self.account)::/nonexistent:/bin/sh\n" } ?? ""
        try apps.directory.overwrite("passwd", "root:x:0:0::/root:/bin/sh\n\(line)")
    }

    private func start() throws -> DaemonProcess {
        var surroundings = DaemonSurroundings()
        surroundings.userDatabase = database
        return try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), knowsLogins: false, surroundings: surroundings)
    }

    /// The error of a call as the user of the number; nil if it succeeds.
    private func error<Method: VarlinkMethod>(_ method: Method, _ daemon: DaemonProcess) throws -> String? {
        let client = try Client(adopting: OtherUser.connect(to: daemon.socketPath, as: Self.account))
        do {
            _ = try client.call(method, timeout: .seconds(60))
            return nil
        } catch { return "\(error)" }
    }

    private func status(_ daemon: DaemonProcess) throws -> ProtectionInterface.Report {
        try OperatorClient(daemon).client.call(
            ProtectionInterface.Status(user: Int64(Self.account)), timeout: .seconds(60)
        ).status
    }

    private func users(_ daemon: DaemonProcess) throws -> KnownUser? {
        try OperatorClient(daemon).call(ManageInterface.ListUsers()).users.first { $0.uid == Self.account }
    }

    /// The operator has the user's secret here, as a PAM module would.
    private func unlock(_ daemon: DaemonProcess) throws -> CompletedProcess {
        try CompletedProcess.run(
            Products.program("waymark"), ["unlock", "--user", "\(Self.account)", "--stdin"],
            environment: daemon.environment(), input: Self.passphrase + "\n", seconds: 90)
    }

    @Test func `whoever gets the number of a removed account inherits neither its keys nor its open lock`() throws {
        let daemon = try start()
        #expect(try error(ProtectionInterface.SetPassphrase(passphrase: Self.passphrase), daemon) == nil)
        #expect(try status(daemon).state == .unlocked)
        try give(to: nil)
        #expect(try eventually(within: 60) { try users(daemon)?.state == "removed" }, "\(daemon.log)")
        // At once, without a notice of 10 s before.
        #expect(try status(daemon).state == .neverUnlocked)
        #expect(try daemon.waymark("log", "--kind", "dataLocked").output.contains("by=account"))

        try give(to: "eve")
        #expect(try eventually(within: 60) { try users(daemon)?.state == "replaced" }, "\(daemon.log)")
        for isRestarted in [false, true] {
            if isRestarted {
                #expect(try daemon.stop() == .exited(0))
                try daemon.restart()
                #expect(try eventually(within: 60) { try users(daemon)?.state == "replaced" }, "\(daemon.log)")
            }
            for text in [
                try error(ProtectionInterface.Unlock(secret: Self.passphrase), daemon),
                try error(ProtectionInterface.SetPassphrase(passphrase: "mine"), daemon),
                try error(ProtectionInterface.SwitchOff(secret: Self.passphrase), daemon),
                try error(ProtectionInterface.Lock(), daemon), try error(ProtectionInterface.Status(), daemon),
            ] { #expect(text?.contains("eve now") == true, "\(text ?? "it succeeds")") }
            // Not even the right passphrase unlocks it for whoever logs in.
            let refused = try unlock(daemon)
            #expect(refused.status == .exited(1) && refused.error.contains("removed or changed"), "\(refused.error)")
            #expect(try status(daemon).state == .neverUnlocked && status(daemon).failures == 0)
        }

        // Erased, the number can have keys of its own.
        _ = try OperatorClient(daemon).call(ManageInterface.Method.eraseUser) {
            ManageInterface.EraseUser(uid: Self.account).write(to: &$0)
        }
        let files = ["keys", "attempts"].map { apps.directory.file("state/protection/\(Self.account).\($0)") }
        for file in files { #expect(access(file, F_OK) != 0, "\(file)") }
        #expect(try status(daemon).state == .open)
        #expect(try error(ProtectionInterface.SetPassphrase(passphrase: "mine"), daemon) == nil)
        #expect(
            try error(ProtectionInterface.Unlock(secret: Self.passphrase), daemon)?.contains("does not unlock the data")
                == true)
    }

    @Test func `a number that got another account while the daemon was stopped inherits nothing either`() throws {
        let daemon = try start()
        #expect(try error(ProtectionInterface.SetPassphrase(passphrase: Self.passphrase), daemon) == nil)
        #expect(try daemon.stop() == .exited(0))
        try give(to: "eve")
        try daemon.restart()
        #expect(
            try error(ProtectionInterface.Unlock(secret: Self.passphrase), daemon)?.contains("eve now") == true)
        #expect(try unlock(daemon).error.contains("removed or changed"))
        #expect(try status(daemon).state == .neverUnlocked)
    }

    @Test func `the file of keys of an earlier account is refused in the place of the present account's`() throws {
        let daemon = try start()
        #expect(try error(ProtectionInterface.SetPassphrase(passphrase: "first"), daemon) == nil)
        // More changes than the present account's file has, so that its number does not give it away.
        for (old, new) in [("first", "second"), ("second", Self.passphrase)] {
            #expect(try error(ProtectionInterface.ChangePassphrase(secret: old, passphrase: new), daemon) == nil)
        }
        let keys = apps.directory.file("state/protection/\(Self.account).keys")
        let earlier = try BoundedFile.bytes(of: keys, limit: 65_536)
        try give(to: nil)
        #expect(try eventually(within: 60) { try users(daemon)?.state == "removed" }, "\(daemon.log)")
        _ = try OperatorClient(daemon).call(ManageInterface.Method.eraseUser) {
            ManageInterface.EraseUser(uid: Self.account).write(to: &$0)
        }
        try give(to: "eve")
        #expect(
            try eventually(within: 60) {
                try error(ProtectionInterface.SetPassphrase(passphrase: "mine"), daemon) == nil
            }, "\(daemon.log)")
        let present = try BoundedFile.bytes(of: keys, limit: 65_536)
        for (bytes, isUsable) in [(earlier, false), (present, true)] {
            #expect(try daemon.stop() == .exited(0))
            try DurableFile.replace(
                "\(Self.account).keys", in: apps.directory.file("state/protection"), with: bytes, noun: "keys")
            try daemon.restart()
            #expect(try status(daemon).state == (isUsable ? .neverUnlocked : .unusable))
            let problem = try status(daemon).problem
            #expect(problem?.contains("those of an earlier account") == (isUsable ? nil : true), "\(problem ?? "")")
            #expect(try error(ProtectionInterface.Unlock(secret: Self.passphrase), daemon) != nil)
            #expect(try (error(ProtectionInterface.Unlock(secret: "mine"), daemon) == nil) == isUsable)
        }
    }

    @Test func `data that an operator assigns to another account stays locked until its secret is presented`() throws {
        let daemon = try start()
        #expect(try error(ProtectionInterface.SetPassphrase(passphrase: Self.passphrase), daemon) == nil)
        try give(to: "renamed")
        #expect(try eventually(within: 60) { try users(daemon)?.state == "renamed" }, "\(daemon.log)")
        _ = try OperatorClient(daemon).call(ManageInterface.Method.restoreUser) {
            ManageInterface.RestoreUser(uid: Self.account).write(to: &$0)
        }
        #expect(try status(daemon).state == .neverUnlocked)
        #expect(
            try error(ProtectionInterface.Unlock(secret: "a guess"), daemon)?.contains("does not unlock the data")
                == true)
        #expect(try error(ProtectionInterface.Unlock(secret: Self.passphrase), daemon) == nil)
        #expect(try status(daemon).state == .unlocked)
    }

    @Test func `a number without an account, and those of services, have no keys of their own`() throws {
        try give(to: nil)
        let daemon = try start()
        #expect(
            try error(ProtectionInterface.SetPassphrase(passphrase: "x"), daemon)?.contains("no account") == true)
        let client = try Client(adopting: OtherUser.connect(to: daemon.socketPath, as: 61_200))
        #expect(throws: (any Error).self) {
            try client.call(ProtectionInterface.SetPassphrase(passphrase: "x"), timeout: .seconds(60))
        }
        #expect(access(apps.directory.file("state/protection"), F_OK) != 0)
    }
}

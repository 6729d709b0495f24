import Cryptography
import Glibc
import Interfaces
import JSONText
import Platform
import SyncInterface
import TestClients
import TestHubs
import TestSupport
import TestTraits
import Testing
import Varlink

/// The copy of records of a waymark-sync on a machine with a passphrase: a real hub, daemon and waymark-sync.
@Suite(
    .waits, .serialized, .timeLimit(.minutes(15)),
    .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct SealedCopyTests {
    private static let passphrase = "a bicycle without a bell"
    /// A text that no file may contain.
    private static let marker = "the house by the river"

    private let apps: TestApps
    private let daemon: DaemonProcess
    private let hub: HubProcess

    init() throws {
        apps = try TestApps()
        let keys = "Containers=\(SyncMachine.container)\n"
        try apps.add("notes", name: "Notes", program: try TestApps.ownProgram(), keys)
        try apps.directory.write("apps/ledger.app", "[App]\nName=Ledger\nUnit=ledger.service\n\(keys)")
        daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
        hub = try HubProcess(more: [])
    }

    /// The waymark-sync of a person.
    private func machine(_ name: String = "tablet", user: uid_t = OtherUser.nobody) throws -> SyncMachine {
        let machine = try SyncMachine(hub, as: name, daemon: daemon.socketPath, user: user)
        try machine.use()
        return machine
    }

    private func phone() throws -> SyncMachine {
        let phone = try SyncMachine(hub, as: "phone")
        try phone.use()
        return phone
    }

    private func setPassphrase() throws {
        try daemon.protection(["set-passphrase"], input: [Self.passphrase])
    }

    private func unlock() throws { try daemon.protection(["unlock"], input: [Self.passphrase]) }

    private func restartDaemon(by signal: Int32 = SIGKILL) throws {
        daemon.signal(signal)
        _ = try daemon.wait()
        try daemon.restart()
        try daemon.waitForJournal()
    }

    /// The files of the copy that have the text.
    private func plain(_ machine: SyncMachine, _ text: String = marker) throws -> [String] {
        try machine.files().filter { Bytes.contains(Array(text.utf8), in: $0.value) }.map(\.key).sorted()
    }

    private func stateFiles() -> [String] { DirectoryListing.names(apps.directory.file("state")) }

    private func key(_ user: uid_t = OtherUser.nobody) -> String { "copy-\(user).key" }

    private func switchOff() throws {
        try daemon.protection(["switch-off", "--yes"], input: [Self.passphrase])
    }

    private func isOpen() throws -> Bool {
        try OperatorClient(daemon).client.call(ProtectionInterface.Status(), timeout: .seconds(60)).status.state
            == .open
    }

    private func refusal(_ client: Client, isSealed: Bool = false) throws -> Refusal? {
        try Refusal {
            _ = try client.stream(
                ProtectionInterface.Method.monitorCopyKey.rawValue,
                ["recipient": .string(String(repeating: "09", count: 32)), "isSealed": .bool(isSealed)],
                timeout: .seconds(60)
            ).next(timeout: .seconds(60))
        }
    }

    @Test
    func `records are closed on the disk, and synchronize from the first unlock on until protection is switched off`()
        throws
    {
        let (tablet, phone) = (try machine(), try phone())
        try tablet.save(Self.marker)
        let begun = try tablet.status()
        #expect(begun.copyForm == .plain && begun.copyProblem == nil)
        #expect(try !plain(tablet).isEmpty, "the text would be found in a plain file")

        try setPassphrase()
        try tablet.waitFor(.sealed)
        #expect(stateFiles().contains(key()))
        #expect(try tablet.text() == Self.marker)
        try phone.save(Self.marker + " again")
        try tablet.waitFor(Self.marker + " again")
        try phone.save(Self.marker)
        try tablet.waitFor(Self.marker)
        var files = try tablet.files()
        #expect(files["sync.sealed"] != nil && files["sync.sqlite"] == nil, "\(files.keys)")
        for text in [Self.marker, SyncMachine.container, "SQLite format 3", "CREATE TABLE"] {
            #expect(try plain(tablet, text) == [])
        }
        #expect(
            try daemon.waymark("sync", "--sync-socket", tablet.socket).output.contains("Copy: sealed"), "\(tablet.log)")

        // The machine is started again.
        try tablet.stop()
        try restartDaemon()
        try tablet.start()
        let locked = try tablet.status()
        #expect(locked.copyForm == .closed && locked.containers.isEmpty && locked.activity == "waiting")
        let isExplained = try eventually(within: Patience.daemon) {
            try tablet.status().copyProblem?.contains("waymark unlock") == true
        }
        #expect(isExplained, "\(tablet.log)")
        for refused in try [
            failure(tablet, SyncInterface.ListRecords(container: SyncMachine.container, zone: "notes")),
            failure(tablet, SyncInterface.GetAccount()), failure(tablet, SyncInterface.Synchronize()),
            failure(tablet, SyncInterface.Leave(unsent: 0)),
            failure(tablet, SyncInterface.Join(hub: "https://localhost:1", code: "a")),
            failure(tablet, SyncInterface.ModifyZones(container: SyncMachine.container, save: ["more"])),
        ] {
            guard case .protectedDataUnavailable(let message)? = refused else {
                Issue.record("\(String(describing: refused))")
                continue
            }
            #expect(message.contains("waymark unlock"))
        }
        let text = try daemon.waymark("sync", "--sync-socket", tablet.socket).output
        #expect(text.contains("closed") && text.contains("waymark unlock"), "\(text)")
        // Calls that wait for changes wait for the unlock as well.
        let changes = try Client(path: tablet.socket, timeout: .seconds(60)).stream(
            SyncInterface.Method.getChanges.rawValue,
            ["container": .string(SyncMachine.container), "since": .integer(0)], timeout: .seconds(60))
        let account = try Client(path: tablet.socket, timeout: .seconds(60)).stream(
            SyncInterface.Method.getAccount.rawValue, timeout: .seconds(60))
        try phone.save("while it was locked")
        #expect(try tablet.status().copyForm == .closed)

        try unlock()
        try tablet.waitFor("while it was locked")
        #expect(try tablet.status().copyForm == .sealed)
        #expect(try changes.next(timeout: .seconds(60))?.parameters["changes"]?.arrayValue?.isEmpty == false)
        #expect(try account.next(timeout: .seconds(60))?.parameters["account"]?.stringValue == "alice")

        // A daemon that was restarted has no key, and the copy stays open all the same.
        try restartDaemon()
        #expect(eventually(within: Patience.daemon) { tablet.log.contains("the copy stays open") }, "\(tablet.log)")
        try phone.save("after a crash of the daemon")
        try tablet.waitFor("after a crash of the daemon")
        #expect(try tablet.status().copyForm == .sealed)
        try unlock()

        try switchOff()
        try tablet.waitFor(.plain)
        #expect(try tablet.text() == "after a crash of the daemon")
        #expect(eventually(within: Patience.daemon) { !stateFiles().contains(key()) })
        #expect(try eventually(within: Patience.daemon) { try isOpen() }, "\(daemon.log)")
        files = try tablet.files()
        #expect(files["sync.sealed"] == nil && files["sync.sealed-wal"] == nil, "\(files.keys)")
        try phone.save(Self.marker)
        try tablet.waitFor(Self.marker)
        #expect(try !plain(tablet).isEmpty)
        #expect(!tablet.log.contains(Self.marker) && !daemon.log.contains(Self.marker))
    }

    private func failure<Method: VarlinkMethod>(
        _ machine: SyncMachine, _ method: Method
    ) throws -> SyncInterface.Failure? {
        do {
            _ = try machine.call(method)
            return nil
        } catch VarlinkError.reply(let name, let parameters) {
            return SyncInterface.Failure(name: name, parameters: parameters)
        }
    }

    @Test
    func `a waymark-sync that does not run while protection is switched off has its copy plain when it runs again`()
        throws
    {
        let tablet = try machine()
        try tablet.save("milk")
        try setPassphrase()
        try tablet.waitFor(.sealed)
        try tablet.stop()
        try switchOff()
        #expect(try eventually(within: Patience.daemon) { try isOpen() }, "\(daemon.log)")
        let released = String(decoding: try apps.directory.bytes("state/\(key())"), as: UTF8.self)
        #expect(released.hasPrefix("released "))
        // A new passphrase meanwhile does not seal with a key that was released.
        try setPassphrase()
        try tablet.start()
        #expect(eventually(within: Patience.daemon) { attempt { try tablet.text() } == "milk" }, "\(tablet.log)")
        try tablet.waitFor(.sealed)
        #expect(try tablet.text() == "milk")
        let sealed = String(decoding: try apps.directory.bytes("state/\(key())"), as: UTF8.self)
        #expect(sealed.hasPrefix("sealed "))
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `a waymark-sync that waits gets its key of a daemon that was restarted meanwhile`(signal: Int32) throws {
        let tablet = try machine()
        try tablet.save("milk")
        try setPassphrase()
        try tablet.waitFor(.sealed)
        try tablet.stop()
        try restartDaemon()
        try tablet.start()
        try tablet.waitFor(.closed)
        for _ in 0..<2 { try restartDaemon(by: signal) }
        try unlock()
        try tablet.waitFor(.sealed)
        #expect(try tablet.text() == "milk")
        // And it goes on with the daemon: locked, unlocked, ended.
        try restartDaemon(by: signal)
        #expect(try tablet.text() == "milk")
        try switchOff()
        try tablet.waitFor(.plain)
        #expect(eventually(within: Patience.daemon) { !stateFiles().contains(key()) })
    }

    @Test func `a plain copy of a locked machine is neither read nor written until it can be sealed`() throws {
        let tablet = try machine()
        try tablet.save("milk")
        try tablet.stop()
        try setPassphrase()
        try restartDaemon()
        try tablet.start()
        try tablet.waitFor(.closed)
        try unlock()
        try tablet.waitFor(.sealed)
        #expect(try tablet.text() == "milk")
        #expect(try plain(tablet, "milk") == [])
    }

    @Test func `without a daemon a sealed copy waits with the reason, and a missing key is named`() throws {
        let tablet = try machine()
        try tablet.save("milk")
        try setPassphrase()
        try tablet.waitFor(.sealed)
        try tablet.stop()
        daemon.signal(SIGTERM)
        _ = try daemon.wait()
        try tablet.start()
        let isExplained = try eventually(within: Patience.daemon) {
            let status = try tablet.status()
            return status.copyForm == .closed && status.copyProblem?.contains("waymarkd does not answer") == true
        }
        #expect(isExplained, "\(tablet.log)")
        // The key is lost, and not replaced by another one.
        let path = apps.directory.file("state/\(key())")
        let stored = try apps.directory.bytes("state/\(key())")
        #expect(unlink(path) == 0)
        try daemon.restart()
        try daemon.waitForJournal()
        try unlock()
        let isNamed = try eventually(within: Patience.daemon) {
            try tablet.status().copyProblem?.contains("\(key()) is missing; restore it") == true
        }
        #expect(isNamed, "\(tablet.log)")
        #expect(!stateFiles().contains(key()))
        // One that was changed opens nothing either.
        var changed = stored
        changed[changed.count - 1] ^= 1
        try apps.directory.write("state/\(key())", bytes: changed)
        try tablet.crash()
        let isRefused = try eventually(within: Patience.daemon) {
            try tablet.status().copyProblem?.contains("restore it") == true
        }
        #expect(isRefused, "\(tablet.log)")
        // It is found by itself when it was restored.
        try apps.directory.write("state/\(key())", bytes: stored)
        try tablet.waitFor(.sealed)
        #expect(try tablet.text() == "milk")
    }

    @Test func `nobody but waymark-sync gets a key, and each user and the machine have their own`() throws {
        let tablet = try machine()
        let group = try TemporaryControlGroup(
            "/system.slice/x\(Int.random(in: 0..<1_000_000_000)).slice/waymark-sync.service")
        let service = try SyncMachine(hub, as: "service", daemon: daemon.socketPath, group: group)
        try service.use()
        try setPassphrase()
        for each in [tablet, service] { try each.waitFor(.sealed) }
        let names = stateFiles().filter { $0.hasPrefix("copy-") }
        #expect(Set(names) == [key(), "copy-machine.key"])
        // Another program of the same user, another user's, and root's.
        for user in [OtherUser.nobody, 0] {
            for isSealed in [false, true] {
                let client =
                    user == 0
                    ? try Client(path: daemon.socketPath, timeout: .seconds(60))
                    : try Client(adopting: OtherUser.connect(to: daemon.socketPath, as: user))
                #expect(try refusal(client, isSealed: isSealed)?.error == .protectionNotAllowed)
                let release = try Refusal { _ = try client.call(ProtectionInterface.ReleaseCopyKey()) }
                #expect(release?.error == .protectionNotAllowed)
            }
        }
        // The program itself within the service of an app is that app.
        let app = try TemporaryControlGroup(
            "/system.slice/x\(Int.random(in: 0..<1_000_000_000)).slice/ledger.service")
        let thief = try SyncMachine(hub, as: "thief", daemon: daemon.socketPath, group: app)
        let isRefused = try eventually(within: Patience.daemon) {
            try thief.status().copyProblem?.contains("no app is waymark-sync") == true
        }
        #expect(isRefused, "\(thief.log)")
        #expect(try thief.status().copyForm == .plain)
        #expect(Set(stateFiles().filter { $0.hasPrefix("copy-") }) == Set(names))
    }

    @Test(.enabled(if: ProcessMemory.isReadable, "a sanitizer's memory is too large to be copied"))
    func `a key is in the locked memory of waymark-sync and nowhere else`() throws {
        let tablet = try machine()
        try tablet.save("milk")
        try setPassphrase()
        try tablet.waitFor(.sealed)
        // It cannot replace the copy, so that the key remains released.
        kill(tablet.processID, SIGSTOP)
        defer { kill(tablet.processID, SIGCONT) }
        try switchOff()
        #expect(try eventually(within: Patience.daemon) { try isOpen() }, "\(daemon.log)")
        let stored = String(decoding: try apps.directory.bytes("state/\(key())"), as: UTF8.self)
        let digits = String(stored.dropFirst("released ".count))
        let bytes = try #require(HexText.bytes(of: digits))
        let found = try ProcessMemory.contains([bytes, Array(digits.utf8)], in: tablet.processID)
        #expect(found == [true, false])
        let status = String(
            decoding: try BoundedFile.bytes(of: "/proc/\(tablet.processID)/status", limit: 1 << 16), as: UTF8.self)
        #expect(status.split(separator: "\n").contains { $0.hasPrefix("VmLck:") && !$0.hasSuffix(" 0 kB") })
        for (name, content) in try tablet.files() {
            #expect(!Bytes.contains(bytes, in: content) && !Bytes.contains(Array(digits.utf8), in: content), "\(name)")
        }
        #expect(!tablet.log.contains(digits) && !daemon.log.contains(digits))
    }
}

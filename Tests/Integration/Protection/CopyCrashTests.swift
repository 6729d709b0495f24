import Glibc
import Interfaces
import JSONText
import Platform
import PowerCut
import SyncInterface
import TestClients
import TestHubs
import TestSupport
import TestTraits
import Testing
import Varlink

/// waymark-sync, and perhaps the daemon, are killed, and their power is cut, while a copy is plain, is being sealed, is sealed, or is being made plain again:
/// afterwards every record is there that an app has saved, though the hub has none of them.
///
/// `WAYMARK_PROTECTION_CUTS` makes longer runs, `WAYMARK_CUT_SEED` others.
@Suite(
    .waits, .serialized, .timeLimit(.minutes(30)),
    .enabled(if: PowerCutShim.compiler != nil && OtherUser.isPossible, "it needs a C compiler and root"))
struct CopyCrashTests {
    private static func setting(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
    private static let cuts = setting("WAYMARK_PROTECTION_CUTS") ?? 8
    private static let seed = setting("WAYMARK_CUT_SEED") ?? 1

    @Test func `no record is lost, whenever the power is cut`() throws {
        let bench = try CopyCrashBench()
        // Every second time that it is sealed, and that it is unsealed, the power is cut afterwards.
        for cut in 0..<Self.cuts { try bench.cut(seed: UInt64(Self.seed + cut), isAfter: cut % 4 > 1) }
        #expect(bench.forms.count > 1, "it was never plain, or never sealed: \(bench.forms)")
    }
}

/// A waymark-sync and a daemon, each on a simulated disk, and what was saved durably.
private final class CopyCrashBench {
    private static let passphrase = "a bicycle without a bell"

    private let apps: TestApps
    private let daemon: DaemonProcess
    private let machine: SyncMachine
    private let shims: (copy: PowerCutShim, state: PowerCutShim)
    private var disks: (copy: SimulatedDisk, state: SimulatedDisk)
    private var isNew = true
    private var hasPassphrase = false
    private var saved: [String] = []
    /// The forms in which the copy was found after a cut.
    private(set) var forms: Set<String> = []

    init() throws {
        apps = try TestApps()
        let state = apps.directory.file("state")
        let stateShim = try PowerCutShim(watching: state, in: apps.directory)
        let stateDisk = try SimulatedDisk(folder: state)
        var surroundings = DaemonSurroundings()
        surroundings.entrance = stateShim.entrance()
        daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), knowsLogins: false, surroundings: surroundings)
        let hub = try HubProcess(more: [])
        let directory = try TemporaryDirectory()
        let folder = directory.file("copy")
        let copyShim = try PowerCutShim(watching: folder, in: directory)
        shims = (copyShim, stateShim)
        disks = (try SimulatedDisk(folder: folder), stateDisk)
        machine = try SyncMachine(
            hub, as: "machine", daemon: daemon.socketPath, entrance: copyShim.entrance(), in: directory)
        try machine.use()
        // From now on nobody but the copy has what is saved.
        try hub.stop()
    }

    private func save() throws {
        let name = "n\(saved.count + 1)"
        let record: JSON = [
            "name": .string(name), "type": "Note", "fields": ["text": ["string": .string("text of \(name)")]],
        ]
        try machine.call(
            SyncInterface.ModifyRecords(
                container: SyncMachine.container, zone: "notes",
                request: ["save": [["policy": "allKeys", "record": record]]]))
        saved.append(name)
    }

    private func names() throws -> [String] {
        try machine.call(SyncInterface.ListRecords(container: SyncMachine.container, zone: "notes")).records
            .compactMap { $0["name"]?.stringValue }
    }

    /// Begins to seal or to unseal, kills waymark-sync and perhaps the daemon some time later, cuts their power, and checks what
    /// can be read.
    /// - Parameter isAfter: Whether that is over before.
    func cut(seed: UInt64, isAfter: Bool) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 1...5, using: &random) { try save() }
        let isSwitchingOff = hasPassphrase
        let call = isSwitchingOff ? ["switch-off", "--yes"] : ["set-passphrase"]
        try daemon.protection(call, input: [Self.passphrase])
        hasPassphrase = !isSwitchingOff
        // Sealing takes some milliseconds after the passphrase is set, and protection ends after a second or two.
        if isAfter { try machine.waitFor(hasPassphrase ? .sealed : .plain) }
        _ = poll(nil, 0, Int32.random(in: 0...(isSwitchingOff ? 2_500 : 60), using: &random))
        let style = isNew ? .nothing : CutStyle.allCases.randomElement(using: &random) ?? .nothing
        isNew = false
        try machine.crash {
            let isWhole = Bool.random(using: &random)
            if isWhole {
                daemon.signal(SIGKILL)
                #expect(try daemon.wait() == .killed(signal: SIGKILL))
            }
            try disks.copy.follow(try shims.copy.drainLog())
            _ = try disks.copy.cut(style, using: &random)
            let files = DirectoryListing.names(machine.folder.file("copy")).filter { !$0.hasSuffix("-shm") }
            forms.insert(files.contains("sync.sealed") ? "sealed" : "plain")
            guard isWhole else { return }
            try disks.state.follow(try shims.state.drainLog())
            _ = try disks.state.cut(style, using: &random)
            try daemon.restart()
        }
        try daemon.waitForJournal()
        let client = try OperatorClient(daemon).client
        let state = try client.call(ProtectionInterface.Status(), timeout: .seconds(60)).status.state
        if state == .neverUnlocked { try daemon.protection(["unlock"], input: [Self.passphrase]) }
        let isThere = eventually(within: Patience.daemon) { attempt { Set(try names()) } == Set(saved) }
        #expect(
            isThere,
            "seed \(seed), \(style): \(attempt { try names() } ?? []), not \(saved); \(attempt { try machine.status() }.map { "\($0)" } ?? "") \(machine.log)"
        )
        try machine.waitFor(hasPassphrase ? .sealed : .plain)
        if !hasPassphrase {
            let isOpen = try eventually(within: Patience.daemon) {
                try client.call(ProtectionInterface.Status(), timeout: .seconds(60)).status.state == .open
            }
            #expect(isOpen, "\(daemon.log)")
        }
    }
}

import Glibc
import Interfaces
import Location
import Platform
import PowerCut
import TestClients
import TestSupport
import Testing
import Varlink

/// A daemon that performs one operation of data protection, again and again from the same state, and is killed before one of
/// the operation's steps; and the checks of what is left then, with and without a loss of power.
final class ProtectionStepBench {
    /// The state directory after an interruption, and what has to be in it.
    struct Remains {
        /// The step before which the process was killed, in words; nil if it was killed after the last one.
        var step: String?
        var disk: SimulatedDisk
        var hasReplied: Bool
        /// The recovery key that the reply had.
        var words: String?
        /// The positions that were acknowledged.
        var positions: [Int64: Position]
    }

    private let prepared: PreparedProtection
    private let operation: ProtectionOperation
    private let directory: TemporaryDirectory
    private let shim: PowerCutShim
    private let counter: StepCounter
    private let surroundings: DaemonSurroundings
    private let state: String

    init(_ operation: ProtectionOperation, from prepared: PreparedProtection) throws {
        (self.operation, self.prepared) = (operation, prepared)
        directory = try TemporaryDirectory()
        let path = directory.path
        try retrying("open to others", subject: path) { chmod(path, 0o711) }
        state = directory.file("state")
        shim = try PowerCutShim(watching: state, in: directory)
        counter = try StepCounter(in: directory)
        var surroundings = DaemonSurroundings()
        surroundings.entrance = shim.entrance(
            syncMicroseconds: 0, steps: counter, with: [try .cheapPassphrases(in: directory)])
        self.surroundings = surroundings
    }

    private func daemon() throws -> DaemonProcess {
        let daemon = try DaemonProcess(
            in: directory, configuration: prepared.apps.configuration(),
            gpsd: operation.records ? prepared.receiver.address : "none", logLevel: "warning", more: ["--simulated"],
            surroundings: surroundings)
        try daemon.waitForJournal()
        return daemon
    }

    private func owner(_ daemon: DaemonProcess) throws -> Client {
        try PreparedProtection.owner(prepared.user, daemon.socketPath)
    }

    private func kill(_ daemon: DaemonProcess) throws {
        daemon.signal(SIGKILL)
        #expect(try daemon.wait() == .killed(signal: SIGKILL), "\(daemon.log)")
    }

    // The interruption

    /// Performs the operation until the process is killed before a step, or, with 0, until it is done. Returns what is left, and the
    /// steps in words.
    func interrupt(before number: Int) throws -> (remains: Remains, steps: [String]) {
        try PreparedProtection.copy(prepared.folder(isSealed: operation.isSealedBefore), to: state)
        var disk = try SimulatedDisk(folder: state)
        let daemon = try daemon()
        let client = try owner(daemon)
        var reader: PositionReader?
        if operation == .lock {
            _ = try client.call(
                ProtectionInterface.Unlock(secret: PreparedProtection.first), timeout: .seconds(60))
        }
        if operation.records {
            let found = try PositionReader(prepared.program, daemon.socketPath)
            // Before the unlock nothing can be read.
            let isRecording = try eventually(within: 60) {
                operation == .unlock
                    ? try OperatorClient(daemon).recordings().first?.last ?? 0 > prepared.positions.count + 5
                    : found.positions.count > prepared.positions.count + 5
            }
            #expect(isRecording, "\(daemon.log)")
            reader = found
        }
        if operation == .lock { try announceLock(client) }
        try counter.begin(stoppingBefore: number)
        var (words, hasReplied): (String?, Bool) = (nil, false)
        do {
            if operation != .lock { words = try operation.perform(by: client) }
            hasReplied = true
            // The end of the operation, and of what it has the daemon write afterwards.
            let isDone = try eventually(within: 60) {
                let status = try client.call(ProtectionInterface.Status(), timeout: .seconds(60)).status
                return operation.isDone(status) && hasSealedRegions
            }
            #expect(isDone, "\(operation): \(daemon.log)")
            try waitForEvents()
        } catch {
            // It was killed meanwhile.
            #expect(number > 0, "\(operation): \(error) \(daemon.log)")
        }
        let isStopped = try daemon.wait(seconds: number > 0 ? 5 : 0) != nil
        if !isStopped { try kill(daemon) }
        try counter.end()
        let acknowledged = reader?.end() ?? [:]
        let log = try shim.drainLog()
        try disk.follow(log)
        let steps = try PowerCutShim.steps(in: log)
        let remains = Remains(
            step: isStopped ? steps.last : nil, disk: disk, hasReplied: hasReplied, words: words,
            positions: prepared.positions.merging(acknowledged) { $1 })
        return (remains, steps)
    }

    /// Whether the file of regions is as the operation leaves it.
    private var hasSealedRegions: Bool {
        guard prepared.user == nil, operation == .setPassphrase || operation == .switchOff else { return true }
        return access("\(state)/regions.sqlite", F_OK) == 0 ? operation == .switchOff : operation == .setPassphrase
    }

    /// Announces the lock, and waits until it falls in a short time: what is written before is no part of it.
    private func announceLock(_ client: Client) throws {
        _ = try operation.perform(by: client)
        let isNear = try eventually(within: 60) {
            let status = try client.call(ProtectionInterface.Status(), timeout: .seconds(60)).status
            return status.state == .locked || status.lockedIn.map { $0 < 0.05 } == true
        }
        #expect(isNear)
    }

    /// Waits until the events of the operation are in the journal, which is the last that it writes.
    private func waitForEvents() throws {
        let root = try Client(path: directory.file("waymark.sock"), timeout: .seconds(60))
        _ = try root.call(JournalInterface.Verify(), timeout: .seconds(60))
    }

    // The checks

    /// Starts a daemon on what is left after a kill, or in addition a loss of power. Returns what is wrong.
    func check(
        _ remains: Remains, cut style: CutStyle?, using random: inout SeededGenerator
    ) throws -> (findings: [String], unsynchronized: Int) {
        var unsynchronized = 0
        if let style {
            var disk = remains.disk
            unsynchronized = try disk.cut(style, using: &random).unsynchronized
        }
        let daemon = try daemon()
        var findings: [String] = []
        do {
            let client = try owner(daemon)
            findings = try checkSecrets(remains, client)
            if findings.isEmpty { findings = try checkContent(remains, client, daemon) }
        } catch { findings.append("\(error)") }
        if daemon.log.contains("set aside") { findings.append("the database was set aside") }
        if !findings.isEmpty { findings.append(daemon.log) }
        try kill(daemon)
        _ = try shim.drainLog()
        return (findings, unsynchronized)
    }

    /// Which secrets unlock: those of before the operation, or those of after it.
    private func checkSecrets(_ remains: Remains, _ client: Client) throws -> [String] {
        let status = try client.call(ProtectionInterface.Status(), timeout: .seconds(60)).status
        if let problem = status.problem { return [problem] }
        var unlocking: Set<String> = []
        if status.state != .open {
            let secrets = operation.before.union(operation.after).sorted()
            unlocking = Set(try secrets.filter { secret in try unlocks(secret, client) })
            if let words = remains.words, try !unlocks(words, client, isRecovery: true) {
                return ["the recovery key does not unlock"]
            }
        }
        // Protection ends in steps of its own: the secrets unlock until its last one.
        if operation == .switchOff, remains.hasReplied, status.state != .open, !status.isEnding {
            return ["protection does not end"]
        }
        let isOver = remains.hasReplied && operation != .switchOff
        let possible = isOver ? [operation.after] : [operation.before, operation.after]
        return possible.contains(unlocking) ? [] : ["\(unlocking.sorted()) unlock, of \(possible)"]
    }

    /// Whether everything can be read, at once and when what was interrupted has ended.
    private func checkContent(_ remains: Remains, _ client: Client, _ daemon: DaemonProcess) throws -> [String] {
        let app = try AppClient(prepared.program, to: daemon.socketPath)
        let before = try client.call(ProtectionInterface.Status(), timeout: .seconds(60)).status
        if let finding = try missing(remains, app) { return [finding] }
        let isDone = try eventually(within: Patience.daemon) {
            let status = try client.call(ProtectionInterface.Status(), timeout: .seconds(60)).status
            return status.rowsToSeal == 0 && !status.isEnding
        }
        if !isDone { return ["sealing does not end"] }
        if before.rowsToSeal > 0 || before.isEnding, let finding = try missing(remains, app) {
            return ["sealed again: \(finding)"]
        }
        let root = try Client(path: daemon.socketPath, timeout: .seconds(60))
        let found = try root.call(JournalInterface.Verify(), timeout: .seconds(60)).verification
        if !found.isSound { return ["\(found.findings)"] }
        let hasRegion = eventually(within: Patience.daemon) {
            attempt {
                try root.call(RegionsInterface.Show(monitor: "m"), timeout: .seconds(60)).regions
                    .map(\.region.identifier)
            } == [PreparedProtection.region]
        }
        return hasRegion ? [] : ["the region is missing"]
    }

    private func missing(_ remains: Remains, _ app: AppClient) throws -> String? {
        let found = try PreparedProtection.read(app)
        for (number, position) in remains.positions.sorted(by: { $0.key < $1.key }) where found[number] != position {
            return "position \(number) is \(found[number] == nil ? "missing" : "another")"
        }
        return nil
    }

    private func unlocks(_ secret: String, _ client: Client, isRecovery: Bool? = nil) throws -> Bool {
        do {
            _ = try client.call(
                ProtectionInterface.Unlock(secret: secret, isRecovery: isRecovery), timeout: .seconds(60))
            return true
        } catch VarlinkError.reply(let name, _) where name == ErrorName.protectionWrongSecret.rawValue { return false }
    }
}

import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import Testing

/// Calls that come before the daemon has read whether there is a passphrase.
@Suite(.timeLimit(.minutes(5)))
struct EarlyUnlockTests {
    private func restartedWithoutJournal() throws -> (ProtectionScene, JournalLock) {
        let scene = try ProtectionScene()
        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        #expect(try scene.daemon.stop() == .exited(0))
        let other = try JournalLock(scene.apps.directory.file("state/journal.db"))
        try scene.start(isReadable: false)
        return (scene, other)
    }

    @Test func `whoever unlocks before the journal was read waits for it`() throws {
        let (scene, other) = try restartedWithoutJournal()
        defer { other.release() }
        let (program, environment) = (try Products.program("waymark"), scene.daemon.environment())
        // Calls wait five seconds for the journal. The pauses between the daemon's attempts to read it become longer than
        // that on a busy machine, so the daemon does not run until it can be read.
        scene.daemon.signal(SIGSTOP)
        let unlocking = try InBackground {
            try CompletedProcess.run(
                program, ["unlock", "--stdin"], environment: environment,
                input: ProtectionScene.passphrase + "\n", seconds: 90)
        }
        let asking = try InBackground {
            try CompletedProcess.run(program, ["protection", "status"], environment: environment, seconds: 90)
        }
        other.release()
        scene.daemon.signal(SIGCONT)
        let (unlocked, status) = (try unlocking.result(), try asking.result())
        #expect(unlocked.status == .exited(0), "\(unlocked.error)")
        #expect(!status.output.contains("No passphrase"), "\(status.output)")
        #expect(try scene.status().state == .unlocked)
    }

    @Test func `whoever exchanges the machine's secret before the journal was read waits for it`() throws {
        let (scene, other) = try restartedWithoutJournal()
        defer { other.release() }
        let state = scene.apps.directory.file("state")
        let before = try BoundedFile.bytes(of: "\(state)/machine.secret", limit: 64)
        let (program, environment) = (try Products.program("waymark"), scene.daemon.environment())
        let renewing = try InBackground {
            try CompletedProcess.run(
                program, ["protection", "renew-machine-secret"], environment: environment, seconds: 90)
        }
        // The daemon has answered somebody who came later.
        _ = try OperatorClient(scene.daemon).client.call("org.varlink.service.GetInfo", timeout: .seconds(60))
        #expect(try BoundedFile.bytes(of: "\(state)/machine.secret", limit: 64) == before)
        other.release()
        let renewed = try renewing.result()
        #expect(renewed.status == .exited(0), "\(renewed.error)")
        #expect(renewed.output.contains("Everything is sealed"), "\(renewed.output)")
        #expect(try BoundedFile.bytes(of: "\(state)/machine.secret", limit: 64) != before)
        #expect(eventually(within: 60) { !DirectoryListing.names(state).contains("machine.secret.former") })
        #expect(try scene.status().state == .neverUnlocked)
        try scene.unlock()
        let points = try scene.readAll()
        #expect(!points.isEmpty && points.map(\.sequence) == Array(1...Int64(points.count)))
    }

    @Test func `a journal that cannot be read is given as the reason in the end`() throws {
        let (scene, other) = try restartedWithoutJournal()
        defer { other.release() }
        let refused = try scene.protection("unlock", input: [ProtectionScene.passphrase], code: 1)
        #expect(refused.error.contains("the journal"), "\(refused.error)")
        let status = try scene.status()
        #expect(status.state == .unusable)
        #expect(status.problem?.contains("the journal") == true, "\(status.problem ?? "")")
        other.release()
        #expect(try eventually(within: 60) { try scene.status().state == .neverUnlocked })
        try scene.unlock()
    }
}

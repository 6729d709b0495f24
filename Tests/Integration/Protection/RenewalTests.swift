import Glibc
import Interfaces
import JSONText
import Location
import Platform
import Protection
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// The machine's secret that is exchanged for another one, of a real daemon.
@Suite(
    .waits, .serialized, .timeLimit(.minutes(15)),
    .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct RenewalTests {
    private static let region = #"{"identifier":"yard","circle":{"latitude":47,"longitude":8,"radius":100}}"#
    private static let files = ["journal.db", "protection.keys", "protection.attempts", "machine.secret"]

    /// A machine with a passphrase and a recovery key, positions of the class none, and a sealed region.
    private func scene() throws -> (ProtectionScene, words: String) {
        let scene = try ProtectionScene(manifest: "Protection=none")
        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        let words = try client(scene).call(
            ProtectionInterface.AddRecovery(secret: ProtectionScene.passphrase), timeout: .seconds(60)
        ).words
        let reply = try client(scene).call(
            RegionsInterface.Method.add.rawValue,
            try JSON.parse(Array(#"{"monitor":"m","regions":[\#(Self.region)]}"#.utf8)), timeout: .seconds(60))
        #expect(reply["added"]?.integerValue == 1)
        try scene.wait(for: 20)
        #expect(try scene.recording().protection?.rawValue == "none")
        return (scene, words)
    }

    private func client(_ scene: ProtectionScene) throws -> Client {
        try Client(path: scene.daemon.socketPath, timeout: .seconds(60))
    }

    private func state(_ scene: ProtectionScene) -> String { scene.apps.directory.file("state") }

    private func bytes(_ path: String) throws -> [UInt8] { try BoundedFile.bytes(of: path, limit: 1 << 26) }

    private func run(_ command: String...) throws {
        let process = try CompletedProcess.run("/bin/" + command[0], Array(command.dropFirst()))
        #expect(process.status == .exited(0), "\(process.error)")
    }

    /// Nothing needs the former secret, and everything is there, first without a passphrase and then with each secret.
    private func check(_ scene: ProtectionScene, atLeast count: Int64, _ words: String, _ what: String) throws {
        let status = try scene.status()
        #expect(status.problem == nil, "\(what): \(status.problem ?? "")")
        #expect(
            eventually(within: 60) { !DirectoryListing.names(state(scene)).contains("machine.secret.former") },
            "\(what)")
        let points = try scene.readAll()
        #expect(points.map(\.sequence) == Array(1...Int64(points.count)) && points.count >= Int(count), "\(what)")
        if status.state != .unlocked {
            #expect(status.state == .neverUnlocked, "\(what)")
            _ = try client(scene).call(
                ProtectionInterface.Unlock(secret: words, isRecovery: true), timeout: .seconds(60))
            try scene.unlock()
        }
        let shown = try client(scene).call(RegionsInterface.Show(monitor: "m"), timeout: .seconds(60))
        #expect(shown.regions.map(\.region.identifier) == ["yard"], "\(what)")
        #expect(try scene.daemon.waymark("log", "--verify").status == .exited(0), "\(what)")
    }

    @Test func `an exchange that ended after any of its steps goes on at the next start`() throws {
        let (scene, words) = try scene()
        let last = try scene.wait(for: 1)
        scene.daemon.signal(SIGTERM)
        #expect(try scene.daemon.wait() == .exited(0))
        let (before, after) = (scene.apps.directory.file("before"), scene.apps.directory.file("after"))
        try run("cp", "-a", state(scene), before)
        try scene.start()
        // While it is locked: no secret that unlocks is needed.
        let renewed = try scene.protection("renew-machine-secret")
        #expect(renewed.output.contains("Everything is sealed"), "\(renewed.output)")
        try check(scene, atLeast: last, words, "while it runs")
        let log = try scene.daemon.waymark("log", "--json", "--kind", "protectionChanged").output
        #expect(log.contains("machineSecretRenewed"), "\(log)")
        try scene.restart()
        try check(scene, atLeast: last, words, "after a restart")
        scene.daemon.signal(SIGTERM)
        #expect(try scene.daemon.wait() == .exited(0))
        try run("cp", "-a", state(scene), after)
        #expect(try bytes("\(before)/machine.secret") != bytes("\(after)/machine.secret"))
        // The files of each step: the former secret, the new one, the rows, the keys, the attempts.
        for step in 0...5 {
            try run("rm", "-rf", state(scene))
            try run("cp", "-a", before, state(scene))
            try run("cp", "-a", "\(before)/machine.secret", "\(state(scene))/machine.secret.former")
            for name in ["machine.secret", "journal.db", "protection.keys", "protection.attempts"].prefix(step) {
                try run("cp", "-a", "\(after)/\(name)", "\(state(scene))/\(name)")
            }
            if step == 5 { try run("rm", "\(state(scene))/machine.secret.former") }
            try scene.start()
            try check(scene, atLeast: last, words, "step \(step)")
            // With the former secret in the place of the new one nothing is opened that was sealed since.
            if step > 0 { #expect(try bytes("\(state(scene))/machine.secret") == bytes("\(after)/machine.secret")) }
            scene.daemon.signal(SIGKILL)
            _ = try scene.daemon.wait()
        }
    }

    @Test func `a credential is exchanged at the start, and in a wrong order nothing is lost`() throws {
        let directory = try TemporaryDirectory()
        var surroundings = DaemonSurroundings()
        surroundings.environment = ["CREDENTIALS_DIRECTORY=\(directory.path)"]
        let (first, second) = ([UInt8](repeating: 3, count: 32), (0..<32).map { UInt8($0) })
        try directory.write("waymark.machine-secret", bytes: first)
        let daemon = try DaemonProcess(surroundings: surroundings)
        func status() throws -> ProtectionInterface.Report {
            try OperatorClient(daemon).client.call(ProtectionInterface.Status(), timeout: .seconds(60)).status
        }
        func restart(_ machine: [UInt8]?, former: [UInt8]?) throws {
            for (name, bytes) in [("machine-secret", machine), ("former-machine-secret", former)] {
                unlink(directory.file("waymark.\(name)"))
                if let bytes { try directory.write("waymark.\(name)", bytes: bytes) }
            }
            daemon.signal(SIGKILL)
            _ = try daemon.wait()
            try daemon.restart()
            #expect(try eventually(within: 60) { try status().state != .open }, "\(daemon.log)")
        }
        try daemon.protection(["set-passphrase"], input: [ProtectionScene.passphrase])
        #expect(try status().machineSecret == .credential)
        let refused = try daemon.protection(["renew-machine-secret"], code: 1)
        #expect(refused.error.contains("waymark.former-machine-secret"), "\(refused.error)")
        // The new one without the former one; none; another machine's; the former one alone.
        for (machine, former) in [(second, nil), (nil, nil), (second, Array(second.reversed())), (nil, first)] {
            try restart(machine, former: former)
            #expect(try status().state == .unusable, "\(daemon.log)")
            let refused = try daemon.protection(["unlock"], input: [ProtectionScene.passphrase], code: 1)
            #expect(refused.error.contains("secret"), "\(refused.error)")
            try daemon.protection(["renew-machine-secret"], code: 1)
            #expect(!DirectoryListing.names(daemon.directory.file("state")).contains("machine.secret"))
            if former != nil, machine != nil { #expect(try status().isFormerSecretNeeded) }
        }
        try restart(second, former: first)
        #expect(try status().state == .neverUnlocked, "\(daemon.log)")
        #expect(try status().formerSecretPath?.hasSuffix("/waymark.former-machine-secret") == true)
        let text = try daemon.waymark("protection", "status").output
        #expect(text.contains("not needed any more"), "\(text)")
        #expect(try daemon.protection(["renew-machine-secret"], code: 0).output.contains("not needed any more"))
        let keys = try bytes(daemon.directory.file("state/protection.keys"))
        #expect(keys.starts(with: Array("waymark keys 2 ".utf8)))
        try restart(second, former: nil)
        #expect(try status().state == .neverUnlocked && status().formerSecretPath == nil)
        // The first unlock leaves nothing of the former secret.
        try daemon.protection(["unlock"], input: ["a bicycle with a bell"], code: 1)
        try daemon.protection(["unlock"], input: [ProtectionScene.passphrase])
        #expect(
            try bytes(daemon.directory.file("state/protection.keys")).starts(with: Array("waymark keys 1 ".utf8)))
        try restart(second, former: nil)
        try daemon.protection(["unlock"], input: [ProtectionScene.passphrase])
    }
}

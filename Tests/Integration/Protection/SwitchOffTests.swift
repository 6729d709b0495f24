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

/// Data protection that is switched off again, of a real daemon.
@Suite(
    .waits, .serialized, .timeLimit(.minutes(15)),
    .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct SwitchOffTests {
    private static let region = #"{"identifier":"yard","circle":{"latitude":47,"longitude":8,"radius":100}}"#

    /// A machine with a passphrase, sealed positions and a sealed region.
    private func scene() throws -> ProtectionScene {
        let scene = try ProtectionScene()
        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        let reply = try Client(path: scene.daemon.socketPath, timeout: .seconds(60)).call(
            RegionsInterface.Method.add.rawValue,
            try JSON.parse(Array(#"{"monitor":"m","regions":[\#(Self.region)]}"#.utf8)), timeout: .seconds(60))
        #expect(reply["added"]?.integerValue == 1)
        try scene.wait(for: 20)
        #expect(try eventually(within: 60) { try scene.status().rowsToSeal == 0 })
        return scene
    }

    private func files(_ scene: ProtectionScene) -> Set<String> {
        Set(DirectoryListing.names(scene.apps.directory.file("state")))
    }

    /// Everything that was recorded, and the regions, can be read without a secret.
    private func check(_ scene: ProtectionScene, atLeast count: Int64, afterKill isAfterKill: Bool = false) throws {
        #expect(try scene.status().state == .open, "\(scene.daemon.log)")
        #expect(try scene.status().slots.isEmpty)
        #expect(files(scene).isDisjoint(with: ["protection.keys", "regions.key", "regions.sealed"]))
        // It is removed last, and opens nothing.
        #expect(isAfterKill || !files(scene).contains("protection.attempts"))
        #expect(try scene.recording().protection?.rawValue == "none")
        let points = try scene.readAll()
        #expect(points.map(\.sequence) == Array(1...Int64(points.count)) && points.count >= Int(count))
        let shown = try Client(path: scene.daemon.socketPath, timeout: .seconds(60)).call(
            RegionsInterface.Show(monitor: "m"), timeout: .seconds(60))
        #expect(shown.regions.map(\.region.identifier) == ["yard"])
        #expect(try scene.daemon.waymark("log", "--verify").status == .exited(0))
    }

    @Test func `protection that is switched off leaves everything readable, and no keys`() throws {
        let scene = try scene()
        // Without --yes, and with a wrong passphrase, nothing is done.
        #expect(
            try scene.protection("switch-off", input: [ProtectionScene.passphrase], code: 2).error.contains("--yes"))
        try scene.protection("switch-off", "--yes", input: ["a bicycle with a bell"], code: 1)
        #expect(try scene.status().isEnding == false)
        try scene.lock()
        let begun = try scene.protection("switch-off", "--yes", input: [ProtectionScene.passphrase])
        #expect(begun.output.contains("is being switched off"), "\(begun.output)")
        // What would seal again is refused meanwhile, or afterwards meets a machine without a passphrase.
        try scene.protection("add-passphrase", input: [ProtectionScene.passphrase, "another"], code: 1)
        #expect(try eventually(within: 60) { try scene.status().state == .open }, "\(scene.daemon.log)")
        let last = try scene.wait(for: 5)
        try check(scene, atLeast: last)
        let log = try scene.daemon.waymark("log", "--json", "--kind", "protectionChanged").output
        #expect(log.contains("switchOffBegun") && log.contains("switchedOff") && !log.contains("bicycle"))
        for signal in [SIGTERM, SIGKILL] {
            try scene.restart(by: signal)
            try check(scene, atLeast: last)
        }
        // A new passphrase protects again.
        try scene.protection("set-passphrase", input: ["another one"])
        #expect(try scene.recording().protection == .completeUnlessOpen)
        #expect(eventually(within: 60) { files(scene).contains("regions.sealed") })
    }

    @Test func `a removal of the keys that ended after any of its steps is completed`() throws {
        let scene = try scene()
        let last = try scene.wait(for: 1)
        let state = scene.apps.directory.file("state")
        // Nothing is removed as long as the key of a copy cannot be read, and this folder has the name of one.
        let obstacle = "\(state)/copy-machine.key"
        try retrying("make", subject: obstacle) { mkdir(obstacle, 0o700) }
        _ = try OperatorClient(scene.daemon).client.call(
            ProtectionInterface.SwitchOff(secret: ProtectionScene.passphrase), timeout: .seconds(60))
        let names = ["regions.key", "protection.keys", "protection.attempts"]
        let files = try names.map { try BoundedFile.bytes(of: "\(state)/\($0)", limit: 1 << 16) }
        try retrying("remove", subject: obstacle) { rmdir(obstacle) }
        #expect(try eventually(within: 60) { try scene.status().state == .open }, "\(scene.daemon.log)")
        for removed in 0...2 {
            scene.daemon.signal(SIGKILL)
            _ = try scene.daemon.wait()
            for (name, bytes) in zip(names, files).dropFirst(removed) {
                try scene.apps.directory.write("state/\(name)", bytes: bytes)
            }
            try scene.start()
            if removed < 2 {
                let status = try scene.status()
                #expect(status.problem == nil && status.isEnding && status.state == .neverUnlocked, "\(status)")
                try scene.unlock()
                #expect(try eventually(within: 60) { try scene.status().state == .open }, "\(scene.daemon.log)")
                try check(scene, atLeast: last)
            }
        }
        // Only the record of attempts was left: it opens nothing, and does not refuse a new file of keys.
        #expect(try scene.status().state == .open)
        try scene.protection("set-passphrase", input: ["another one"])
        try scene.restart()
        try scene.protection("unlock", input: ["another one"])
        #expect(try scene.readAll().count >= Int(last))
    }

    @Test func `a killed daemon continues with the next unlock, and keys are there as long as they are needed`() throws
    {
        let scene = try scene()
        var random = SeededGenerator(sample: 41)
        let client = try OperatorClient(scene.daemon).client
        _ = try client.call(
            ProtectionInterface.SwitchOff(secret: ProtectionScene.passphrase), timeout: .seconds(60))
        var kills = 0
        while true {
            _ = poll(nil, 0, Int32.random(in: 0...1_500, using: &random))
            try scene.restart(by: SIGKILL)
            kills += 1
            let status = try scene.status()
            #expect(status.problem == nil, "\(status)")
            if status.state == .open { break }
            #expect(status.isEnding && status.state == .neverUnlocked, "\(status)")
            #expect(files(scene).contains("protection.keys"))
            // What is recorded meanwhile needs no key.
            #expect(try eventually(within: 60) { try scene.recording().protection?.rawValue == "none" })
            let text = try scene.daemon.waymark("protection", "status").output
            #expect(text.contains("continues after: `waymark unlock`"), "\(text)")
            if kills > 6 {
                try scene.unlock()
                #expect(try eventually(within: 60) { try scene.status().state == .open }, "\(scene.daemon.log)")
                break
            }
            try scene.unlock()
        }
        try check(scene, atLeast: 20, afterKill: true)
    }
}

import Glibc
import Platform
import TestSupport
import TestTraits
import Testing

/// Services in C and Python that sleep and are woken, with `libwaymark.so`: the examples, as their authors would run them.
@Suite(
    .waits, .timeLimit(.minutes(15)), .enabled(if: SleepScene.isPossible, "control groups of a test's own need root"))
struct WakingLibraryTests {
    private static let settings = "[Reachability]\nSettle=0\n"

    /// Authorizes the app of a scene, starts it once as a person does, and returns when it sleeps.
    private func introduce(_ scene: SleepScene) throws {
        try scene.manage().authorize(scene.apps[0].name, .always, uid: 0)
        try scene.manager.start(scene.apps[0].unit)
        let isIntroduced = try sleeps(scene) { !$0.isEmpty }
        try #require(isIntroduced, "\(scene.daemon.log)")
    }

    /// Waits until the app has printed lines that are enough, has ended, and nothing is pending.
    private func sleeps(_ scene: SleepScene, _ isEnough: ([Substring]) -> Bool) throws -> Bool {
        try eventually(within: Patience.daemon) {
            try isEnough(scene.apps[0].output()) && scene.isAsleep(scene.apps[0])
                && scene.waking(scene.apps[0]).pending == 0
        }
    }

    @Test func `the service in C sleeps, is woken at a border and when the path is back, and handles each event once`()
        throws
    {
        let directory = try TemporaryDirectory()
        let program = try CompiledProgram("Examples/C/yard-gate.c", to: directory.file("yard-gate"))
        let scene = try SleepScene(["yard-gate"], settings: Self.settings) { _ in [program.path, "47", "-30", "100"] }
        try introduce(scene)
        var expected = ["woken for: nothing, started by itself"]
        func prints(_ lines: String...) throws -> Bool {
            expected += lines
            return try sleeps(scene) { $0 == expected.map { Substring($0) } }
        }
        try scene.waitForDemand()
        scene.dwell()
        #expect(try prints("woken for: regions", "1: close the gate"), "\(scene.daemon.log)")
        try scene.cross()
        #expect(try prints("woken for: regions", "2: open the gate"), "\(scene.daemon.log)")
        try scene.losePath()
        try scene.regainPath()
        #expect(try prints("woken for: path", "1: the network is back"), "\(scene.daemon.log)")
        // What it has not acknowledged wakes it, also after the daemon was killed.
        try scene.allow(scene.apps[0], false)
        try scene.cross()
        let isPending = try eventually(within: Patience.daemon) { try scene.waking(scene.apps[0]).pending == 1 }
        #expect(isPending)
        try scene.kill(.daemon, scene.apps[0])
        try scene.allow(scene.apps[0], true)
        let isWoken = try prints("woken for: regions", "3: close the gate")
        let (waking, output) = (try scene.waking(scene.apps[0]), try scene.apps[0].output())
        #expect(isWoken, "\(waking) \(output) \(scene.daemon.log)")
        #expect(try scene.manager.starts.count == 5)
    }

    @Test func `the service in Python sleeps, and is woken when the path is back and by a push`() throws {
        let library = try CompiledProgram.library()
        let folder = String(library.prefix(upTo: library.lastIndex(of: "/") ?? library.startIndex))
        let script = try Products.file("Examples/Python/errands.py")
        let scene = try SleepScene(
            ["errands"], settings: Self.settings, causes: "path target push",
            keys: ["errands": "Containers=\(SyncMachine.container)"]
        ) { _ in
            ["/usr/bin/env", "LD_LIBRARY_PATH=\(folder)", "/usr/bin/python3", "-B", script, "path", "192.0.2.77"]
        }
        let machines = try SyncedMachines(daemon: scene.daemon.socketPath)
        try introduce(scene)
        #expect(try scene.apps[0].output().first == "launch own")
        var before = try scene.apps[0].output().count
        func events() throws -> [Substring] {
            try scene.apps[0].output().dropFirst(before).filter { $0.hasPrefix("event") }
        }
        try machines.phone.save("milk")
        let isWoken = try sleeps(scene) { $0.count >= before + 2 }
        #expect(isWoken, "\(scene.daemon.log)")
        let pushes = try events()
        #expect(pushes.count == 1 && pushes[0].hasSuffix(" push \(SyncMachine.container)"), "\(pushes)")
        #expect(try scene.apps[0].output()[before] == "launch push")
        before = try scene.apps[0].output().count
        try scene.losePath()
        try scene.regainPath()
        let areSeen = try sleeps(scene) { lines in
            lines.contains { $0.hasSuffix(" path") && $0.hasPrefix("event") }
                && lines.contains { $0.hasSuffix(" target 192.0.2.77") }
        }
        #expect(areSeen, "\(scene.daemon.log)")
        let seen = try events()
        #expect(seen.count == 2 && Set(seen).count == 2, "each once: \(seen)")
    }

    @Test func `a program that is no app is refused with what to do`() throws {
        let daemon = try DaemonProcess()
        let library = try CompiledProgram.library()
        let folder = String(library.prefix(upTo: library.lastIndex(of: "/") ?? library.startIndex))
        let run = try CompletedProcess.run(
            "/usr/bin/python3", ["-B", try Products.file("Examples/Python/errands.py")],
            environment: ["LD_LIBRARY_PATH": folder, "WAYMARK_SOCKET": daemon.socketPath], seconds: 60)
        #expect(run.status == .exited(1) && run.error.contains("no manifest fits this program"), "\(run)")
    }
}

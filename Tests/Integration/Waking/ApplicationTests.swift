import Glibc
import Interfaces
import Platform
import TestSupport
import TestTraits
import Testing

/// `Application.run` in real processes: with signals, logind, a frozen control group and the daemon.
@Suite(.waits, .timeLimit(.minutes(15))) struct ApplicationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a signal ends a service, whose state is there at the next start`(signal: Int32) throws {
        let first = try LifeCycle(in: directory, ["background"])
        var expected = ["launched without a reason for the 1. time"]
        #expect(try first.writes(expected))
        first.signal(signal)
        #expect(try first.end() == .exited(0))
        expected += ["will terminate", "saved", "ended"]
        #expect(try first.lines == expected)
        let second = try LifeCycle(in: directory, ["background"])
        expected.append("launched without a reason for the 2. time")
        #expect(try second.writes(expected))
        try second.order("terminate")
        #expect(try second.end() == .exited(0))
    }

    @Test func `a program that comes and goes saves in the background, and a kill there loses nothing`() throws {
        let program = try LifeCycle(in: directory, ["active"])
        var expected = ["launched without a reason for the 1. time", "became active"]
        #expect(try program.writes(expected))
        try program.order("background")
        expected += ["will resign active", "entered background", "saved"]
        #expect(try program.writes(expected))
        try program.order("active")
        expected += ["will enter foreground", "became active"]
        #expect(try program.writes(expected))
        program.signal(SIGKILL)
        #expect(try program.end() == .killed(signal: SIGKILL))
        let second = try LifeCycle(in: directory, ["active"])
        expected += ["launched without a reason for the 2. time", "became active"]
        #expect(try second.writes(expected))
        second.signal(SIGTERM)
        #expect(try second.end() == .exited(0))
        expected += ["will resign active", "entered background", "will terminate", "saved", "ended"]
        #expect(try second.lines == expected)
    }

    @Test(.enabled(if: Capability.administer.isHeld, "another logind needs the right to mount"))
    func `a program is active while its user is at the machine`() throws {
        func write(_ state: String) throws {
            let (user, file) = (getuid(), directory.file("logind/users/\(getuid())"))
            try directory.write("logind/users/.new", "NAME=user\nUID=\(user)\nSTATE=\(state)\n")
            try retrying("rename", subject: file) { rename(directory.file("logind/users/.new"), file) }
        }
        try directory.write("logind/seats/seat0", "IS_SEAT0=1\n")
        try directory.write("logind/sessions/README", "")
        try directory.write("logind/machines/README", "")
        try write("active")
        var surroundings = DaemonSurroundings()
        surroundings.loginRecords = directory.file("logind")
        let program = try LifeCycle(in: directory, ["active"], surroundings: surroundings)
        var expected = ["launched without a reason for the 1. time", "became active"]
        #expect(try program.writes(expected))
        try write("online")
        expected += ["will resign active", "entered background", "saved"]
        #expect(try program.writes(expected))
        try write("active")
        expected += ["will enter foreground", "became active"]
        #expect(try program.writes(expected))
        program.signal(SIGTERM)
        #expect(try program.end() == .exited(0))
    }

    /// A scene with one app, with these options of its program.
    private func scene(_ options: [String]) throws -> SleepScene {
        let (program, state) = (try Products.program("waymark-sleeper"), directory.path)
        return try SleepScene(
            ["gate"], settings: "[Reachability]\nSettle=0\n[Log]\nLevel=debug\n", causes: "regions path push",
            keys: ["gate": "Containers=\(SyncMachine.container)"]
        ) { app in [program, app.record, "life", state] + options }
    }

    @Test(.enabled(if: SleepScene.isPossible, "a network and control groups of a test's own need root"))
    func `an app that is woken learns why at its launch, ends, and keeps its state`() throws {
        let scene = try scene(["sleep", "path", "region=47,-30,100"])
        let gate = scene.apps[0]
        try scene.introduce(gate)
        try scene.waitForDemand()
        var launches = ["launched by itself for the 1. time"]
        func isLaunched(_ line: String) throws -> Bool {
            launches.append(line)
            return try eventually(within: Patience.daemon) {
                try gate.lines().filter { $0.hasPrefix("launched") } == launches.map { Substring($0) }
                    && gate.lines().last == "ended" && scene.isAsleep(gate) && scene.waking(gate).pending == 0
            }
        }
        scene.dwell()
        #expect(try isLaunched("launched regions for a place for the 2. time"), "\(scene.daemon.log)")
        try scene.losePath()
        try scene.regainPath()
        #expect(try isLaunched("launched path for the 3. time"), "\(scene.daemon.log)")
    }

    @Test(.enabled(if: SleepScene.isPossible, "a network and control groups of a test's own need root"))
    func `the state of an app that a person has forced to quit is discarded at its next start, and not later`() throws {
        let scene = try scene(["sleep", "path"])
        let gate = scene.apps[0]
        try scene.introduce(gate)
        func starts(with launch: String) throws -> Bool {
            let before = try gate.lines().count
            try scene.manager.start(gate.unit)
            return try eventually(within: Patience.daemon) {
                try gate.lines().dropFirst(before).joined(separator: ", ").hasPrefix(launch)
                    && gate.lines().last == "ended" && scene.isAsleep(gate)
            }
        }
        #expect(try starts(with: "launched by itself for the 2. time"), "\(scene.daemon.log)")
        try scene.allow(gate, false)
        try scene.kill(.daemon, gate, isNeeded: false)
        #expect(
            try starts(with: "discarded forcedQuit, launched by itself for the 1. time"), "\(scene.daemon.log)")
        #expect(try starts(with: "launched by itself for the 2. time"), "\(scene.daemon.log)")
    }

    @Test(.enabled(if: SleepScene.isPossible, "a network and control groups of a test's own need root"))
    func `a frozen app is thawed, learns why, and is the same process`() throws {
        let scene = try scene(["path"])
        let gate = scene.apps[0]
        try scene.manage().authorize(gate.name, .always, uid: 0)
        try scene.manager.start(gate.unit)
        let hasBegun = try eventually(within: Patience.daemon) {
            try gate.lines() == ["launched by itself for the 1. time", "requested"]
        }
        try #require(hasBegun)
        try scene.losePath()
        try scene.manager.freeze(gate.unit)
        try scene.regainPath()
        // The kernel announces the thaw and the daemon the event, in any order.
        let isResumed = try eventually(within: Patience.daemon) {
            let lines = try gate.lines().filter { $0 != "requested" }
            return lines.first == "launched by itself for the 1. time"
                && lines.dropFirst().sorted() == ["event app 1 path", "resumed path"]
        }
        let (lines, starts, waking) = (try gate.lines(), try scene.manager.starts, try scene.waking(gate))
        #expect(isResumed && starts.count == 1, "\(lines) \(waking) \(scene.daemon.log)")
        try scene.kill(.app, gate)
    }

    @Test(.enabled(if: SleepScene.isPossible, "a network and control groups of a test's own need root"))
    func `a frozen app is thawed by a push, and is the same process`() throws {
        let scene = try scene(["push"])
        let gate = scene.apps[0]
        let machines = try SyncedMachines(daemon: scene.daemon.socketPath)
        try scene.manager.start(gate.unit)
        // Records were fetched when the machine joined, which is a push.
        let hasBegun = try eventually(within: Patience.daemon) {
            try gate.lines().contains("requested") && scene.waking(gate).pending == 0
        }
        try #require(hasBegun)
        try scene.manager.freeze(gate.unit)
        let before = try gate.lines()
        try machines.phone.save("milk")
        func isPush(_ line: Substring) -> Bool {
            line.hasPrefix("event app ") && line.hasSuffix(" push=\(SyncMachine.container)")
        }
        let isResumed = try eventually(within: Patience.daemon) {
            let lines = try gate.lines().dropFirst(before.count).filter { $0 != "requested" }
            return lines.contains("resumed push") && lines.contains(where: isPush) && lines.count == 2
        }
        let (lines, starts, waking) = (try gate.lines(), try scene.manager.starts, try scene.waking(gate))
        #expect(isResumed && starts.count == 1, "\(lines) \(waking) \(scene.daemon.log)")
        #expect(waking.lastCause == .push)
        try scene.kill(.app, gate)
    }
}

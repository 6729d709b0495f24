import Glibc
import Interfaces
import Platform
import SyncInterface
import TestClients
import TestHubs
import TestSupport
import TestTraits
import Testing

/// Sleeping apps of the machine, the waymark-sync of the machine, a hub, and another machine that changes records.
@Suite(
    .waits, .timeLimit(.minutes(15)), .enabled(if: SleepScene.isPossible, "control groups of a test's own need root"))
struct PushWakeTests {
    private let scene: SleepScene
    private let machines: SyncedMachines
    private var machine: SyncMachine { machines.machine }
    private var phone: SyncMachine { machines.phone }
    /// No app of these is authorized for positions.
    private var notes: SleepScene.App { scene.apps[0] }
    /// One with another container.
    private var diary: SleepScene.App { scene.apps[1] }

    private static let containers = ["notes": SyncMachine.container, "diary": "org.example.diary"]

    init() throws {
        scene = try SleepScene(
            ["notes", "diary"], settings: "[Waking]\nWakesPerHour=3600\nWakesAtOnce=3\n", causes: "push",
            keys: Self.containers.mapValues { "Containers=\($0) org.example.shared" }
        ) { app in [try Products.program("waymark-sleeper"), app.record, "0", "push"] }
        machines = try SyncedMachines(daemon: scene.daemon.socketPath)
        try settle()
    }

    /// Starts the apps as a person does, lets them handle what is pending, and returns when they sleep.
    private func settle() throws {
        for app in scene.apps {
            try scene.manager.start(app.unit)
            let isSettled = try eventually(within: Patience.daemon) {
                try !app.lines().isEmpty && scene.isAsleep(app) && scene.waking(app).pending == 0
            }
            let lines = try app.lines()
            try #require(isSettled, "\(lines) \(scene.daemon.log)")
        }
    }

    /// The causes of the starts of an app.
    private func launches(_ app: SleepScene.App) throws -> [Substring] {
        try app.lines().filter { $0.hasPrefix("launch ") }.map { $0.split(separator: " ")[1] }
    }

    /// The events that an app has seen, without their numbers.
    private func events(_ app: SleepScene.App) throws -> [Substring] {
        try app.lines().filter { $0.hasPrefix("event ") }.map { $0.split(separator: " ")[3] }
    }

    /// Waits until the app was started for so many further pushes, and sleeps.
    private func waitForWakes(_ count: Int, after before: Int) throws {
        let isWoken = try eventually(within: Patience.daemon) {
            try launches(notes).count == before + count && scene.isAsleep(notes) && scene.waking(notes).pending == 0
        }
        let (lines, waking) = (try notes.lines(), try scene.waking(notes))
        try #require(isWoken, "\(lines) \(waking) \(machine.log) \(scene.daemon.log.suffix(2_000))")
    }

    @Test func `a record that another machine saves starts the sleeping app, which gets the container as its reason`()
        throws
    {
        let (before, seen) = (try launches(notes).count, try events(notes).count)
        #expect(try scene.waking(notes).containers == [SyncMachine.container, "org.example.shared"])
        try phone.save("milk")
        try waitForWakes(1, after: before)
        #expect(try launches(notes).last == "push")
        #expect(try events(notes).dropFirst(seen) == ["push=\(SyncMachine.container)"], "once")
        #expect(try machine.text() == "milk", "the change is in the copy")
        #expect(try scene.waking(notes).lastCause == .push)
        // What a program of this machine changes, and what happens to other containers, wakes no app.
        try machine.save("milk and bread")
        try phone.waitFor("milk and bread")
        for each in [machine, phone] { try each.use(SyncMachine.container, "development") }
        try phone.save("a draft", in: SyncMachine.container, "development")
        try machine.waitFor("a draft", in: SyncMachine.container, "development")
        #expect(try launches(diary) == ["own"], "no app without the container")
        // Reports are made one after the other, so that the former ones are made when this one is.
        for each in [phone, machine] { try each.use("org.example.diary") }
        try phone.save("an entry", in: "org.example.diary")
        let isReported = try eventually(within: Patience.daemon) { try launches(diary) == ["own", "push"] }
        #expect(isReported, "\(machine.log)")
        let waking = try scene.waking(notes)
        #expect(try launches(notes).count == before + 1 && waking.pending == 0)
        try phone.save("butter")
        try waitForWakes(1, after: before + 1)
        #expect(try events(notes).count == seen + 2)
        #expect(try launches(diary).count == 2)
    }

    @Test
    func `a record of somebody else in the public database starts the app, which gets the subscription as its reason`()
        throws
    {
        let stranger = try SyncMachine(machines.hub, as: "tablet", of: "bob")
        func fired() throws -> [Substring] {
            try notes.lines().filter { $0.hasPrefix("fired ") }.map { $0.dropFirst(6) }
        }
        try machine.call(
            SyncInterface.SaveSubscription(
                container: SyncMachine.container, database: "public", name: "storms",
                subscription: [
                    "query": ["type": "Report", "filter": ["field": "text", "beginsWith": ["string": "storm"]]],
                    "on": ["create", "update"],
                ]))
        let before = try launches(notes).count
        try stranger.saveToEverybody("r1", "calm")
        try stranger.saveToEverybody("r2", "storm in the north")
        try waitForWakes(1, after: before)
        #expect(try fired() == ["\(SyncMachine.container) public storms"])
        let read = try machine.call(
            SyncInterface.GetPublicRecords(container: SyncMachine.container, names: ["r1", "r2", "r3"]))
        #expect(read.records.map { $0["fields"]?["text"]?["string"]?.stringValue } == ["calm", "storm in the north"])
        // A change that no subscription covers names none, and neither does one of this account's other records.
        try phone.save("milk")
        try waitForWakes(1, after: before + 1)
        #expect(try fired().count == 1)
        // While the app may not be woken, the event has all that have fired.
        try scene.allow(notes, false)
        try machine.call(
            SyncInterface.SaveSubscription(
                container: SyncMachine.container, name: "mine",
                subscription: ["query": ["type": "Note"], "on": ["update"]]))
        try stranger.saveToEverybody("r2", "storm in the south")
        let isPending = try eventually(within: Patience.daemon) { try scene.waking(notes).pending == 1 }
        #expect(isPending)
        try phone.save("bread")
        try machine.waitFor("bread")
        let isReported = eventually(within: Patience.daemon) {
            attempt { try machine.call(SyncInterface.Synchronize()) } != nil
        }
        #expect(isReported)
        scene.daemon.signal(SIGKILL)
        #expect(try scene.daemon.wait() == .killed(signal: SIGKILL))
        try scene.daemon.restart()
        try scene.allow(notes, true)
        let hasAll = try eventually(within: Patience.daemon) {
            try Set(fired().dropFirst()) == [
                "\(SyncMachine.container) public storms", "\(SyncMachine.container) private mine",
            ]
        }
        let lines = try notes.lines()
        #expect(hasAll, "\(lines) \(machine.log) \(scene.daemon.log)")
    }

    @Test(arguments: [false, true])
    func `a push is not lost while the daemon is down, or with a waymark-sync that is killed before it reports`(
        isKilled: Bool
    ) throws {
        let before = try launches(notes).count
        scene.daemon.signal(SIGKILL)
        #expect(try scene.daemon.wait() == .killed(signal: SIGKILL))
        try phone.save("milk")
        try machine.waitFor("milk")
        if isKilled { try machine.crash() }
        #expect(try launches(notes).count == before)
        try scene.daemon.restart()
        try waitForWakes(1, after: before)
        #expect(try events(notes).last == "push=\(SyncMachine.container)")
    }

    @Test func `a push waits for an app that was forced to quit, over a restart of the daemon`() throws {
        let (before, seen) = (try launches(notes).count, try events(notes).count)
        try scene.allow(notes, false)
        for text in ["milk", "bread"] {
            try phone.save(text)
            try machine.waitFor(text)
        }
        let isPending = try eventually(within: Patience.daemon) { try scene.waking(notes).pending == 1 }
        #expect(isPending, "\(machine.log)")
        scene.daemon.signal(SIGKILL)
        #expect(try scene.daemon.wait() == .killed(signal: SIGKILL))
        try scene.daemon.restart()
        // A report that the daemon had not stored when it was killed is repeated.
        let isStored = try eventually(within: Patience.daemon) { try scene.waking(notes).pending == 1 }
        #expect(isStored)
        #expect(try scene.waking(notes).obstacle == .decision)
        #expect(try launches(notes).count == before)
        try scene.allow(notes, true)
        let isWoken = try eventually(within: Patience.daemon) {
            try launches(notes).count > before && scene.isAsleep(notes) && scene.waking(notes).pending == 0
        }
        #expect(isWoken, "\(machine.log)")
        // A report that the daemon had not acknowledged before it was killed is repeated, and may be an event of its own.
        let most = machine.log.contains("the daemon does not receive pushes") ? 2 : 1
        let (wakes, further) = (try launches(notes).count - before, try events(notes).count - seen)
        #expect(further >= 1 && further <= most, "two changes are one event")
        #expect(wakes <= most, "\(wakes) wakes for \(further) events")
    }

    @Test func `pushes beyond the budget wait`() throws {
        try scene.daemon.directory.write(
            "waymark.conf.d/budget.conf", "[Waking]\nWakesPerHour=1\nWakesAtOnce=2\nAttachWithin=20s\n")
        try scene.manage().call(ManageInterface.Reload())
        let before = try launches(notes).count
        let left = Int(try scene.waking(notes).left)
        #expect((1...2).contains(left))
        for number in 1...left {
            try phone.save("\(number)")
            try waitForWakes(1, after: before + number - 1)
        }
        try phone.save("one more")
        let isDelayed = try eventually(within: Patience.daemon) { try scene.waking(notes).obstacle == .budget }
        #expect(isDelayed)
        #expect(try launches(notes).count == before + left)
    }

    @Test func `neither an app nor another program reports a push`() throws {
        let push = WakingInterface.ReportPush(container: SyncMachine.container, environment: .production)
        let own = try #require(try Refusal { try scene.manage().call(push) })
        #expect(own.error == .wakingNotAllowed)
        #expect(own.parameters["message"]?.stringValue?.contains("is not waymark-sync") == true)
        // The program itself within the service of an app is that app.
        let app = try TemporaryControlGroup("/system.slice/x\(Int.random(in: 0..<1_000_000_000)).slice/\(notes.unit)")
        let thief = try SyncMachine(machines.hub, as: "thief", daemon: scene.daemon.socketPath, group: app)
        try thief.use()
        let before = try launches(notes).count
        try scene.allow(notes, false)
        try phone.save("milk")
        try thief.waitFor("milk")
        let isRefused = eventually(within: Patience.daemon) { thief.log.contains("no app is waymark-sync") }
        #expect(isRefused, "\(thief.log)")
        #expect(try launches(notes).count == before)
    }
}

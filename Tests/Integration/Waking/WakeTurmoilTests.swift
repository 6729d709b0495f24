import Glibc
import Interfaces
import Platform
import TestSupport
import TestTraits
import Testing

/// A sleeping app is woken many times, by the path, a border and pushes, while the app, `waymark-waker`, the daemon and
/// `waymark-sync` are killed at random: it sees each event once. The pushes come from a real hub, through the waymark-sync of the
/// machine, which alone may report them; the app reads the text of the record from the copy.
///
/// `WAYMARK_WAKES` is the number of wakes; `Scripts/check-wakes` makes a thousand.
@Suite(.waits, .enabled(if: SleepScene.isPossible, "a network and control groups of a test's own need root"))
struct WakeTurmoilTests {
    private static let wakes = getenv("WAYMARK_WAKES").flatMap { Int(String(cString: $0)) } ?? 30
    /// Four wakes a second, of which five may follow each other at once.
    private static let (interval, burst) = (0.25, 5)

    private let scene: SleepScene
    private let machines: SyncedMachines
    private var gate: SleepScene.App { scene.apps[0] }
    /// One that may not be woken because a person has denied it positions, and because its manifest names another container.
    private var denied: SleepScene.App { scene.apps[1] }
    /// One that a person has forced to quit. It has the same container.
    private var retired: SleepScene.App { scene.apps[2] }

    private static let containers = [
        "gate": SyncMachine.container, "denied": "org.example.diary", "retired": SyncMachine.container,
    ]

    init() throws {
        scene = try SleepScene(
            ["gate", "denied", "retired"],
            settings: """
                [Waking]
                WakesPerHour=\(Int(3_600 / Self.interval))
                WakesAtOnce=\(Self.burst)
                AttachWithin=10s
                [Reachability]
                Settle=0

                """, percent: 5, causes: "regions path push", keys: Self.containers.mapValues { "Containers=\($0)" })
        machines = try SyncedMachines(daemon: scene.daemon.socketPath)
        try scene.offer(machines.machine)
    }

    /// What has happened.
    private struct Tally {
        var paths = 0
        var borders = 0
        /// The number of the last push, which is the text of the record.
        var pushes = 0
        var forced = 0
        var lifted = 0
        var kills: [SleepScene.Victim: Int] = [:]
        var killTimes: [Double] = []

        mutating func count(_ victim: SleepScene.Victim) {
            kills[victim, default: 0] += 1
            killTimes.append(Double(SystemClock().utcMicroseconds) / 1e6)
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func
        `every event is seen once over many wakes, no app is woken that may not be, and no more often than the budget permits`()
        throws
    {
        for app in scene.apps { try scene.introduce(app) }
        try scene.waitForDemand()
        // The initial state of the region is an event, too.
        scene.dwell()
        var tally = Tally(borders: 1)
        try awaitEvents(&tally)
        let (first, firstOfRetired) = (try gate.pushes().count, try retired.pushes().count)
        try scene.manage().authorize(denied.name, .deny, uid: 0)
        try scene.allow(retired, false)

        var random = SeededGenerator()
        while try starts(of: gate).count < Self.wakes {
            try round(&random, &tally)
            guard try isSeen(tally) else { break }
        }
        let pushes = try gate.pushes().dropFirst(first).map(\.text)
        try checkApp(tally, pushes)
        #expect(try gate.numbers(of: "m") == Array(1...tally.borders), "each event of the border once, in order")
        let forbidden = try starts(of: denied) + starts(of: retired)
        #expect(forbidden.isEmpty, "no wake that is not permitted")
        let excess = try excess(over: tally)
        #expect(excess <= 0, "at most \(Self.burst) wakes at once, and one each \(Self.interval) s")
        try checkEnd(tally, pushesOfRetired: firstOfRetired)
        let kills = SleepScene.Victim.allCases.map { "\($0.rawValue) \(tally.kills[$0] ?? 0)" }.joined(separator: ", ")
        print(
            "\(try starts(of: gate).count) wakes: \(tally.paths) events of the path, \(tally.borders) of a border and \(tally.pushes)"
                + " pushes, each seen once; \(pushes.count - tally.pushes) pushes reported again after a kill."
                + " Killed: \(kills); \(tally.lifted) pauses lifted. None of an app that was denied or forced to quit,"
                + " and \(tally.forced) events during a forced quit of the first app waited")
    }

    /// One event, during which something may be killed. It is seen when this returns.
    private func round(_ random: inout SeededGenerator, _ tally: inout Tally) throws {
        let isForced = Int.random(in: 0..<20, using: &random) == 0
        if isForced { try scene.allow(gate, false) }
        let before = try starts(of: gate).count
        switch Int.random(in: 0..<(isForced ? 2 : 3), using: &random) {
        case 0:
            try scene.losePath(barrier: retired)
            try scene.regainPath()
            tally.paths += 1
        case 1:
            tally.pushes += 1
            try machines.phone.save("\(tally.pushes)")
        default:
            try scene.cross()
            tally.borders += 1
        }
        if isForced {
            tally.forced += 1
            let isPending = try eventually(within: Patience.daemon) { try scene.waking(gate).pending >= 1 }
            let now = try starts(of: gate).count
            #expect(isPending && now == before, "not woken after a forced quit")
            try scene.allow(gate, true)
        }
        if Bool.random(using: &random), let victim = SleepScene.Victim.allCases.randomElement(using: &random) {
            if victim == .app { _ = try eventually(within: 2) { try starts(of: gate).count > before } }
            _ = poll(nil, 0, Int32.random(in: 0...30, using: &random))
            try scene.kill(victim, gate)
            tally.count(victim)
        }
        try awaitEvents(&tally)
    }

    /// Waits until the app has seen everything and sleeps.
    private func awaitEvents(_ tally: inout Tally) throws {
        let clock = SystemClock()
        var next = clock.monotonicNanoseconds + 300_000_000
        let isDone = try eventually(within: 60) {
            // An app that was killed before it acknowledged an event is woken once more.
            if try isSeen(tally), try scene.isAsleep(gate), try scene.waking(gate).pending == 0 { return true }
            guard clock.monotonicNanoseconds > next else { return false }
            next = clock.monotonicNanoseconds + 300_000_000
            // Reports of positions may have been lost with the daemon.
            scene.dwell()
            // An app that was killed three times in a row is woken again when a person permits it.
            if try ["ended", "failed"].contains(scene.waking(gate).obstacle?.rawValue) {
                tally.lifted += 1
                try scene.allow(gate, true)
            }
            return false
        }
        let (waking, lines) = (try scene.waking(gate), try gate.lines().suffix(8))
        #expect(isDone, "\(tally) \(waking) \(lines) \(scene.daemon.log.suffix(2_000))")
    }

    private func isSeen(_ tally: Tally) throws -> Bool {
        try gate.paths().count >= tally.paths && gate.numbers(of: "m").count >= tally.borders
            && (tally.pushes == 0 || gate.pushes().last?.text == "\(tally.pushes)")
    }

    /// The app has seen each event of the path and each push once, in order. A push whose report was repeated, because the daemon
    /// or waymark-sync was killed before the reply, is one more event with the same text.
    private func checkApp(_ tally: Tally, _ pushes: [Substring]) throws {
        let numbers = try gate.numbers(of: "app")
        #expect(numbers == Set(numbers).sorted(), "no event twice, and none before an earlier one")
        let paths = try gate.paths().count
        #expect(paths == tally.paths, "each event of the path once")
        let kills = [SleepScene.Victim.daemon, .sync].reduce(0) { $0 + (tally.kills[$1] ?? 0) }
        var texts: [Substring] = []
        for text in pushes where text != texts.last { texts.append(text) }
        #expect(texts == (1...max(1, tally.pushes)).map { "\($0)" }, "each push once, in order")
        #expect(pushes.count - texts.count <= kills, "a push is repeated after a kill only")
    }

    /// The starts of an app's service but the first, which the test has made.
    private func starts(of app: SleepScene.App) throws -> [ServiceManagerProcess.Start] {
        Array(try scene.manager.starts.filter { $0.unit == app.unit }.dropFirst())
    }

    /// The most starts beyond the budget, in any time. An order whose result was lost with a killed program may start a service
    /// again that has ended meanwhile, and a start may follow its order late.
    private func excess(over tally: Tally) throws -> Int {
        let times = try starts(of: gate).map(\.time)
        var worst = Int.min
        for first in times.indices {
            for last in first..<times.count {
                let duration = times[last] - times[first]
                let repeated = tally.killTimes.count { $0 > times[first] - 1 && $0 < times[last] }
                let permitted = Self.burst + Int(duration / Self.interval) + 2 + repeated
                worst = max(worst, last - first + 1 - permitted)
            }
        }
        return worst
    }

    /// Those that were not woken are woken when they may be, and see their events once.
    private func checkEnd(_ tally: Tally, pushesOfRetired: Int) throws {
        try scene.manage().authorize(denied.name, .always, uid: 0)
        try scene.allow(retired, true)
        for app in [denied, retired] {
            let isRead = try eventually(within: 60) {
                if try ["ended", "failed"].contains(scene.waking(app).obstacle?.rawValue) {
                    try scene.allow(app, true)
                }
                return try scene.waking(app).pending == 0 && scene.isAsleep(app)
            }
            let (numbers, lines) = (try app.numbers(of: "app"), try app.lines().suffix(5))
            #expect(isRead && numbers == Set(numbers).sorted(), "\(lines)")
        }
        // At most 64 are stored.
        let (numbers, strange) = (try denied.numbers(of: "app"), try denied.pushes())
        #expect(numbers == Array(max(1, tally.paths - 63)...max(1, tally.paths)))
        #expect(strange.isEmpty, "the container of another app")
        // Pushes that nobody has read are one event, with what is in the copy now.
        let paths = try retired.paths().count
        #expect(paths == min(tally.paths, 63))
        let pushes = try retired.pushes().dropFirst(pushesOfRetired).map(\.text)
        #expect(pushes == (tally.pushes == 0 ? [] : ["\(tally.pushes)"]))
    }
}

import Glibc
import Interfaces
import Platform
import TestSupport
import Testing

/// A sleeping app is woken many times while app, waker and daemon are killed at random: it sees each event once.
///
/// `WAYMARK_WAKES` is the number of wakes; `Scripts/check-wakes` makes a thousand.
@Suite(.waits, .enabled(if: SleepScene.isPossible, "a network and control groups of a test's own need root"))
struct WakeTurmoilTests {
    private static let wakes = getenv("WAYMARK_WAKES").flatMap { Int(String(cString: $0)) } ?? 30
    /// Four wakes a second, of which five may follow each other at once.
    private static let (interval, burst) = (0.25, 5)

    private let scene: SleepScene
    private var gate: SleepScene.App { scene.apps[0] }
    /// One that may not be woken because a person has denied it positions, and one that a person has forced to quit.
    private var denied: SleepScene.App { scene.apps[1] }
    private var retired: SleepScene.App { scene.apps[2] }

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

                """, percent: 5)
    }

    /// What has happened.
    private struct Tally {
        var paths = 0
        var borders = 0
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
        try scene.manage().authorize(denied.name, .deny, uid: 0)
        try scene.allow(retired, false)

        var random = SeededGenerator()
        while try starts(of: gate).count < Self.wakes {
            try round(&random, &tally)
            guard try isSeen(tally) else { break }
        }
        #expect(try gate.numbers(of: "app") == Array(1...max(1, tally.paths)), "each event of the path once, in order")
        #expect(try gate.numbers(of: "m") == Array(1...tally.borders), "each event of the border once, in order")
        let forbidden = try starts(of: denied) + starts(of: retired)
        #expect(forbidden.isEmpty, "no wake that is not permitted")
        let excess = try excess(over: tally)
        #expect(excess <= 0, "at most \(Self.burst) wakes at once, and one each \(Self.interval) s")
        try checkEnd(tally)
        let kills = SleepScene.Victim.allCases.map { "\($0.rawValue) \(tally.kills[$0] ?? 0)" }.joined(separator: ", ")
        print(
            "\(try starts(of: gate).count) wakes: \(tally.paths) events of the path and \(tally.borders) of a border, each seen once."
                + " Killed: \(kills); \(tally.lifted) pauses lifted. None of an app that was denied or forced to quit,"
                + " and \(tally.forced) events during a forced quit of the first app waited")
    }

    /// One event, during which something may be killed. It is seen when this returns.
    private func round(_ random: inout SeededGenerator, _ tally: inout Tally) throws {
        let isForced = Int.random(in: 0..<20, using: &random) == 0
        if isForced { try scene.allow(gate, false) }
        let before = try starts(of: gate).count
        if isForced || Bool.random(using: &random) {
            try scene.losePath(barrier: retired)
            try scene.regainPath()
            tally.paths += 1
        } else {
            try scene.cross()
            tally.borders += 1
        }
        if isForced {
            tally.forced += 1
            let isPending = try eventually(within: Patience.daemon) { try scene.waking(gate).pending == 1 }
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
        try gate.numbers(of: "app").count >= tally.paths && gate.numbers(of: "m").count >= tally.borders
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
    private func checkEnd(_ tally: Tally) throws {
        try scene.manage().authorize(denied.name, .always, uid: 0)
        try scene.allow(retired, true)
        for app in [denied, retired] {
            let isRead = try eventually(within: 60) {
                if try ["ended", "failed"].contains(scene.waking(app).obstacle?.rawValue) {
                    try scene.allow(app, true)
                }
                return try app.numbers(of: "app").last == tally.paths && scene.isAsleep(app)
            }
            // At most 64 are stored.
            let expected = Array(max(1, tally.paths - 63)...tally.paths)
            let (numbers, lines) = (try app.numbers(of: "app"), try app.lines().suffix(5))
            #expect(isRead && numbers == expected, "\(lines)")
        }
    }
}

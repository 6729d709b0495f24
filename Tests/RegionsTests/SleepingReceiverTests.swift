import Glibc
import Location
import ReceiverSimulator
import Regions
import TestTraits
import Testing

@testable import Tracking

/// A receiver that sleeps by `ReceiverPlan`, against one that is always on, over days of travel.
///
/// `WAYMARK_SLEEPING_DAYS=1000 swift test --filter SleepingReceiverTests` prints the figures of Documentation/measurements.md.
@Suite(.computes) struct SleepingReceiverTests {
    private static let days = getenv("WAYMARK_SLEEPING_DAYS").flatMap { UInt64(String(cString: $0)) } ?? 12

    /// What came of some days.
    struct Score {
        /// Seconds of the days, and those of them for which gpsd was connected.
        var total = 0.0
        var awake = 0.0
        var wakes = 0
        /// Crossings that the receiver that is always on has seen, and those of them that the other one has not.
        var crossings = 0
        var missed = 0
        /// Positions of a stream of significant changes with either receiver.
        var changes = 0
        var changesAsleep = 0

        var text: String {
            let share = (1_000 * awake / max(1, total)).rounded() / 10
            return
                "\(Int(total / 3_600)) h, awake \(share) %, woken \(wakes) times; crossings \(crossings), missed \(missed);"
                + " significant changes \(changes), asleep \(changesAsleep)"
        }
    }

    @Test func `no crossing of long journeys is missed, by road, by rail and by boat`() throws {
        var score = Score()
        for seed in 1...Self.days {
            var day = SleepingDay(seed: seed)
            let travel = LongTravel(seed: seed)
            for (index, region) in travel.regions.enumerated() { try day.watch(region, number: Int64(index + 1)) }
            for (seconds, fix) in travel { day.receive(fix, at: seconds) }
            day.finish(&score)
        }
        print("sleeping receiver, regions on long journeys: \(Self.days) days, \(score.text)")
        #expect(score.missed == 0)
        #expect(score.crossings > 2 * Int(Self.days))
        #expect(score.awake < 0.9 * score.total)
    }

    @Test func `no crossing of a region of a day's stays is missed`() throws {
        var score = Score()
        for seed in 1...Self.days {
            let journey = Journey.random(seed: seed)
            var day = SleepingDay(seed: seed)
            for (index, stay) in journey.stays.enumerated() {
                try day.watch(Region(.circle(center: stay.coordinate, radius: 150)), number: Int64(index + 1))
            }
            for epoch in JourneyFixes(of: journey, seed: seed) { day.receive(epoch.fix, at: epoch.seconds) }
            day.finish(&score)
        }
        print("sleeping receiver, regions at the stays: \(Self.days) days, \(score.text)")
        #expect(score.missed == 0)
        #expect(score.crossings > Int(Self.days))
    }

    @Test func `significant changes need the receiver seldom`() throws {
        var score = Score()
        for seed in 1...Self.days {
            var day = SleepingDay(seed: seed, needsChanges: true)
            for (seconds, fix) in LongTravel(seed: seed) { day.receive(fix, at: seconds) }
            day.finish(&score)
        }
        print("sleeping receiver, significant changes: \(Self.days) days, \(score.text)")
        #expect(score.awake < 0.2 * score.total)
        // While the machine moves there is a fix in each five minutes; after a stop the first may be fifteen minutes late.
        #expect(Double(score.changesAsleep) > 0.6 * Double(score.changes))
    }
}

/// A day with both receivers.
private struct SleepingDay {
    private var always = RegionMonitor()
    private var asleep = RegionMonitor()
    private var plan = ReceiverPlan()
    private var motion = MotionDetector()
    private var subscriptions = (always: Subscription.significantChanges, asleep: Subscription.significantChanges)
    private var random: SeededGenerator
    private let needsChanges: Bool
    private var events: (always: [RegionEvent], asleep: [RegionEvent]) = ([], [])
    private var remainder: Double?
    /// From when the receiver has a fix, once it was woken; nil while it sleeps.
    private var fixFrom: Double? = 0
    private var score = SleepingReceiverTests.Score()
    private var last = 0.0
    private var regionCount = 0

    init(seed: UInt64, needsChanges: Bool = false) {
        random = SeededGenerator(seed: seed, stream: 77)
        self.needsChanges = needsChanges
    }

    mutating func watch(_ region: Region, number: Int64) throws {
        always.insert(MonitoredRegion(number: number, region: region))
        asleep.insert(MonitoredRegion(number: number, region: region))
        regionCount += 1
    }

    /// One instant of the day, and the fix that a receiver that is always on has.
    mutating func receive(_ fix: Fix?, at seconds: Double) {
        defer { last = seconds }
        score.total += seconds - last
        if fixFrom != nil { score.awake += seconds - last }
        if let fix {
            events.always += always.receive(fix)
            if subscriptions.always.decide(fix) == .deliver { score.changes += 1 }
        }
        if let fix, let from = fixFrom, seconds >= from {
            events.asleep += asleep.receive(fix)
            remainder = asleep.remainder(at: SurfacePoint(fix.coordinate))
            motion.receive(fix)
            if subscriptions.asleep.decide(fix) == .deliver { score.changesAsleep += 1 }
            plan.receive(fix)
        }
        decide(at: seconds)
    }

    private mutating func decide(at seconds: Double) {
        let now = UInt64(seconds * 1e9)
        // What the daemon does with a timer.
        if let until = plan.asleepUntil, now < until { return }
        let needs: [ReceiverPlan.Need] =
            (needsChanges ? [.significantChange(dueAt: subscriptions.asleep.dueAt)] : [])
            + (regionCount > 0 ? [.border(meters: remainder)] : [])
        switch plan.decide(needs, isMoving: !motion.isStationary || motion.isInDoubt, at: now) {
        case .unneeded: break
        case .awake:
            guard fixFrom == nil else { return }
            score.wakes += 1
            // A receiver that knows the time and the satellites is quick; one in ten times it is not.
            fixFrom = seconds + (random.happens(0.1) ? 10 + 20 * random.unit() : 1 + 5 * random.unit())
        case .asleep: fixFrom = nil
        }
    }

    /// Compares both.
    mutating func finish(_ score: inout SleepingReceiverTests.Score) {
        func crossings(_ events: [RegionEvent]) -> [Crossing: Int] {
            events.reduce(into: [:]) { counts, event in
                switch event.kind {
                case .entered: counts[Crossing(region: event.region, isEntry: true), default: 0] += 1
                case .left: counts[Crossing(region: event.region, isEntry: false), default: 0] += 1
                default: break
                }
            }
        }
        let (seen, seenAsleep) = (crossings(events.always), crossings(events.asleep))
        score.crossings += seen.values.reduce(0, +)
        score.missed += seen.reduce(0) { $0 + max(0, $1.value - seenAsleep[$1.key, default: 0]) }
        score.total += self.score.total
        score.awake += self.score.awake
        score.wakes += self.score.wakes
        score.changes += self.score.changes
        score.changesAsleep += self.score.changesAsleep
    }

    private struct Crossing: Hashable {
        var region: Int64
        var isEntry: Bool
    }
}

/// A day's long journey: stretches at up to 69 m/s with halts, a night at the end, tunnels without a fix, and regions on the
/// route, beside it and far from it.
private struct LongTravel: Sequence {
    private let field: Field
    private let legs: [Leg]
    let regions: [Region]
    private let seed: UInt64
    private let duration: Double

    private struct Leg {
        var from: (east: Double, north: Double)
        var to: (east: Double, north: Double)
        var begin: Double
        var end: Double
        /// Seconds of the day without a fix.
        var tunnel: ClosedRange<Double>?
    }

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed, stream: 55)
        field = Field(latitude: 120 * random.unit() - 60, longitude: 360 * random.unit() - 180)
        // On foot, by boat, by car, by train.
        let speed = [1.5, 6, 28, 69][Int(seed % 4)]
        var (here, time) = ((east: 0.0, north: 0.0), 0.0)
        var legs: [Leg] = []
        var regions: [Region] = []
        var course = 2 * Double.pi * random.unit()
        while time < 5 * 3_600 {
            if random.happens(0.4) {
                let halt = 60 + 3_000 * random.unit()
                legs.append(Leg(from: here, to: here, begin: time, end: time + halt))
                time += halt
            }
            course += 1.5 * (random.unit() - 0.5)
            let length = speed * (300 + 1_800 * random.unit())
            let there = (east: here.east + length * sin(course), north: here.north + length * cos(course))
            let end = time + length / (speed * (0.6 + 0.4 * random.unit()))
            var leg = Leg(from: here, to: there, begin: time, end: end)
            if random.happens(0.3) {
                let begin = time + (end - time) * random.unit()
                leg.tunnel = begin...begin + 20 + 200 * random.unit()
            }
            legs.append(leg)
            if random.happens(0.5) {
                let share = random.unit()
                let beside = random.happens(0.5) ? 0 : 3_000 * (random.unit() - 0.5)
                let middle = field.coordinate(
                    here.east + share * (there.east - here.east) + beside,
                    here.north + share * (there.north - here.north) - beside)
                do throws(RegionError) {
                    regions.append(try Region(.circle(center: middle, radius: 80 + 800 * random.unit())))
                } catch {
                    Issue.record(error)
                }
            }
            (here, time) = (there, end)
        }
        legs.append(Leg(from: here, to: here, begin: time, end: time + 4 * 3_600))
        (self.legs, self.regions, duration) = (legs, regions, time + 4 * 3_600)
    }

    func makeIterator() -> Iterator { Iterator(travel: self) }

    struct Iterator: IteratorProtocol {
        private let travel: LongTravel
        private var random: SeededGenerator
        private var drift = (east: 0.0, north: 0.0)
        private var seconds = 0.0
        private var leg = 0

        init(travel: LongTravel) {
            self.travel = travel
            random = SeededGenerator(seed: travel.seed, stream: 66)
        }

        mutating func next() -> (Double, Fix?)? {
            defer { seconds += 1 }
            guard seconds < travel.duration else { return nil }
            while leg + 1 < travel.legs.count, seconds >= travel.legs[leg].end { leg += 1 }
            let part = travel.legs[leg]
            // A memory of two minutes, 3 m along each axis.
            let (retained, renewed) = (0.991_7, 0.386)
            drift.east = drift.east * retained + renewed * random.normal()
            drift.north = drift.north * retained + renewed * random.normal()
            if let tunnel = part.tunnel, tunnel.contains(seconds) { return (seconds, nil) }
            let share = Swift.min(1, (seconds - part.begin) / (part.end - part.begin))
            let east = part.from.east + share * (part.to.east - part.from.east) + drift.east
            let north = part.from.north + share * (part.to.north - part.from.north) + drift.north
            let length = hypot(part.to.east - part.from.east, part.to.north - part.from.north)
            var fix = travel.field.fix(seconds, east, north, accuracy: 5)
            fix.speed = Swift.max(0, length / (part.end - part.begin) + 0.1 * random.normal())
            fix.speedAccuracy = 0.2
            return (seconds, fix)
        }
    }
}

import Location
import Testing

@testable import Tracking

struct ReceiverPlanTests {
    private var plan = ReceiverPlan()
    private static let change = ReceiverPlan.Need.significantChange(dueAt: 0)

    private func ns(_ seconds: Double) -> UInt64 { UInt64(seconds * 1e9) }

    private func fixed(_ seconds: Double, accuracy: Double = 5) throws -> Fix {
        var fix = try fix(seconds, accuracy: accuracy)
        fix.receivedAt = ns(seconds)
        return fix
    }

    /// A plan that was woken at 0 s and has had a fix of this accuracy at 10 s.
    private func woken(accuracy: Double = 5, _ needs: [ReceiverPlan.Need]) throws -> ReceiverPlan {
        var plan = plan
        _ = plan.decide(needs, isMoving: true, at: 0)
        plan.receive(try fixed(10, accuracy: accuracy))
        return plan
    }

    @Test func `without needs the receiver is not needed, and with one it is searched first`() {
        var plan = plan
        #expect(plan.decide([], isMoving: true, at: 5) == .unneeded)
        #expect(plan.decide([.fix], isMoving: true, at: 5) == .awake(again: nil))
        #expect(plan.isSearching && plan.asleepUntil == nil)
        #expect(plan.decide([], isMoving: true, at: 6) == .unneeded)
    }

    @Test(arguments: [
        // Metres to the border, seconds from the fix to the next one; nil where it is not worth it to sleep.
        (meters: 100_000.0, seconds: 900.0 as Double?), (63_005.43, 900), (35_005.43, 500), (7_005.43, 100),
        (3_300, nil), (500, nil), (0, nil),
    ])
    func `a border is watched from when it can be reached at 70 metres a second`(meters: Double, seconds: Double?)
        throws
    {
        var plan = try woken([.border(meters: meters)])
        let decision = plan.decide([.border(meters: meters)], isMoving: false, at: ns(10))
        // The first fix took 10 s: the next one may take 30 s nevertheless.
        guard let seconds else { return #expect(decision == .awake(again: nil)) }
        guard case .asleep(let until) = decision else { return #expect(decision == .asleep(until: 0)) }
        #expect(abs(Double(until) / 1e9 - (10 + seconds - plan.lead)) < 0.01)
    }

    @Test func `the nearest of several needs decides, and an unknown border keeps the receiver awake`() throws {
        let far = ReceiverPlan.Need.border(meters: 1_000_000)
        var plan = try woken([far])
        #expect(plan.decide([far, .border(meters: nil)], isMoving: false, at: ns(10)) == .awake(again: nil))
        #expect(plan.decide([far, .fix], isMoving: false, at: ns(10)) == .awake(again: nil))
        guard case .asleep(let until) = plan.decide([far, Self.change], isMoving: true, at: ns(10)) else {
            return #expect(Bool(false))
        }
        #expect(abs(Double(until) / 1e9 - (310 - plan.lead)) < 0.01)
    }

    @Test func `a stay that is about to last long enough needs a fix then, wherever the border is`() throws {
        let needs = [ReceiverPlan.Need.border(meters: 100_000, seconds: 200)]
        var plan = try woken(needs)
        _ = plan.decide(needs, isMoving: false, at: ns(10))
        #expect(plan.asleepUntil == ns(210 - plan.lead))
    }

    @Test(arguments: [(true, 300.0), (false, 900.0)])
    func `a significant change needs a fix in five minutes of movement, or fifteen without`(
        isMoving: Bool, seconds: Double
    )
        throws
    {
        var plan = try woken([Self.change])
        guard case .asleep(let until) = plan.decide([Self.change], isMoving: isMoving, at: ns(10)) else {
            return #expect(Bool(false))
        }
        #expect(abs(Double(until) / 1e9 - (10 + seconds - plan.lead)) < 0.01)
    }

    @Test func `a fix that comes before a significant change can be due is followed by one when it can`() throws {
        let needs = [ReceiverPlan.Need.significantChange(dueAt: ns(100))]
        var plan = try woken(needs)
        _ = plan.decide(needs, isMoving: true, at: ns(10))
        #expect(plan.asleepUntil == ns(100 - plan.lead))
        _ = plan.decide(needs, isMoving: true, at: ns(80))
        plan.receive(try fixed(85))
        #expect(plan.decide(needs, isMoving: true, at: ns(85)) == .awake(again: nil))
        plan.receive(try fixed(100))
        _ = plan.decide(needs, isMoving: true, at: ns(100))
        #expect(plan.asleepUntil == ns(400 - plan.lead))
    }

    @Test func `an inaccurate first fix is followed by a better one, or 30 seconds`() throws {
        let needs = [ReceiverPlan.Need.border(meters: 100_000)]
        var plan = try woken(accuracy: 120, needs)
        #expect(plan.decide(needs, isMoving: true, at: ns(10)) == .awake(again: ns(40)))
        var better = plan
        better.receive(try fixed(12, accuracy: 20))
        _ = better.decide(needs, isMoving: true, at: ns(12))
        #expect(better.asleepUntil != nil)
        plan.receive(try fixed(40, accuracy: 120))
        _ = plan.decide(needs, isMoving: true, at: ns(40))
        #expect(plan.asleepUntil != nil)
    }

    @Test func `a new need wakes the receiver, and a nearer border wakes it earlier`() throws {
        let far = [ReceiverPlan.Need.border(meters: 100_000)]
        var plan = try woken(far)
        _ = plan.decide(far, isMoving: true, at: ns(10))
        let until = try #require(plan.asleepUntil)
        _ = plan.decide(far + [.border(meters: 40_000)], isMoving: true, at: ns(20))
        #expect(try #require(plan.asleepUntil) < until)
        #expect(plan.decide(far, isMoving: true, at: ns(30)) == .asleep(until: until))
        #expect(plan.decide(far + [.fix], isMoving: true, at: ns(40)) == .awake(again: nil))
        #expect(plan.isSearching && plan.awakeSince == ns(40))
    }

    @Test func `the receiver is awake when its time has come, until there is a fix`() throws {
        let needs = [ReceiverPlan.Need.border(meters: 35_000)]
        var plan = try woken(needs)
        _ = plan.decide(needs, isMoving: true, at: ns(10))
        let until = try #require(plan.asleepUntil)
        #expect(plan.decide(needs, isMoving: true, at: until - 1) == .asleep(until: until))
        #expect(plan.decide(needs, isMoving: true, at: until) == .awake(again: nil))
        #expect(plan.decide(needs, isMoving: true, at: until + ns(1_000)) == .awake(again: nil))
        #expect(plan.isSearching)
    }

    @Test func `for significant changes alone the search pauses`() throws {
        var plan = plan
        let needs = [Self.change]
        #expect(plan.decide(needs, isMoving: true, at: 0) == .awake(again: ns(120)))
        #expect(plan.decide(needs, isMoving: true, at: ns(120)) == .asleep(until: ns(120 + 300 - plan.lead)))
        let until = try #require(plan.asleepUntil)
        #expect(plan.decide(needs, isMoving: true, at: until) == .awake(again: until + ns(120)))
    }

    @Test func `what a receiver needs to its first fix is learnt, quickly upwards and slowly down to a cold start`()
        throws
    {
        let needs = [ReceiverPlan.Need.border(meters: 100_000)]
        func cycle(_ plan: inout ReceiverPlan, took: Double, isConnected: Bool = false) throws {
            let now = max(plan.asleepUntil ?? 0, ns(1))
            _ = plan.decide(needs, isMoving: true, isConnected: isConnected, at: now)
            plan.receive(try fixed(Double(now) / 1e9 + took))
            _ = plan.decide(needs, isMoving: true, at: now + ns(took))
        }
        var plan = plan
        try cycle(&plan, took: 40)
        #expect(abs(plan.lead - 51) < 0.01)
        for _ in 0..<60 { try cycle(&plan, took: 2) }
        #expect(plan.lead == 30)
        try cycle(&plan, took: 300)
        #expect(plan.lead == 60, "bounded")
        let lead = plan.lead
        try cycle(&plan, took: 0.1, isConnected: true)
        #expect(plan.lead == lead, "gpsd was connected because of others")
    }

    @Test func `after a suspend the receiver is awake at once`() throws {
        let needs = [ReceiverPlan.Need.border(meters: 100_000)]
        var plan = try woken(needs)
        _ = plan.decide(needs, isMoving: true, at: ns(10))
        try #require(plan.asleepUntil != nil)
        plan.forget()
        #expect(plan.decide(needs, isMoving: true, at: ns(11)) == .awake(again: nil))
    }
}

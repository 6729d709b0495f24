import Location
import Testing
import Tracking

struct SubscriptionTests {
    private func fix(_ seconds: Double, latitude: Double = 1, accuracy: Double = 5) throws -> Fix {
        Fix(
            time: time(seconds), receivedAt: 0,
            coordinate: try #require(Coordinate(latitude: latitude, longitude: 2)), horizontalAccuracy: accuracy)
    }

    @Test func `a client without options gets every fix`() throws {
        var subscription = Subscription()
        for second in 0..<5 { #expect(subscription.decide(try fix(Double(second))) == .deliver) }
    }

    @Test func `an interval tolerates a receiver's usual jitter`() throws {
        var subscription = Subscription(interval: 2)
        let times = [0.0, 1, 1.95, 3, 3.95, 5.9, 6]
        let decisions = try times.map { subscription.decide(try fix($0)) }
        #expect(decisions == [.deliver, .tooSoon, .deliver, .tooSoon, .deliver, .deliver, .tooSoon])
    }

    @Test func `a distance filter withholds fixes near the last delivered one`() throws {
        var subscription = Subscription(distanceFilter: 100)
        // A ten-thousandth of a degree is 11.1 m.
        let steps = [0.0, 0.0005, 0.0008, 0.0010, 0.0015, 0.0019]
        let decisions = try steps.enumerated().map { subscription.decide(try fix(Double($0), latitude: 1 + $1)) }
        #expect(decisions == [.deliver, .tooNear, .tooNear, .deliver, .tooNear, .deliver])
    }

    @Test func `a fix less accurate than desired is withheld until the patience ends`() throws {
        var subscription = Subscription(desiredAccuracy: 10, patience: 3)
        let decisions = try [50.0, 50, 50, 50, 50, 8, 50].enumerated().map {
            subscription.decide(try fix(Double($0), accuracy: $1))
        }
        #expect(decisions == [.tooInexact, .tooInexact, .tooInexact, .deliver, .deliver, .deliver, .tooInexact])
    }

    @Test func `a replay that starts again resets the subscription`() throws {
        var subscription = Subscription(interval: 10)
        #expect(subscription.decide(try fix(100)) == .deliver)
        #expect(subscription.decide(try fix(0)) == .deliver)
    }

    private func reduced(_ tick: Int64, column: Int32 = 4_000) throws -> ReducedFix {
        ReducedFix(
            cell: try #require(ReducedCell(band: 2_001, column: column)), tick: ReducedTick(number: tick),
            isSimulated: false)
    }

    @Test func `a client with reduced accuracy gets each tick once, whatever its desired accuracy`() throws {
        var subscription = Subscription(desiredAccuracy: 10)
        let decisions = try [5, 5, 6, 6, 7].map { subscription.decide(try reduced($0)) }
        #expect(decisions == [.deliver, .tooSoon, .deliver, .tooSoon, .deliver])
    }

    @Test func `reduced positions are filtered by ticks and cells`() throws {
        var slow = Subscription(interval: 2_400)
        #expect(
            try [1, 2, 3, 4, 5].map { slow.decide(try reduced($0)) } == [
                .deliver, .tooSoon, .deliver, .tooSoon, .deliver,
            ])
        // A column is 5,000 m wide at the equator.
        var far = Subscription(distanceFilter: 9_000)
        let columns: [Int32] = [10, 11, 12, 12, 11, 10]
        let decisions = try columns.enumerated().map { far.decide(try reduced(Int64($0), column: $1)) }
        #expect(decisions == [.deliver, .tooNear, .deliver, .tooNear, .tooNear, .deliver])
    }

    @Test func `a tick before the last one resets the reduced subscription`() throws {
        var subscription = Subscription(interval: 3_000)
        #expect(subscription.decide(try reduced(100)) == .deliver)
        #expect(subscription.decide(try reduced(3)) == .deliver)
        #expect(subscription.decide(try reduced(4)) == .tooSoon)
    }

    @Test func `fixes with full accuracy have no effect on reduced ones`() throws {
        var one = Subscription(distanceFilter: 7_000, interval: 1_200)
        var other = one
        _ = one.decide(try fix(0, latitude: 1))
        _ = other.decide(try fix(100, latitude: 1.3))
        for tick: Int64 in 1..<30 {
            let next = try reduced(tick, column: Int32(4_000 + tick % 7))
            #expect(one.decide(next) == other.decide(next))
        }
    }
}

struct SignificantChangeTests {
    @Test func `the first fix at once, then 500 m and 5 min`() throws {
        var changes = Subscription.significantChanges
        #expect(changes.decide(try fix(0)) == .deliver)
        #expect(changes.decide(try fix(60, north: 900)) == .tooSoon)
        #expect(changes.decide(try fix(300, north: 480)) == .tooNear)
        #expect(changes.decide(try fix(301, north: 505)) == .deliver)
        #expect(changes.decide(try fix(400, north: 5000)) == .tooSoon)
        #expect(changes.decide(try fix(601, north: 505)) == .tooNear)
        #expect(changes.decide(try fix(7000, north: 1100)) == .deliver)
    }

    @Test func `a drive of an hour is at most twelve changes after the first`() throws {
        var changes = Subscription.significantChanges
        let delivered = try (0...3600).count { second in
            changes.decide(try fix(Double(second), north: 20 * Double(second))) == .deliver
        }
        #expect(delivered == 13)
    }
}

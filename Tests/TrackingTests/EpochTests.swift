import Location
import Testing
import Tracking

struct EpochTests {
    /// A first report without altitude and with a large error, and a second one of the same epoch with both.
    private func first(_ seconds: Double) -> TPV {
        report(seconds) { report in
            (report.mode, report.altitudeMSL, report.altitudeHAE, report.epv) = (2, nil, nil, nil)
            report.eph = 40
        }
    }

    /// A filter whose receiver has sent three epochs of two reports each, 20 ms apart, at 1 Hz.
    private func learned() -> FixFilter {
        var filter = FixFilter()
        for second in 0..<3 {
            let time = Double(second)
            _ = filter.releaseEarlier(than: first(time))
            _ = filter.consider(first(time), at: instant(time))
            _ = filter.consider(report(time), at: instant(time + 0.02))
        }
        return filter
    }

    @Test func `a receiver that never sent more than one report is not awaited`() {
        var filter = FixFilter()
        for second in 0..<20 { #expect(filter.consider(Double(second)).fix != nil) }
        #expect(filter.heldUntil == nil)
    }

    @Test func `the more complete report is dropped in the first two epochs and delivered from the third on`() throws {
        var filter = FixFilter()
        for second in [0.0, 1] {
            #expect(filter.consider(first(second), at: instant(second)).fix?.altitude == nil)
            #expect(filter.consider(report(second), at: instant(second + 0.02)).reason == .duplicateEpoch)
        }
        #expect(filter.consider(first(2), at: instant(2)) == .held || filter.heldUntil != nil)
        let fix = try #require(filter.consider(report(2), at: instant(2.02)).fix)
        #expect(fix.altitude == 3)
        #expect(abs(fix.horizontalAccuracy - 6.167) < 0.001)
        #expect(fix.receivedAt == instant(2).monotonicNanoseconds)
        #expect(filter.heldUntil == nil)
        #expect(filter.accepted == 3)
        #expect(filter.rejected == [.duplicateEpoch: 2, .joinedEpoch: 1])
    }

    @Test func `the first report of a held epoch is available for clients that want it`() {
        var filter = learned()
        guard case .first(let fix) = filter.consider(first(3), at: instant(3)) else {
            Issue.record("the first report was not offered")
            return
        }
        #expect(fix.altitude == nil)
        #expect(filter.accepted == 3)
    }

    @Test func `a missing report is awaited for at most 150 ms`() throws {
        var filter = learned()
        _ = filter.consider(first(3), at: instant(3))
        let until = try #require(filter.heldUntil)
        #expect(until == instant(3.15).monotonicNanoseconds)
        #expect(filter.release(at: until - 1).isEmpty)
        let fixes = filter.release(at: until)
        #expect(fixes.map(\.altitude) == [nil])
        #expect(filter.heldUntil == nil)
        #expect(filter.consider(report(3), at: instant(3.2)).reason == .duplicateEpoch)
        #expect(filter.accepted == 4)
    }

    @Test func `a fast receiver's report is held for at most a quarter of its interval`() throws {
        var filter = FixFilter()
        for epoch in 0..<4 {
            let time = Double(epoch) / 10
            _ = filter.consider(first(time), at: instant(time))
            if epoch < 3 { _ = filter.consider(report(time), at: instant(time + 0.01)) }
        }
        let until = try #require(filter.heldUntil)
        #expect(abs(Int64(until) - Int64(instant(0.325).monotonicNanoseconds)) < 1000)
    }

    @Test func `a report that follows too late is not learned`() {
        var filter = FixFilter()
        for second in 0..<20 {
            let time = Double(second)
            #expect(filter.consider(first(time), at: instant(time)).fix != nil)
            #expect(filter.consider(report(time), at: instant(time + 0.4)).reason == .duplicateEpoch)
        }
        #expect(filter.heldUntil == nil)
    }

    @Test func `a report without additional values is not learned`() {
        var filter = FixFilter()
        for second in 0..<20 {
            let time = Double(second)
            #expect(filter.consider(report(time), at: instant(time)).fix != nil)
            #expect(filter.consider(first(time), at: instant(time + 0.02)).reason == .duplicateEpoch)
        }
        #expect(filter.heldUntil == nil)
    }

    @Test func `a receiver that stops sending more is soon not awaited`() {
        var filter = learned()
        var held = 0
        for second in 3..<20 {
            _ = filter.consider(first(Double(second)), at: instant(Double(second)))
            guard let until = filter.heldUntil else { continue }
            held += 1
            #expect(filter.release(at: until).count == 1)
        }
        #expect((5...8).contains(held))
        #expect(filter.accepted == 20)
    }

    @Test func `the next epoch ends the hold of the one before`() {
        var filter = learned()
        _ = filter.consider(first(3), at: instant(3))
        let next = first(4)
        let earlier = filter.releaseEarlier(than: next)
        #expect(earlier?.time == time(3))
        #expect(filter.consider(next, at: instant(4)).reason == nil)
    }

    @Test func `a removed receiver leaves its held fix`() {
        var filter = learned()
        _ = filter.consider(first(3), at: instant(3))
        #expect(filter.release(of: "/dev/two").isEmpty)
        #expect(filter.release(of: "/dev/one").count == 1)
        filter.forget(receiver: "/dev/one")
        #expect(filter.heldUntil == nil)
    }

    @Test func `an implausible later report leaves the first one`() {
        var filter = learned()
        _ = filter.consider(first(3), at: instant(3))
        let impossible = report(3) { $0.altitudeMSL = 1e6 }
        #expect(filter.consider(impossible, at: instant(3.01)).reason == .implausibleAltitude)
        let fixes = filter.release(at: instant(3.2).monotonicNanoseconds)
        #expect(fixes.map(\.altitude) == [nil])
    }

    @Test func `three reports of an epoch are awaited if the third adds values`() throws {
        var filter = FixFilter()
        for second in 0..<3 {
            let time = Double(second)
            _ = filter.releaseEarlier(than: first(time))
            _ = filter.consider(first(time), at: instant(time))
            _ = filter.consider(report(time) { $0.epv = nil }, at: instant(time + 0.01))
            let last = filter.consider(report(time), at: instant(time + 0.02))
            if second == 2 { #expect(last.fix?.verticalAccuracy != nil) }
        }
        #expect(filter.heldUntil == nil)
    }

    @Test func `values of an earlier report remain if the later one has none`() {
        let whole = report(0) { $0.eps = 1 }.completed(
            by: TPV(mode: 2, time: time(0), latitude: 54.6, longitude: 3.3, epx: 1, epy: 2, receiver: "/dev/one"))
        #expect(whole.mode == 3)
        #expect(whole.altitudeMSL == 3)
        #expect(whole.speed == 2)
        #expect(whole.eps == 1)
        #expect(whole.latitude == 54.6)
        #expect(whole.eph == nil)
        #expect(whole.epy == 2)
    }

    @Test func `every report is counted exactly once`() {
        var filter = FixFilter()
        var generator = SystemRandomNumberGenerator()
        var delivered = 0
        var reports = 0
        for epoch in 0..<2_000 {
            let time = Double(epoch) * 0.5
            var later = 0.0
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let receiver = Bool.random(using: &generator) ? "/dev/one" : "/dev/two"
                let isFull = Bool.random(using: &generator)
                var tpv = isFull ? report(time) : first(time)
                tpv.receiver = receiver
                if Int.random(in: 0..<10, using: &generator) == 0 { tpv.mode = 1 }
                let now = instant(time + later)
                delivered += filter.release(at: now.monotonicNanoseconds).count
                if filter.releaseEarlier(than: tpv) != nil { delivered += 1 }
                if filter.consider(tpv, at: now).fix != nil { delivered += 1 }
                reports += 1
                later += Double.random(in: 0..<0.1, using: &generator)
            }
        }
        delivered += filter.release().count
        #expect(filter.accepted == delivered)
        #expect(filter.accepted + filter.rejected.values.reduce(0, +) == reports)
    }
}

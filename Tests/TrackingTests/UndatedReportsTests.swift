import Location
import Testing
import Tracking

struct UndatedReportsTests {
    private func undated(_ seconds: Double) -> TPV { report(seconds) { $0.time = nil } }

    private func filter(_ systemTimestamps: SystemTimestamps = .synchronized) -> FixFilter {
        var limits = FixFilter.Limits()
        limits.systemTimestamps = systemTimestamps
        return FixFilter(limits: limits)
    }

    @Test func `a receiver without a date is stamped with a synchronized clock after ten seconds`() throws {
        var filter = filter()
        for second in 0...10 {
            #expect(filter.consider(undated(0), at: instant(Double(second))).reason == .noTime)
            if second < 10 { #expect(filter.undatedState == .waiting) }
        }
        let fix = try #require(filter.consider(undated(0), at: instant(11)).fix)
        #expect(fix.time == time(11))
        #expect(fix.timestampSource == .systemClock)
        #expect(!fix.isSimulated)
        #expect(filter.undatedState == .stamped)
    }

    @Test(arguments: [
        (SystemTimestamps.synchronized, UndatedState.clockUnsynchronized), (.never, .disabled), (.always, .stamped),
    ])
    func `an unsynchronized clock stamps only if the setting permits it`(
        _ setting: SystemTimestamps, _ state: UndatedState
    ) {
        var filter = filter(setting)
        for second in 0...12 { _ = filter.consider(undated(0), at: instant(Double(second), isSynchronised: false)) }
        #expect(filter.undatedState == state)
        #expect((filter.accepted > 0) == (state == .stamped))
    }

    @Test func `a receiver that learns the date in time is never stamped`() throws {
        var filter = filter(.always)
        for second in 0..<9 { #expect(filter.consider(undated(0), at: instant(Double(second))).fix == nil) }
        for second in 9..<40 {
            let fix = try #require(filter.consider(Double(second)).fix)
            #expect(fix.timestampSource == .receiver)
            // gpsd may report an epoch without its time before the report that has it.
            #expect(filter.consider(undated(0), at: instant(Double(second) + 0.5)).reason == .noTime)
        }
        #expect(filter.undatedState == .waiting)
    }

    @Test func `an epoch of two reports is stamped once`() {
        var filter = filter()
        for second in 0..<60 {
            _ = filter.consider(undated(0), at: instant(Double(second)))
            _ = filter.consider(undated(0), at: instant(Double(second) + 0.05))
        }
        #expect((48...50).contains(filter.accepted))
        #expect(filter.rejected[.duplicateEpoch, default: 0] >= 48)
    }

    @Test func `reports that were queued are not stamped with the time of reading`() {
        var filter = filter()
        for second in 0..<20 { _ = filter.consider(undated(0), at: instant(Double(second))) }
        let before = filter.accepted
        // Two minutes of reports at once, and then one each second again.
        for _ in 0..<120 { #expect(filter.consider(undated(0), at: instant(140)).fix == nil) }
        for second in 141..<150 { #expect(filter.consider(undated(0), at: instant(Double(second))).fix == nil) }
        #expect(filter.accepted == before)
        for second in 150..<160 { _ = filter.consider(undated(0), at: instant(Double(second))) }
        #expect(filter.accepted > before)
    }

    @Test func `a receiver with a changed rate is still stamped`() {
        var filter = filter()
        for second in 0..<20 { _ = filter.consider(undated(0), at: instant(Double(second))) }
        var before = filter.accepted
        for tenth in 0..<300 { _ = filter.consider(undated(0), at: instant(20 + Double(tenth) / 10)) }
        #expect(filter.accepted - before > 200)
        before = filter.accepted
        for second in 0..<60 { _ = filter.consider(undated(0), at: instant(51 + Double(second))) }
        #expect(filter.accepted - before > 40)
    }

    @Test func `a receiver that finally reports the date is believed after ten fixes`() {
        var limits = FixFilter.Limits()
        limits.systemTimestamps = .always
        var filter = FixFilter(limits: limits)
        for second in 0..<20 { _ = filter.consider(undated(0), at: instant(Double(second))) }
        #expect(filter.accepted > 0)
        // The receiver's time is an hour behind the system clock.
        for second in 20..<40 { _ = filter.consider(report(Double(second) - 3600), at: instant(Double(second))) }
        #expect(filter.chosenReceiver == "/dev/one")
        #expect(filter.consider(report(40 - 3600), at: instant(40)).fix?.timestampSource == .receiver)
        #expect(filter.undatedState == .none)
    }

    @Test func `a position without a date and without a place does not count`() {
        var filter = filter(.always)
        for second in 0..<30 {
            let nothing = report(0) { ($0.time, $0.latitude) = (nil, nil) }
            #expect(filter.consider(nothing, at: instant(Double(second))).reason == .noTime)
        }
        #expect(filter.undatedState == .none)
    }
}

import Location
import Testing
import Tracking

struct ReceiverChoiceTests {
    private func two(_ filter: inout FixFilter, _ second: Double, _ eph: Double) -> FixFilter.Verdict {
        filter.consider(second) {
            $0.receiver = "/dev/two"
            $0.eph = eph
        }
    }

    @Test func `of two receivers in one stream one is delivered`() {
        var filter = FixFilter()
        for second in 0..<20 {
            #expect(filter.consider(Double(second)).fix != nil)
            #expect(two(&filter, Double(second) + 0.3, 9).reason == .otherReceiver)
        }
        #expect(filter.chosenReceiver == "/dev/one")
    }

    @Test func `a clearly better receiver is chosen after 5 fixes`() {
        var filter = FixFilter()
        var delivered: [String] = []
        for second in 0..<10 {
            for verdict in [filter.consider(Double(second)), two(&filter, Double(second) + 0.3, 3)] {
                if let fix = verdict.fix { delivered.append(fix.receiver) }
            }
        }
        #expect(delivered.prefix(5).allSatisfy { $0 == "/dev/one" })
        #expect(delivered.dropFirst(5).allSatisfy { $0 == "/dev/two" })
        #expect(filter.chosenReceiver == "/dev/two")
    }

    @Test func `receivers that are better in alternation do not alternate`() {
        var filter = FixFilter()
        for second in 0..<40 {
            let isBetter = second % 4 < 2
            #expect(filter.consider(Double(second)) { $0.eph = isBetter ? 12 : 5 }.fix != nil)
            #expect(two(&filter, Double(second) + 0.3, isBetter ? 5 : 12).reason == .otherReceiver)
        }
    }

    @Test func `another receiver is chosen if the current one falls silent`() {
        var filter = FixFilter()
        #expect(filter.consider(0).fix != nil)
        #expect(two(&filter, 1, 30).reason == .otherReceiver)
        #expect(two(&filter, 4, 30).reason == .otherReceiver)
        #expect(two(&filter, 6, 30).fix != nil)
    }

    @Test func `another receiver is chosen at once if the current one reports no fix`() {
        var filter = FixFilter()
        #expect(filter.consider(0).fix != nil)
        #expect(two(&filter, 0.3, 50).reason == .otherReceiver)
        #expect(filter.consider(1) { $0.mode = 1 }.reason == .noFix)
        #expect(two(&filter, 1.3, 50).fix != nil)
        #expect(filter.chosenReceiver == "/dev/two")
    }

    @Test func `a report without a fix and without a time counts when it is repeated`() {
        var filter = FixFilter()
        let nothing = report(0) { ($0.mode, $0.time) = (1, nil) }
        for second in 1..<10 {
            // As some receivers do at the beginning of each epoch.
            #expect(filter.consider(nothing, at: instant(Double(second) - 0.1)).reason == .noFix)
            #expect(filter.consider(Double(second)).fix != nil)
            #expect(two(&filter, Double(second) + 0.3, 50).reason == .otherReceiver)
        }
        _ = filter.consider(nothing, at: instant(10))
        #expect(two(&filter, 10.3, 50).reason == .otherReceiver)
        _ = filter.consider(nothing, at: instant(11))
        #expect(two(&filter, 11.3, 50).fix != nil)
    }

    @Test func `a report of no fix for the same epoch has no effect`() {
        var filter = FixFilter()
        #expect(filter.consider(0).fix != nil)
        #expect(filter.consider(0) { $0.mode = 1 }.reason == .noFix)
        #expect(two(&filter, 0.3, 50).reason == .otherReceiver)
    }

    @Test func `another receiver is chosen at once if the current one is removed`() {
        var filter = FixFilter()
        #expect(filter.consider(0).fix != nil)
        filter.forget(receiver: "/dev/one")
        #expect(two(&filter, 1, 30).fix != nil)
    }

    @Test func `a live receiver replaces a replay at once and never the reverse`() {
        var filter = FixFilter()
        #expect(filter.consider(0) { $0.status = 8 }.fix?.isSimulated == true)
        #expect(two(&filter, 1, 500).fix?.isSimulated == false)
        for second in 2..<20 {
            #expect(filter.consider(Double(second)) { $0.status = 8 }.reason == .otherReceiver)
            #expect(two(&filter, Double(second) + 0.3, 500).fix != nil)
        }
    }

    @Test func `time does not run backwards when one live receiver replaces another`() {
        var filter = FixFilter()
        #expect(filter.consider(10).fix != nil)
        filter.forget(receiver: "/dev/one")
        #expect(two(&filter, 9.5, 10).reason == .timeBackwards)
        #expect(two(&filter, 10, 10).reason == .duplicateEpoch)
        #expect(two(&filter, 10.5, 10).fix != nil)
    }
}

import Testing

@testable import Commands

@Suite struct MeasureTests {
    @Test(arguments: [
        (48.13712, 7, "48.1371200"), (-0.00000004, 7, "0.0000000"), (-0.5, 0, "-1"), (-1.005, 1, "-1.0"),
        (0.05, 1, "0.1"),
        (179.99999996, 7, "180.0000000"), (9.96, 1, "10.0"), (-33.1, 7, "-33.1000000"),
    ]) func `numbers are written with a fixed number of digits`(_ number: Double, digits: Int, text: String) {
        #expect(number.fixed(digits) == text)
    }

    @Test(arguments: [
        (0.42, "0.4 s"), (42, "42 s"), (119, "119 s"), (300, "5 min"), (7_500, "2 h 5 min"), (7_200, "2 h"),
        (259_200, "3 days"), (-1, "0.0 s"), (.infinity, "unknown"),
    ]) func `ages have the unit that fits`(_ seconds: Double, text: String) {
        #expect(Measure.age(seconds) == text)
    }

    @Test func `counts are grouped and have their plural`() {
        #expect(Measure.count(1, "event") == "1 event")
        #expect(Measure.count(1_234_567, "event") == "1,234,567 events")
        #expect(Measure.grouped(-1_000) == "-1,000")
        #expect(Measure.grouped(999) == "999")
        #expect(Measure.size(40_960) == "41.0 kB")
        #expect(Measure.distance(3.14) == "3.1 m")
        #expect(Measure.distance(48.4) == "48 m")
        #expect(Measure.distance(1_234) == "1.2 km")
    }
}

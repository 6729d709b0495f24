import Location
import Testing

@Suite struct UTCTimeTests {
    @Test(arguments: [
        (0.0, 0 as Int64), (1.5, 1_500_000), (-0.25, -250_000), (1_780_300_809.25, 1_780_300_809_250_000),
        (1_780_300_809.000_000_2, 1_780_300_809_000_000), (4_102_444_799.999_999, 4_102_444_799_999_999),
    ]) func `seconds become microseconds, rounded`(seconds: Double, microseconds: Int64) {
        #expect(UTCTime(secondsSinceEpoch: seconds)?.microseconds == microseconds)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e19, -1e19])
    func `what is no moment is none`(seconds: Double) {
        #expect(UTCTime(secondsSinceEpoch: seconds) == nil)
    }

    @Test func `every microsecond of this century survives the way through seconds`() {
        // Steps that share no factor with a million, so that all kinds of fractions come up.
        for microseconds in stride(
            from: 946_684_800_000_000 as Int64, to: 4_102_444_800_000_000, by: 31_415_926_535_897)
        {
            #expect(
                UTCTime(secondsSinceEpoch: UTCTime(microseconds: microseconds).secondsSinceEpoch)?.microseconds
                    == microseconds)
        }
    }

    @Test func `moments are in order, and so far apart`() {
        let (earlier, later) = (UTCTime(microseconds: -1), UTCTime(microseconds: 2_500_000))
        #expect(earlier < later)
        #expect(later.seconds(since: earlier) == 2.500_001)
        #expect(earlier.seconds(since: later) == -2.500_001)
    }
}

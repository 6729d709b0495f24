import Location
import Testing

@Suite struct UTCTimeTests {
    @Test(arguments: [
        (0.0, 0 as Int64), (1.5, 1_500_000), (-0.25, -250_000), (1_780_300_809.25, 1_780_300_809_250_000),
        (1_780_300_809.000_000_2, 1_780_300_809_000_000), (4_102_444_799.999_999, 4_102_444_799_999_999),
    ]) func `seconds are rounded to microseconds`(seconds: Double, microseconds: Int64) {
        #expect(UTCTime(secondsSinceEpoch: seconds)?.microseconds == microseconds)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e19, -1e19])
    func `a number of seconds outside the range is rejected`(seconds: Double) {
        #expect(UTCTime(secondsSinceEpoch: seconds) == nil)
    }

    @Test func `every microsecond of this century survives the conversion to seconds and back`() {
        // The step shares no factor with a million, so that all kinds of fractions occur.
        for microseconds in stride(
            from: 946_684_800_000_000 as Int64, to: 4_102_444_800_000_000, by: 31_415_926_535_897)
        {
            #expect(
                UTCTime(secondsSinceEpoch: UTCTime(microseconds: microseconds).secondsSinceEpoch)?.microseconds
                    == microseconds)
        }
    }

    @Test func `times are ordered, and have a difference`() {
        let (earlier, later) = (UTCTime(microseconds: -1), UTCTime(microseconds: 2_500_000))
        #expect(earlier < later)
        #expect(later.seconds(since: earlier) == 2.500_001)
        #expect(earlier.seconds(since: later) == -2.500_001)
    }

    @Test(
        arguments: [
            (0, 6, "1970-01-01T00:00:00.000000Z"), (-1, 6, "1969-12-31T23:59:59.999999Z"),
            (-1_000_000, 3, "1969-12-31T23:59:59.000Z"), (1_800_000_000_000_417, 6, "2027-01-15T08:00:00.000417Z"),
            (1_800_000_000_999_999, 3, "2027-01-15T08:00:00.999Z"), (1_800_000_000_999_999, 0, "2027-01-15T08:00:00Z"),
            (951_782_400_250_000, 1, "2000-02-29T00:00:00.2Z"), (.min, 0, "0000-12-21T19:59:05Z"),
            (.max, 0, "9999-01-10T04:00:54Z"),
        ] as [(Int64, Int, String)])
    func `a time is written as RFC 3339`(_ microseconds: Int64, _ digits: Int, _ text: String) {
        #expect(UTCTime(microseconds: microseconds).iso8601(fraction: digits) == text)
    }
}

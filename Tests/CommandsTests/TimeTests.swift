import Testing

@testable import Commands

@Suite struct TimeTests {
    /// 2026-06-01T08:00:00Z.
    private let now = 1_780_300_800.0

    @Test(arguments: [
        ("now", 0), ("-2h", -7_200), ("2h ago", -7_200), ("10min", -600), ("1h30min ago", -5_400), ("90", -90),
        ("3 days ago", -259_200), ("-1.5h", -5_400), ("2026-06-01T08:00:00Z", 0), ("2026-06-01t10:00:00+02:00", 0),
        ("2026-06-01 07:30Z", -1_800), ("2026-05-31T22:00-09:30", -1_800), ("@1780300801.5", 1.5),
        ("2026-06-01T08:00:00.25Z", 0.25),
    ]) func `a time is parsed in the usual forms`(_ text: String, offset: Double) {
        #expect(TimeExpression.parse(text, now: now) == now + offset)
    }

    @Test(arguments: [
        "", "soon", "2h later", "-", "2x", "2026-13-01", "2026-02-30", "2026-06-01T25:00Z", "2026-06-01T08:60Z",
        "2026-06-01T", "1h30", "nan", "@inf", "--2h", "2026-06-01T08:00:00+99:00", "26-06-01",
    ]) func `an invalid time is refused`(_ text: String) {
        #expect(TimeExpression.parse(text, now: now) == nil)
    }

    @Test func `today begins at local midnight, and yesterday a day earlier`() throws {
        let today = try #require(TimeExpression.parse("today", now: now))
        let yesterday = try #require(TimeExpression.parse("yesterday", now: now))
        #expect(today <= now && now - today < 90_000)
        #expect(ZonedTime(today, in: .local)?.timeOfDay == "00:00:00")
        #expect(ZonedTime(yesterday, in: .local)?.timeOfDay == "00:00:00")
        #expect((82_800...90_000).contains(today - yesterday))
    }

    @Test(arguments: [
        (1_780_300_800.0, "2026-06-01T08:00:00Z"), (0, "1970-01-01T00:00:00Z"), (0.25, "1970-01-01T00:00:00.250Z"),
        (-0.5, "1969-12-31T23:59:59.500Z"), (951_782_400, "2000-02-29T00:00:00Z"),
    ]) func `a time is written in UTC`(_ seconds: Double, text: String) {
        #expect(ZonedTime(seconds, in: .utc)?.iso8601 == text)
    }

    @Test(arguments: [1e300, .nan, .infinity, 1e15]) func `a time beyond the calendar has no date`(_ seconds: Double) {
        #expect(ZonedTime(seconds, in: .utc) == nil)
    }
}

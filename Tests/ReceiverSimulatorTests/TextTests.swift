import Location
import Testing

@testable import ReceiverSimulator

struct TextTests {
    @Test(arguments: [
        (3.14159, 2, 1, "3.14"), (7, 0, 3, "007"), (-0.004, 2, 1, "0.00"), (-0.006, 2, 1, "-0.01"), (0.05, 1, 1, "0.1"),
        (9.999, 2, 2, "10.00"), (.nan, 1, 1, ""), (.infinity, 1, 1, ""), (1e15, 0, 1, ""),
    ])
    func `a number becomes text`(value: Double, fraction: Int, integer: Int, text: String) {
        #expect(Decimal.text(value, fraction: fraction, integer: integer) == text)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00.000Z", 0), ("2000-02-29T12:00:00.000Z", 951_825_600_000),
        ("2026-06-01T08:00:00.000Z", 1_780_300_800_000), ("2024-12-31T23:59:59.999Z", 1_735_689_599_999),
        ("2100-03-01T00:00:00.000Z", 4_107_542_400_000), ("1999-12-31T00:00:00.250Z", 946_598_400_250),
    ])
    func `a time is written and read as ISO 8601`(text: String, milliseconds: Int64) {
        let time = UTCTime(microseconds: milliseconds * 1000)
        #expect(time.iso8601(fraction: 3) == text)
        #expect(CivilTime(iso8601: text)?.time == time)
    }

    @Test(arguments: [
        "", "2026-06-01", "2026-06-01T08:00:00", "2026-13-01T08:00:00Z", "2026-02-29T08:00:00Z", "2026-06-31T08:00:00Z",
        "2026-06-01T24:00:00Z", "2026-06-01T08:60:00Z", "2026-06-01 08:00:00Z", "2026-06-01T08:00:00.Z",
        "2026-06-01T08:00:00.1234567Z", "1969-06-01T08:00:00Z", "2026-00-01T08:00:00Z", "+026-06-01T08:00:00Z",
    ])
    func `an invalid time is rejected`(text: String) {
        #expect(CivilTime(iso8601: text) == nil)
    }
}

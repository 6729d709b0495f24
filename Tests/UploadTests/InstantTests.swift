import Location
import Testing

@testable import Upload

@Suite struct InstantTests {
    @Test func `a wait beyond the range of the clock ends at its maximum`() {
        let now = Instant(monotonicNanoseconds: 1, utc: UTCTime(microseconds: 0))
        #expect(now.later(by: .seconds(Int64.max)) == .max)
        #expect(now.later(by: .seconds(-1)) == 1)
    }
}

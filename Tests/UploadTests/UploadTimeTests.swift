import Location
import Testing

@testable import Upload

@Suite struct UploadTimeTests {
    @Test func `a wait beyond the range of the clock ends at its maximum`() {
        let now = UploadTime(monotonic: 1, utc: UTCTime(microseconds: 0))
        #expect(now.later(by: .seconds(Int64.max)) == .max)
        #expect(now.later(by: .seconds(-1)) == 1)
    }
}

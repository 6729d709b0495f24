import Location
import Testing

@testable import Upload

@Suite struct UploadTimeTests {
    @Test func `a wait that is longer than the clock counts ends with the clock`() {
        let now = UploadTime(monotonic: 1, utc: UTCTime(microseconds: 0))
        #expect(now.later(by: .seconds(Int64.max)) == .max)
        #expect(now.later(by: .seconds(-1)) == 1)
    }
}

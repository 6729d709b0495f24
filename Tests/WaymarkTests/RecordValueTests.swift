import Location
import Testing

@testable import Waymark

@Suite struct RecordValueTests {
    @Test func `an empty list has the kind of its type, which the schema of a container compares`() {
        func kind(_ value: some RecordValueConvertible) -> String? {
            guard case .list(let list) = value.recordValue.field else { return nil }
            return list.kind.rawValue
        }
        #expect(kind([String]()) == "string")
        #expect(kind([Int]()) == "integer" && kind([Int64]()) == "integer")
        #expect(kind([Double]()) == "double")
        #expect(kind([UTCTime]()) == "date")
        #expect(kind([Coordinate]()) == "location" && kind([RecordLocation]()) == "location")
        #expect(kind([Record.Reference]()) == "reference")
        #expect(kind([Record.Asset]()) == "asset")
        #expect(kind([1, 2]) == "integer")
    }
}

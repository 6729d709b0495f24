import Location
import Testing

@Suite struct RecordingIDTests {
    @Test func `a recording's UUID is read in any case and written in lower case`() throws {
        let id = try #require(RecordingID("00000ABC-0def-4123-8456-00789abcdeF0"))
        #expect(id.description == "00000abc-0def-4123-8456-00789abcdef0")
        #expect(id == RecordingID(id.description))
        #expect(RecordingID(high: .max, low: 0).description == "ffffffff-ffff-ffff-0000-000000000000")
    }

    @Test(arguments: [
        "", "00000abc0def41238456000789abcdef0000", "00000abc-0def-4123-8456-00789abcdef",
        "+0000abc-0def-4123-8456-00789abcdef0",
        "00000abc-0def-4123-8456-00789abcdefg", "0000-0abc0def-4123-8456-00789abcdef0",
        "٠0000abc-0def-4123-8456-00789abcde",
    ]) func `a malformed UUID is rejected`(_ text: String) {
        #expect(RecordingID(text) == nil)
    }

    @Test func `a recorded position is identified by its recording and number`() throws {
        let coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
        let position = RecordedPosition(
            recording: RecordingID(high: 0, low: 1), sequence: 42,
            position: Position(timestamp: 0, coordinate: coordinate, horizontalAccuracy: 1))
        #expect(position.id == "00000000-0000-0000-0000-000000000001/42")
    }

    @Test(
        arguments: [
            (0, 1970, 1, 1, 0), (-1, 1969, 12, 31, 86_399_999_999), (951_782_400_000_000, 2000, 2, 29, 0),
            (-62_167_219_200_000_000, 0, 1, 1, 0), (253_402_300_799_999_999, 9999, 12, 31, 86_399_999_999),
        ] as [(Int64, Int, Int, Int, Int64)])
    func `a time has its day in the calendar`(
        _ microseconds: Int64, _ year: Int, _ month: Int, _ day: Int, _ ofDay: Int64
    ) {
        let civil = CivilTime(year: year, month: month, day: day, microsecondsOfDay: ofDay)
        #expect(CivilTime(UTCTime(microseconds: microseconds)) == civil)
        #expect(civil.time.microseconds == microseconds)
    }
}

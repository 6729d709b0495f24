import Platform
import Testing
import TestSupport

@testable import Replay

@Suite struct RecordingFileTests {
    private func seconds(_ recording: RecordingFile) -> [Double] {
        recording.parts.map { Double($0.offsetNanoseconds) / 1_000_000_000 }
    }

    private func recording(_ lines: String...) -> RecordingFile {
        RecordingFile(bytes: Array(lines.map { "\($0)\r\n" }.joined().utf8))
    }

    @Test func `comments before the first sentence are left out, and none after it`() {
        let recording = RecordingFile(bytes: Array("# Name: X\n#\n$GPGSA,A*00\n# not a comment\n".utf8))
        #expect(String(decoding: recording.bytes, as: UTF8.self) == "$GPGSA,A*00\n# not a comment\n")
    }

    @Test func `the parts are all the bytes whatever they are`() {
        var generator = SeededGenerator()
        for _ in 0..<300 {
            let alphabet: [UInt8] = Array("$!GPRMC,123456.7*\r\n#".utf8) + [0, 0x80, 0xff]
            let bytes = (0..<Int.random(in: 0...900, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            let recording = RecordingFile(bytes: [0x20] + bytes)
            #expect(recording.parts.flatMap { recording.bytes[$0.range] } == recording.bytes, "\(generator)")
            #expect(recording.parts.allSatisfy { !$0.range.isEmpty }, "\(generator)")
            let offsets = recording.parts.map(\.offsetNanoseconds)
            #expect(offsets == offsets.sorted(), "\(generator)")
        }
    }

    @Test func `a sentence is due at its own time, one without a time together with the one before it`() {
        let recording = recording(
            "$GPGSV,1,1,00*79", "$GPGGA,120000.00,,,,,0,,,,,,,,*00", "$GPGSA,A,1*00", "$GNRMC,120001.50,V*00",
            "$GPGSV,1,1,00*79", "$GPGLL,,,,,120002,V*00", "$GPZDA,120003.000000001,01,01,2024*00")
        #expect(seconds(recording) == [0, 0, 0, 1.5, 1.5, 2, 3.000000001])
        #expect(recording.timing == .sentences)
    }

    @Test(
        arguments: [
            ("235959", "000000", 1.0), ("120001", "120000", 0.0), ("123000", "120000", 1.0), ("120000", "120000", 0.0),
            ("120000", "120400", 240.0), ("120000", "121000", 600.0), ("120000", "121001", 1.0),
            ("120010", "120000", 0.0), ("120011", "120000", 1.0),
            ("000005", "235959", 0.0), ("120000", "", 0.0), ("120000", "999999", 0.0), ("120000", "12000x", 0.0),
        ])
    func `a step between two times of day is taken as the table says`(from: String, to: String, due: Double) {
        #expect(seconds(recording("$GPRMC,\(from),A*00", "$GPRMC,\(to),A*00")) == [0, due])
    }

    @Test(
        arguments: [
            ("drive", 349.0), ("parked-night", 35_760.0), ("silence", 89.0), ("clock-jump", 89.0), ("damaged", 89.0),
            ("ten-hertz", 19.9),
        ])
    func `a recording lasts as long as its receiver sent, whatever its clock said`(name: String, seconds: Double) throws
    {
        let recording = try RecordingFile(path: Products.fixture("\(name).nmea"))
        #expect(Double(recording.durationNanoseconds) / 1_000_000_000 == seconds)
    }

    @Test func `bytes without times are due at the speed of the line`() {
        let recording = RecordingFile(bytes: [UInt8](repeating: 0xb5, count: 600), baud: 9_600)
        #expect(recording.timing == .baud(9_600))
        #expect(recording.parts.map(\.range.count) == [256, 256, 88])
        #expect(recording.durationNanoseconds == 625_000_000)
    }

    @Test func `a file that is missing, empty or only comments is an error that says so`() throws {
        let directory = try TemporaryDirectory()
        let missing = directory.file("none.nmea")
        #expect(throws: ReplayError.self) { try RecordingFile(path: missing) }
        let comments = try directory.write("comments.log", "# only\n# comments")
        #expect(throws: ReplayError.empty(path: comments)) { try RecordingFile(path: comments) }
    }
}

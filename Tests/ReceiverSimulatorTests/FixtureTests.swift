import Glibc
import ReceiverSimulator
import Testing

struct FixtureTests {
    @Test(arguments: Preset.all.map(\.name))
    func `making a fixture again gives the same bytes`(name: String) throws {
        let preset = try #require(Preset.named(name))
        let recording = Recording(preset.scenario(), seed: 1)
        let made = Array(recording.header.utf8) + recording.flatMap(\.bytes)
        #expect(try Fixture.bytes(name + ".nmea") == made, "make fixtures, and look at what has changed")
    }

    @Test func `the list of fixtures says how each was made`() throws {
        let text = String(decoding: try Fixture.bytes("README.md"), as: UTF8.self)
        for name in Preset.all.map(\.name) {
            let command = "`waymark-simulator make \(name) --output Tests/Fixtures/\(name).nmea`"
            #expect(text.contains("| `\(name).nmea` | \(command) |"))
        }
    }

    @Test(arguments: Preset.all.map(\.name))
    func `a fixture is small`(name: String) throws {
        #expect(try Fixture.bytes(name + ".nmea").count <= (name == "drive" ? 150_000 : 60_000))
    }
}

/// The recordings that are kept with the tests.
enum Fixture {
    /// All bytes of a file of Tests/Fixtures, which must be shorter than a mebibyte.
    static func bytes(_ name: String, of testFile: String = #filePath) throws -> [UInt8] {
        let tests = testFile.split(separator: "/").dropLast(2).joined(separator: "/")
        let descriptor = open("/\(tests)/Fixtures/\(name)", O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0, "cannot open \(name)")
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled)
            }
            try #require(count >= 0, "cannot read \(name)")
            if count == 0 { break }
            filled += count
        }
        try #require(filled < bytes.count, "\(name) is too long")
        return Array(bytes.prefix(filled))
    }
}

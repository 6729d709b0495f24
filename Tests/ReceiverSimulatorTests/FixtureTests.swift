import Platform
import ReceiverSimulator
import TestSupport
import Testing

struct FixtureTests {
    private func bytes(_ name: String) throws -> [UInt8] {
        try BoundedFile.bytes(of: Products.fixture(name), limit: 1 << 20)
    }

    @Test(arguments: Preset.all.map(\.name))
    func `making a fixture again gives the same bytes`(name: String) throws {
        let preset = try #require(Preset.named(name))
        let recording = Recording(preset.scenario(), seed: 1)
        let made = Array(recording.header.utf8) + recording.flatMap(\.bytes)
        #expect(try bytes(name + ".nmea") == made, "make fixtures, and look at what has changed")
    }

    @Test func `the list of fixtures says how each was made`() throws {
        let text = String(decoding: try bytes("README.md"), as: UTF8.self)
        for name in Preset.all.map(\.name) {
            let command = "`waymark-simulator make \(name) --output Tests/Fixtures/\(name).nmea`"
            #expect(text.contains("| `\(name).nmea` | \(command) |"))
        }
    }

    @Test(arguments: Preset.all.map(\.name))
    func `a fixture is small`(name: String) throws {
        #expect(try bytes(name + ".nmea").count <= (name == "drive" ? 150_000 : 60_000))
    }
}

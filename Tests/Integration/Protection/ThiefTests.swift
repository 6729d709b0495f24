import Cryptography
import Glibc
import Interfaces
import Location
import Platform
import Protection
import TestClients
import TestSupport
import TestTraits
import Testing

/// A thief has the state directory of a locked machine, taken while it records, with the machine's secret in it, but
/// no passphrase.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct ThiefTests {
    /// The encodings in which a coordinate could be in a file or in memory.
    private static func encodings(_ position: Position) -> [[UInt8]] {
        [position.coordinate.latitude, position.coordinate.longitude].flatMap(CoordinateEncodings.all)
    }

    private static func found(_ needles: [[UInt8]], in bytes: [UInt8]) -> Int {
        needles.count { Bytes.contains($0, in: bytes) }
    }

    @Test func `an image of the state directory of a locked machine has no coordinate`() throws {
        let scene = try ProtectionScene()
        let state = scene.apps.directory.file("state")
        // Some are recorded before there is a passphrase, and are sealed again.
        try scene.wait(for: 20)
        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        try scene.wait(for: 20)
        #expect(try eventually(within: 60) { try scene.status().rowsToSeal == 0 })
        try scene.lock()
        let last = try scene.wait(for: 20)
        let image = try DirectoryListing.files(state)
        #expect(image.map(\.name).contains("journal.db") && image.map(\.name).contains("machine.secret"))
        try scene.unlock()
        let positions = try scene.readAll().filter { $0.sequence <= last }.map(\.position)
        #expect(positions.count == Int(last))
        let needles = positions.flatMap(Self.encodings)
        // The scanner finds what is planted in an image, at any offset.
        for needle in needles.prefix(40) {
            #expect(Self.found([needle], in: image[0].bytes + [1, 2, 3] + needle + [4]) == 1)
        }
        for (name, bytes) in image { #expect(Self.found(needles, in: bytes) == 0, "\(name)") }
    }
}

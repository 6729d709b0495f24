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

/// A thief has a locked machine that runs and records, and reads the memory of its daemon.
@Suite(
    .waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"),
    .enabled(if: ProcessMemory.isReadable, "a sanitizer's memory is too large to be copied"))
struct ThiefMemoryTests {
    /// The environment of the installed daemon: its unit has the allocator overwrite what is freed.
    private static func surroundings() throws -> DaemonSurroundings {
        let file = try Products.file("systemd/waymark.service")
        let unit = String(decoding: try BoundedFile.bytes(of: file, limit: 65_536), as: UTF8.self)
        let prefix = "Environment=GLIBC_TUNABLES="
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix(prefix) })
        var surroundings = DaemonSurroundings()
        surroundings.environment = [String(line.dropFirst("Environment=".count))]
        return surroundings
    }

    private static func encodings(_ positions: some Sequence<RecordedPosition>) -> Set<[UInt8]> {
        Set(
            positions.flatMap { [$0.position.coordinate.latitude, $0.position.coordinate.longitude] }
                .flatMap(CoordinateEncodings.all))
    }

    /// Whether a position is in the memory. An encoding of five bytes is somewhere in many megabytes by chance, which both of a
    /// position's are not.
    private static func isFound(
        _ position: RecordedPosition, besides later: Set<[UInt8]>, in memory: ProcessMemory
    ) -> Bool {
        let coordinate = position.position.coordinate
        let (latitude, longitude) = (
            CoordinateEncodings.all(of: coordinate.latitude), CoordinateEncodings.all(of: coordinate.longitude)
        )
        func isFound(_ encoding: [UInt8]) -> Bool { !later.contains(encoding) && memory.contains(encoding) }
        return (latitude + longitude).contains { $0.count >= 8 && isFound($0) }
            || zip(latitude, longitude).contains { $0.count < 8 && isFound($0) && isFound($1) }
    }

    @Test func `the memory of a locked daemon has neither earlier coordinates nor the passphrase`() throws {
        let scene = try ProtectionScene(surroundings: Self.surroundings())
        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        try scene.wait(for: 30)
        // After an interruption many positions arrive, and are stored, at once. Buffers that are used again had more then than
        // ever after, and must not retain the rest.
        let witness = try GPSDWitness(scene.receiver.address)
        defer { witness.stop() }
        scene.daemon.signal(SIGSTOP)
        #expect(witness.waitForMore(50))
        scene.daemon.signal(SIGCONT)
        try scene.wait(for: 60)
        // An app reads the positions, so that they are in replies, too: also of a stream, which waits for more.
        #expect(try scene.readAll().count >= 30)
        let stream = try scene.app()
        try stream.begin(
            RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":0,"limit":20,"wait":true}"#,
            more: true)
        for _ in 0..<2 { _ = try #require(try stream.next()) }
        try scene.lock()
        // The last seconds are in memory until they are on the disk: positions are committed once a second.
        let newest = try scene.wait(for: 100)
        let memory = try ProcessMemory(of: scene.daemon.processID)
        try scene.unlock()
        let positions = try scene.readAll()
        let earlier = positions.filter { $0.sequence <= newest - 70 }
        let later = Self.encodings(positions.filter { $0.sequence > newest - 70 })
        let needles = Self.encodings(earlier).subtracting(later)
        #expect(needles.count > 20 * earlier.count / 2, "\(earlier.count) positions differ too little")
        // The search finds what is there: the newest positions.
        #expect(later.contains { memory.contains($0) })
        // How many positions before the newest one each of these was.
        let found = earlier.filter { Self.isFound($0, besides: later, in: memory) }.map { newest - $0.sequence }
        #expect(found == [], "of \(earlier.count), the newest \(newest)")
        #expect(!memory.contains(Array(ProtectionScene.passphrase.utf8)))
    }

    @Test func `no key of a class that is locked is in the memory of a locked daemon`() throws {
        let scene = try ProtectionScene(surroundings: Self.surroundings())
        let state = scene.apps.directory.file("state")
        try scene.protection("set-passphrase", input: [ProtectionScene.passphrase])
        try scene.wait(for: 5)
        let machine = try #require(SymmetricKey(try Secret(reading: "\(state)/machine.secret")))
        let text = try BoundedFile.bytes(of: "\(state)/protection.keys", limit: 65_536)
        let file = try KeyFile(text: text, machine: machine)
        let keys = try file.unlock(with: .passphrase(try Secret(ProtectionScene.passphrase)), machine: machine)
        let classes = [ProtectionClass.complete, .completeUnlessOpen, .completeUntilFirstUnlock]
        let needles = try classes.map { try #require(keys[$0]).withCopy { $0 } }
        func found() throws -> [Bool] { try ProcessMemory.contains(needles, in: scene.daemon.processID) }
        // The search finds the keys while they are there.
        #expect(try found() == [true, true, true])
        try scene.lock()
        try scene.wait(for: 5)
        #expect(try found() == [false, false, true])
        try scene.unlock()
        #expect(try found() == [true, true, true])
    }
}

import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink
import Waymark

/// Regions of a machine with a passphrase.
@Suite(.waits, .timeLimit(.minutes(15))) struct LockedRegionTests {
    private static let identifier = "the-house-by-the-river"

    private let directory: TemporaryDirectory
    private let scene: RegionScene

    init() throws {
        directory = try TemporaryDirectory()
        scene = try RegionScene(in: directory)
        try scene.add([RegionScene.circle(Self.identifier, north: 0)])
        try scene.waitForDemand()
        scene.drive(0..<20) { 15 * Double($0) - 300 }
        #expect(
            try eventually(within: Patience.daemon) { try scene.monitors().first?.last == 2 }, "\(scene.daemon.log)")
    }

    /// The files in the state directory that have the name of the region.
    private func readable() throws -> [String] {
        let needle = Array(Self.identifier.utf8)
        return try DirectoryListing.files(directory.file("state"))
            .filter { Bytes.contains(needle, in: $0.bytes) }.map(\.name)
    }

    /// The error of a call.
    private func error<Reply>(_ call: () throws -> Reply) throws -> ErrorName? {
        do { _ = try call() } catch VarlinkError.reply(let name, _) { return ErrorName(rawValue: name) }
        return nil
    }

    private func setPassphrase() throws {
        try scene.daemon.protection(["set-passphrase"], input: [ProtectionScene.passphrase])
        #expect(try eventually(within: Patience.daemon) { try readable().isEmpty }, "\(scene.daemon.log)")
    }

    /// Unlocks the data. Only then are there regions that need the receiver.
    private func unlock() throws {
        let connections = scene.gpsd.connections
        try scene.daemon.protection(["unlock"], input: [ProtectionScene.passphrase])
        try #require(
            eventually(within: Patience.daemon) { scene.gpsd.connections > connections }, "\(scene.daemon.log)")
        #expect(eventually(within: Patience.daemon) { (try? scene.monitors().first?.last) == 2 })
    }

    @Test func `regions are sealed when a passphrase is set, and are monitored without a pause`() throws {
        #expect(try !readable().isEmpty)
        let stream = try scene.stream()
        try setPassphrase()
        scene.drive(60..<90) { 15 * Double($0 - 60) + 10 }
        #expect(
            try scene.words(stream, 3).suffix(2) == ["2 entered \(Self.identifier)", "3 left \(Self.identifier)"],
            "\(scene.daemon.log)")
        #expect(try readable().isEmpty)
        #expect(try scene.show().map(\.region.identifier) == [Self.identifier])
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `after a start, regions are closed until the first unlock, and monitored while the machine is locked again`(
        _ signal: Int32
    ) async throws {
        try setPassphrase()
        scene.daemon.signal(signal)
        try scene.daemon.restart()
        let list = try scene.daemon.waymark("regions", "list")
        #expect(list.status != .exited(0) && list.error.contains("waymark unlock"), "\(list.error)")
        #expect(
            try error { try scene.add([RegionScene.circle("other", north: 100)]) } == .regionsProtectedDataUnavailable)
        #expect(try error { try scene.show() } == .regionsProtectedDataUnavailable)
        // A stream goes on by itself, also one whose client is the library.
        let waiting = try scene.stream(after: 1)
        let client = WaymarkClient(socketPath: scene.daemon.socketPath)
        let monitor = try await client.monitor("m")
        let event = Task {
            for try await event in monitor.events(after: 1) { return event.sequence as Int64? }
            return nil
        }
        await #expect {
            try await monitor.add(
                .circle(center: try #require(Coordinate(latitude: 1, longitude: 2)), radius: 9), identifier: "z")
        } throws: { ($0 as? WaymarkError)?.isProtectedDataUnavailable == true }
        #expect(waiting.replies.isEmpty && waiting.ending == nil)
        try unlock()
        #expect(try scene.words(waiting, 1).map { $0.prefix(2) } == ["2 "], "\(scene.daemon.log)")
        #expect(try await event.value == 2)
        try scene.waitForDemand()
        try scene.daemon.protection(["lock"])
        let operators = try OperatorClient(scene.daemon)
        #expect(
            try eventually(within: 60) {
                try operators.client.call(ProtectionInterface.Status(), timeout: .seconds(60)).status.state == .locked
            })
        scene.drive(80..<110) { 15 * Double($0 - 80) + 10 }
        let stream = try scene.stream()
        #expect(try scene.words(stream, 3).last == "3 left \(Self.identifier)", "\(scene.daemon.log)")
        #expect(try readable().isEmpty)
    }

    @Test func `the regions of another key, or without their key, are left as they are`() throws {
        try setPassphrase()
        #expect(try scene.daemon.stop() == .exited(0))
        let state = directory.file("state")
        let (key, regions) = ("\(state)/regions.key", "\(state)/regions.sealed")
        let (stored, before) = (
            try BoundedFile.bytes(of: key, limit: 4_096), try BoundedFile.bytes(of: regions, limit: 1 << 28)
        )
        for change in [stored.dropLast(1) + [stored.last == 0x30 ? 0x31 : 0x30], [], nil] as [[UInt8]?] {
            unlink(key)
            if let change {
                try DurableFile.replace("regions.key", in: state, with: change, noun: "the test's key")
            }
            try scene.daemon.restart()
            try scene.daemon.waitForJournal()
            try scene.daemon.protection(["unlock"], input: [ProtectionScene.passphrase])
            let list = try scene.daemon.waymark("regions", "list")
            #expect(list.status != .exited(0) && list.error.contains("restore it"), "\(list.error)")
            #expect(try error { try scene.show() } == .regionsRegionsUnavailable)
            #expect(try scene.daemon.stop() == .exited(0))
            #expect(try BoundedFile.bytes(of: regions, limit: 1 << 28) == before)
        }
        try DurableFile.replace("regions.key", in: state, with: stored, noun: "the test's key")
        try scene.daemon.restart()
        try scene.daemon.waitForJournal()
        try unlock()
    }
}

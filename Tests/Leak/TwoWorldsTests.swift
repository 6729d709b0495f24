import Cryptography
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

@testable import Daemon

/// A search for unknown channels: everything that a client sees of every method, in two worlds that differ
/// only in the client's secrets, compared byte by byte and event by event.
@Suite(.serialized, .waits, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct TwoWorldsTests {
    private static let steps = 6

    init() {
        LoopThread.start()
    }

    private func transcript(
        _ spy: ObservedWorld.Spy, _ secret: ObservedWorld.Secret, _ key: [UInt8]
    ) async throws -> [String] {
        let world = try await ObservedWorld(spy, secret, key: key)
        try await world.play()
        return await world.transcript
    }

    private func compare(_ one: [String], _ other: [String], _ comment: String) {
        // Compared outside the expectation, which would print all of it.
        let difference = zip(one, other).first { $0 != $1 }
        #expect(difference?.0 == difference?.1, "\(comment)")
        #expect(one.count == other.count, "\(comment)")
    }

    @Test(arguments: ObservedWorld.Spy.allCases)
    func `a client sees the same in two worlds that differ only in secrets`(_ spy: ObservedWorld.Spy)
        async throws
    {
        var generator = SeededGenerator()
        let directory = try TemporaryDirectory()
        let deviceKey = try DeviceKeyFile(stateDirectory: directory.path).load().key
        let key = try BoundedFile.bytes(of: directory.file("device.key"), limit: 100)
        let device = Device(deviceKey)
        let home = try Coordinate.random(using: &generator)
        var plain = ObservedWorld.Secret(places: Array(repeating: home, count: Self.steps))
        let first = try await transcript(spy, plain, key)
        #expect(first.count > 700)
        // A latitude is also in the spy's own regions.
        #expect(first.contains { $0.contains(#""horizontalAccuracy""#) } == (spy == .reduced))
        let again = try await transcript(spy, plain, key)
        compare(first, again, "the same world twice, \(generator)")

        plain.places = try plain.places.map { place in
            switch spy {
            case .undetermined, .denied: try Coordinate.random(using: &generator)
            case .reduced: try device.stranger(to: place, using: &generator)
            }
        }
        compare(first, try await transcript(spy, plain, key), "another place, \(generator)")
        var tunnels = plain
        tunnels.hasTunnels = true
        compare(first, try await transcript(spy, tunnels, key), "tunnels, \(generator)")
        var used = plain
        used.isOtherUsed = true
        compare(first, try await transcript(spy, used, key), "another app's use, \(generator)")
    }
}

import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import Testing
import Varlink

/// Revocation is linear for events of regions too: once `Authorize(deny)` has returned, none reaches any client of the app,
/// whether it was decided, stored or queued before.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct RegionRevocationTests {
    private static let revocations = getenv("WAYMARK_REVOCATIONS").flatMap { Int(String(cString: $0)) } ?? 20
    private static let clients = 40

    @Test(.timeLimit(.minutes(60)))
    func `after a revocation has returned no client of the app gets a further event`() throws {
        let apps = try TestApps()
        try apps.add("trailmap", name: "Trail Map", program: try TestApps.ownProgram())
        // Positions come also while no app needs them.
        let scene = try RegionScene(
            in: apps.directory, configuration: apps.configuration(),
            receiver: "[Receiver]\nStaleAfter=1h\nReleaseAfter=1h\n")
        let manage = try OperatorClient(scene.daemon)
        func connect() throws -> RawConnection {
            try RawConnection(adopting: OtherUser.connect(to: scene.daemon.socketPath))
        }
        let own = try Client(adopting: OtherUser.connect(to: scene.daemon.socketPath))
        try scene.add((0..<50).map { RegionScene.circle("pile \($0)", north: 0, radius: 50 + Double($0)) }, by: own)
        var random = SeededGenerator(seed: 11)
        var second = 0
        var (before, late, unreported) = (0, 0, 0)
        for _ in 0..<Self.revocations {
            try manage.authorize("trailmap", .always, uid: OtherUser.nobody)
            try scene.waitForDemand()
            let streams = try (0..<Self.clients).map { _ in try connect() }
            for stream in streams {
                let call = #"{"method":"io.waymark.Regions.Monitor","parameters":{"monitor":"m"},"more":true}"#
                #expect(try stream.send(message: call) == .everything)
            }
            // Each report is far inside or far outside all regions, so that it makes 50 events.
            func jump() {
                second += 1
                scene.gpsd.send(scene.report(second, north: second % 2 == 0 ? 0 : 400, speed: 400))
            }
            for _ in 0..<Int.random(in: 3...40, using: &random) { jump() }
            // The first half of them reads; a random part of a second later the authorization is withdrawn.
            for stream in streams.prefix(Self.clients / 2) {
                before += try stream.read(messages: 1) == nil ? 0 : 1
            }
            for _ in 0..<Int.random(in: 0...40, using: &random) { jump() }
            try manage.authorize("trailmap", .deny, uid: OtherUser.nobody)
            // What was sent before is in the kernel's buffers, up to the error or the end of the connection.
            for stream in streams {
                let (bytes, isClosed) = try stream.readArrived()
                let text = String(decoding: bytes, as: UTF8.self)
                if !isClosed, !text.contains(ErrorName.denied.rawValue) { unreported += 1 }
            }
            for _ in 0..<10 { jump() }
            for stream in streams {
                let again =
                    #"{"method":"io.waymark.Regions.Monitor","parameters":{"monitor":"m","after":0},"more":true}"#
                _ = try stream.send(message: again)
            }
            let info = try connect()
            #expect(try info.isAnswered)
            for stream in streams {
                let (bytes, _) = try stream.readArrived()
                if String(decoding: bytes, as: UTF8.self).contains("\"sequence\"") { late += 1 }
            }
        }
        print("\(Self.revocations) revocations among \(Self.clients) clients: \(late) late, \(unreported) not notified")
        #expect(late == 0 && unreported == 0)
        #expect(before == Self.revocations * Self.clients / 2)
        #expect(try scene.monitors(own).first?.pending == 0)
    }
}

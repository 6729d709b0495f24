import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Revocation is linear for everything that is derived from positions too: once `Authorize(deny)` has returned, no event of a
/// region, visit, heading, report of satellites or significant change reaches any client of the app, whether it was decided,
/// stored or queued before.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct PlaceRevocationTests {
    private static let revocations = 20
    /// Clients of each stream.
    private static let clients = 10

    /// A stream, and what a message of it contains that is no error.
    private enum Stream: String, CaseIterable {
        case regions = #"{"method":"io.waymark.Regions.Monitor","parameters":{"monitor":"m","after":0},"more":true}"#
        case visits = #"{"method":"io.waymark.Location.MonitorVisits","parameters":{"since":0},"more":true}"#
        case headings = #"{"method":"io.waymark.Location.MonitorHeading","parameters":{"headingFilter":0},"more":true}"#
        case satellites = #"{"method":"io.waymark.Location.MonitorSatellites","more":true}"#
        case significantChanges =
            #"{"method":"io.waymark.Location.Monitor","parameters":{"significantChanges":true},"more":true}"#

        /// A stay makes a visit only after some minutes.
        func isBusy(staying: Bool) -> Bool { staying || self != .visits }
    }

    /// A machine that jumps between two places, at each report or once it has stayed for 400 s.
    private struct Journey {
        let scene: RegionScene
        var second = 0
        var reports = 0
        var isThere = false

        mutating func report(staying: Bool) {
            reports += 1
            let jumps = !staying || reports % 41 == 0
            second += jumps ? 1 : 10
            isThere = jumps ? !isThere : isThere
            scene.gpsd.send(
                scene.report(second, north: isThere ? 0 : 400, speed: jumps ? 400 : 0)
                    + #"{"class":"ATT","device":"\#(ScriptedGPSD.device)","heading":\#(reports % 360)}"# + "\r\n"
                    + ScriptedGPSD.sky(satellites: 8))
        }
    }

    @Test(.timeLimit(.minutes(15)))
    func `after a revocation has returned no client of the app gets anything derived from a position`() throws {
        let apps = try TestApps()
        try apps.add("trailmap", name: "Trail Map", program: try TestApps.ownProgram())
        // Positions come also while no app needs them.
        let scene = try RegionScene(
            in: apps.directory, configuration: apps.configuration(),
            receiver: "[Receiver]\nStaleAfter=1h\nReleaseAfter=1h\nPower=continuous\n")
        let manage = try OperatorClient(scene.daemon)
        func connect() throws -> RawConnection {
            try RawConnection(adopting: OtherUser.connect(to: scene.daemon.socketPath))
        }
        let own = try Client(adopting: OtherUser.connect(to: scene.daemon.socketPath))
        try scene.add((0..<50).map { RegionScene.circle("pile \($0)", north: 0, radius: 50 + Double($0)) }, by: own)
        var random = SeededGenerator(seed: 11)
        var journey = Journey(scene: scene)
        var (before, late, unreported) = ([Stream: Int](), 0, 0)
        for round in 0..<Self.revocations {
            // Jumps make 50 events of regions each, and stays make visits.
            let staying = round % 2 == 1
            try manage.authorize("trailmap", .always, uid: OtherUser.nobody)
            try scene.waitForDemand()
            let streams = try Stream.allCases.flatMap { stream in
                try (0..<Self.clients).map { index in
                    let client = try connect()
                    #expect(try client.send(message: stream.rawValue) == .everything)
                    return (stream, index, client)
                }
            }
            // Reports that the daemon reads before the calls would not be observed. The status counts streams of regions elsewhere.
            let counted = streams.count - Self.clients
            try #require(try eventually { try manage.status().clients.streams == counted }, "\(scene.daemon.log)")
            for _ in 0..<(staying ? 90 : 0) + Int.random(in: 3...40, using: &random) {
                journey.report(staying: staying)
            }
            // The first half of the clients reads; a random part of a second later the authorization is withdrawn.
            for (stream, index, client) in streams where index < Self.clients / 2 && stream.isBusy(staying: staying) {
                guard let text = try client.read(messages: 1), !text.contains("\"error\"") else { continue }
                before[stream, default: 0] += 1
            }
            for _ in 0..<Int.random(in: 0...40, using: &random) { journey.report(staying: staying) }
            try manage.authorize("trailmap", .deny, uid: OtherUser.nobody)
            // What was sent before is in the kernel's buffers, up to the error or the end of the connection.
            for (_, _, client) in streams {
                let (bytes, isClosed) = try client.readArrived()
                let text = String(decoding: bytes, as: UTF8.self)
                if !isClosed, !text.contains(ErrorName.denied.rawValue) { unreported += 1 }
            }
            for _ in 0..<10 { journey.report(staying: staying) }
            for (stream, _, client) in streams { _ = try client.send(message: stream.rawValue) }
            let info = try connect()
            #expect(try info.isAnswered)
            for (stream, _, client) in streams {
                let (bytes, _) = try client.readArrived()
                for message in bytes.split(separator: 0) {
                    let text = String(decoding: message, as: UTF8.self)
                    guard !text.contains(ErrorName.denied.rawValue) else { continue }
                    late += 1
                    Issue.record("\(stream) after the revocation: \(text)")
                }
            }
        }
        let counts = before.values.reduce(0, +)
        print("\(Self.revocations) revocations: \(counts) before, \(late) late, \(unreported) not notified")
        #expect(late == 0 && unreported == 0)
        let read = Self.revocations * Self.clients / 2
        #expect(
            before == [
                .regions: read, .visits: read / 2, .headings: read, .satellites: read, .significantChanges: read,
            ])
        // The storage thread erases after the reply; until then nothing that is stored is disclosed.
        #expect(try eventually { try scene.monitors(own).first?.pending == 0 })
    }
}

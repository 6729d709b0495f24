import Platform
import TestSupport
import Testing
import Upload

@testable import UploadService

/// Which events an uploader receives from its monitor of regions.
@Suite(.timeLimit(.minutes(15))) struct RegionLinkTests {
    init() { LoopThread.start() }

    private static let yard =
        #"{"type":"Feature","id":"yard","properties":{"radius":50},"geometry":{"type":"Point","coordinates":[8,47]}}"#

    /// The numbers of the events whose transitions were sent, in order.
    @DaemonActor private static func transitions(_ scene: Scene) -> [Int64] {
        scene.destination.sent.compactMap { transfer in
            guard case .transition(let transition)? = transfer.message else { return nil }
            return transition.sequence
        }
    }

    @Test @DaemonActor
    func `the events of a monitor that was made while the app might not have them are all sent later`() async throws {
        let directory = try TemporaryDirectory()
        var configuration = Scene.configuration(.owntracks)
        configuration.owntracks.regionsFile = try directory.write("home.geojson", Self.yard)
        let scene = try await Scene.make(configuration)
        defer { withExtendedLifetime(directory) { scene.end() } }
        let monitor = scene.daemon.regions
        scene.process.start()
        try await scene.eventually("the monitor is made") { !monitor.regions.isEmpty }
        monitor.cross(3)
        try await scene.eventually("acknowledged") { monitor.acknowledgements.last == 3 }
        #expect(Self.transitions(scene) == [1, 2, 3])
        scene.daemon.accuracy = .reduced
        monitor.erase()
        try await scene.eventually("refused") { monitor.refusals > 0 }
        try #require(!monitor.regions.isEmpty, "there is another monitor")
        monitor.cross(4)
        scene.daemon.accuracy = .full
        // The uploader may not watch the authorization yet; then the first report that it gets permits the events.
        scene.daemon.allow()
        try await scene.eventually("acknowledged again") { monitor.acknowledgements.last == 4 }
        #expect(Self.transitions(scene) == [1, 2, 3, 1, 2, 3, 4])
    }
}

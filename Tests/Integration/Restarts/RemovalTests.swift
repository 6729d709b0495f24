import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Rights that were withdrawn from an app before the daemon ended or while it was stopped.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct RemovalTests {
    private let scene: RestorationScene

    init() throws { scene = try RestorationScene() }

    /// The action that withdraws rights from an app, before the daemon ends or while it is stopped.
    enum Removal: String, CaseIterable {
        case reset, denied, servicesOff, purgedBefore, purged, restricted, bindingChanged

        /// Whether it happens while the daemon is stopped.
        var isMeanwhile: Bool { self == .purged || self == .restricted || self == .bindingChanged }
    }

    private func apply(_ removal: Removal, _ path: String) throws {
        switch removal {
        case .reset:
            try OperatorClient(path).call(.reset) {
                ManageInterface.Reset(app: "trailmap", uid: OtherUser.nobody).write(to: &$0)
            }
        case .denied: try OperatorClient(path).authorize("trailmap", .deny, uid: OtherUser.nobody)
        case .servicesOff:
            try OperatorClient(path).call(.setServicesEnabled) {
                ManageInterface.SetServicesEnabled(enabled: false).write(to: &$0)
            }
        case .purgedBefore, .purged:
            try retrying("remove") { unlink(scene.apps.directory.file("apps/trailmap.app")) }
            if removal == .purgedBefore {
                #expect(try eventually { try OperatorClient(path).app("trailmap")?.manifest == nil })
            }
        case .restricted: try scene.apps.restrict("[Restrictions]\nDenyApps=trailmap\n")
        case .bindingChanged:
            try scene.apps.add("trailmap", name: "Trail Map", program: "/usr/bin/trailmap", "Record=yes")
        }
    }

    @Test(arguments: Removal.allCases, [SIGTERM, SIGKILL])
    func `a withdrawn right is not restored`(_ removal: Removal, _ signal: Int32) throws {
        defer { scene.receiver.stop() }
        let host = try scene.host()
        // An app that may record always, and was allowed once before: the later decision counts for both.
        let app = try scene.streamingOnce(host.socketPath)
        let recorder = try AppClient(scene.program, to: host.socketPath)
        let started = try recorder.call(
            RecordingInterface.Method.start.rawValue, #"{"identifier":"trip","options":{"onRevoke":"keep"}}"#)
        #expect(started.error == nil, "\(started)")
        let holder = try AppClient(scene.program, to: host.socketPath)
        try holder.begin(LocationInterface.Method.holdInUse.rawValue, more: true)
        #expect(try holder.next()?.error == nil)
        #expect(try eventually { try recordings(host.socketPath).first.map { $0.last > 3 } ?? false })
        if !removal.isMeanwhile { try apply(removal, host.socketPath) }
        try host.kill(signal)
        if removal.isMeanwhile { try apply(removal, host.socketPath) }
        try app.drain()
        try host.start()
        #expect(try scene.position(app, seconds: 1) == nil, "\(host.log.suffix(3_000))")
        // The recording is known and does not continue; it does not need the receiver.
        let recording = try #require(try recordings(host.socketPath).first)
        #expect(recording.state != "recording", "\(recording)")
        let before = recording.last
        let fresh = try AppClient(scene.program, to: host.socketPath)
        #expect(try fresh.call(LocationInterface.Method.getPosition.rawValue).error != nil)
        #expect(try fresh.next(seconds: 0.5) == nil)
        #expect(try recordings(host.socketPath).first?.last == before)
        if removal == .purged || removal == .purgedBefore || removal == .bindingChanged {
            #expect(try OperatorClient(host.socketPath).app("trailmap")?.isInUse != true)
            let ending = try holder.next()
            #expect(
                signal == SIGKILL || ending?.error != nil, "the session of a program that is no longer an app continues"
            )
        }
    }

    private func recordings(_ path: String) throws -> [KnownRecording] {
        try OperatorClient(path).recordings()
    }
}

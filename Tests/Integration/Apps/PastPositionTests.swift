import Glibc
import Interfaces
import JSONText
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Access to positions from before an authorization, and to recent satellites.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "starting programs as another user needs root"))
struct PastPositionTests {
    private static let early = OtherUser.nobody
    private static let late: UInt32 = 4_242

    @Test
    func `no app gets positions from before it was authorized, and no client those from before services were off`()
        throws
    {
        let apps = try TestApps()
        let program = try apps.program("trailmap")
        try apps.add("trailmap", name: "Trail Map", program: program)
        let gpsd = try ScriptedGPSD()
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration() + "[Receiver]\nStaleAfter=1s\n", gpsd: gpsd.address)
        let manage = try OperatorClient(daemon)
        try manage.authorize("trailmap", .always, uid: Self.early)
        let reader = try UpdateReader(daemon.socketPath)
        defer { reader.stop() }
        try #require(eventually { gpsd.received.contains("?WATCH") }, "\(daemon.log)")
        gpsd.send(ScriptedGPSD.sky(satellites: 8))
        gpsd.sendPosition()
        #expect(reader.firstPosition() != nil, "\(daemon.log)")
        // The receiver falls silent; the connection stays open, as a client streams.
        #expect(try eventually { try manage.call(.status)["status"]?["fix"] == nil })

        func ask(_ method: LocationInterface.Method, as user: UInt32) throws -> Reply {
            let app = try AppClient(program, to: daemon.socketPath, as: user)
            let seconds = method == .getPosition ? 10.0 : 20
            try app.begin(method.rawValue, #"{"maximumAge":600,"timeout":0.2}"#)
            let reply = try #require(try app.next(seconds: seconds), "no reply to \(method)")
            try app.kill()
            return reply
        }
        let earlier = try ask(.getPosition, as: Self.early)
        #expect(earlier.parameters["position"] != nil, "\(earlier.parameters)")
        #expect(try ask(.getSatellites, as: Self.early).parameters["sky"] != nil)
        try manage.authorize("trailmap", .always, uid: Self.late)
        #expect(try ask(.getPosition, as: Self.late).error == ErrorName.positionUnknown.rawValue)
        #expect(try ask(.getSatellites, as: Self.late).error == ErrorName.positionUnknown.rawValue)
        // An interruption counts also after its end.
        try manage.authorize("trailmap", .always, uid: Self.early, accuracy: .reduced)
        try manage.authorize("trailmap", .always, uid: Self.early, accuracy: .full)
        #expect(try ask(.getPosition, as: Self.early).error == ErrorName.positionUnknown.rawValue)

        let past: JSON = ["maximumAge": 600, "timeout": 0.2]
        let seen = try manage.client.call(LocationInterface.Method.getPosition.rawValue, past, timeout: .seconds(60))
        #expect(seen["position"] != nil)
        for isOn in [false, true] {
            try manage.call(.setServicesEnabled) { ManageInterface.SetServicesEnabled(enabled: isOn).write(to: &$0) }
        }
        let refusal = try Refusal {
            _ = try manage.client.call(LocationInterface.Method.getPosition.rawValue, past, timeout: .seconds(60))
        }
        #expect(refusal?.error == .positionUnknown)
    }
}

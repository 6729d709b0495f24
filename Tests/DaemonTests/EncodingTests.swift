import Authorization
import Interfaces
import Location
import Platform
import TestSupport
import Testing
import Varlink

@testable import Daemon

/// What the daemon writes is what its interfaces say, checked by the interface descriptions themselves.
@Suite struct EncodingTests {
    private let location: InterfaceDescription
    private let manage: InterfaceDescription
    private let fix: Fix

    init() throws {
        LoopThread.start()
        location = try InterfaceDescription(parsing: WaymarkInterface.location.text)
        manage = try InterfaceDescription(parsing: WaymarkInterface.manage.text)
        let coordinate = try #require(Coordinate(latitude: -12.345678901234567, longitude: 98.7654321))
        fix = Fix(
            time: UTCTime(microseconds: 1_780_300_809_250_000), receivedAt: 5, coordinate: coordinate,
            horizontalAccuracy: 2.5, altitude: 12.25, ellipsoidalAltitude: 50, verticalAccuracy: 4, speed: 3,
            speedAccuracy: 0.5, course: 270, courseAccuracy: 2, climb: -0.25, isSimulated: true, quality: .rtkFixed,
            receiver: "/dev/ttyACM0")
    }

    private func parameters(of reply: EncodedReply) throws -> JSON {
        #expect(reply.bytes.last == 0)
        let message = try JSON.parse(Array(reply.bytes.dropLast()))
        return try #require(message["parameters"])
    }

    @Test @DaemonActor func `an update is what the interface says, to the last digit`() throws {
        let operatorRequest = Requester(isOperator: true)
        let disclosure = try Gate().view(of: fix, for: operatorRequest)
        let standing = Standing(Gate(), for: operatorRequest)
        let envelope = UpdateEnvelope(disclosure, standing: standing, diagnostics: [])
        let parameters = try parameters(of: envelope.reply(dropped: 3))
        let method = try #require(location.methods["Monitor"])
        try location.validate(parameters, against: method.output)
        let update = try #require(parameters["update"].flatMap(LocationUpdate.init))
        #expect(update.position == disclosure.position)
        #expect(update.dropped == 3)
        #expect(update.authorizationStatus == .authorizedAlways)
    }

    @Test @DaemonActor func `an update without a position says why`() throws {
        let standing = Standing(Gate(), for: Requester(isOperator: true))
        let envelope = UpdateEnvelope(nil, standing: standing, diagnostics: ["locationUnavailable", "noFix"])
        let parameters = try parameters(of: envelope.reply(dropped: 0))
        try location.validate(parameters, against: try #require(location.methods["Monitor"]).output)
        let update = try #require(parameters["update"].flatMap(LocationUpdate.init))
        #expect(update.position == nil)
        #expect(update.diagnostics == ["locationUnavailable", "noFix"])
    }

    @Test @DaemonActor func `streams that may see the same of a fix share its bytes`() throws {
        let requester = Requester(isOperator: true)
        let standing = Standing(Gate(), for: requester)
        var cache = EnvelopeCache()
        let first = cache.envelope(try Gate().view(of: fix, for: requester), standing: standing)
        let second = cache.envelope(try Gate().view(of: fix, for: requester), standing: standing)
        #expect(first === second)
        var other = fix
        other.horizontalAccuracy = 3
        #expect(cache.envelope(try Gate().view(of: other, for: requester), standing: standing) !== first)
    }

    @Test func `a sky is what the interface says`() throws {
        let sky = SkyView(
            time: fix.time,
            satellites: [
                Satellite(
                    number: 5, constellation: .gps, constellationNumber: 5, elevation: 45, azimuth: 180,
                    signalToNoise: 38, isUsed: true),
                Satellite(number: 70, constellation: .glonass),
            ], hdop: 1.25, receiver: "/dev/ttyACM0")
        let disclosure = try Gate().view(of: sky, for: Requester(isOperator: true))
        var writer = JSONWriter()
        writer.object { writer in
            writer.key("sky")
            disclosure.write(to: &writer)
        }
        let parameters = try JSON.parse(writer.bytes)
        try location.validate(parameters, against: try #require(location.methods["GetSatellites"]).output)
        let read = try #require(parameters["sky"].flatMap(SkyView.init))
        #expect(read.satellites == sky.satellites)
        #expect(read.hdop == 1.25)
        #expect(parameters["sky"]?["receiver"] == nil)
    }

    @Test func `a status is what the interface says, also with nothing in it`() throws {
        var status = DaemonStatus()
        status.version = "1"
        status.health = "ok"
        for fix in [
            nil,
            DaemonStatus.Fix(
                age: 1, horizontalAccuracy: 2, hasAltitude: true, isSimulated: false, quality: nil, receiver: ""),
        ] {
            status.fix = fix
            var writer = JSONWriter()
            writer.object { writer in
                writer.key("status")
                status.write(to: &writer)
            }
            let method = try #require(manage.methods["Status"])
            try manage.validate(try JSON.parse(writer.bytes), against: method.output)
        }
    }
}

import Authorization
import Interfaces
import JSONText
import Location
import Platform
import TestSupport
import Testing
import Varlink

@testable import Daemon

/// What the daemon writes conforms to its interfaces, checked by the interface descriptions themselves.
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

    private static let operators = Policy.decideForOperator()
    private static let reported = ReportedAuthorization(status: .authorizedAlways, accuracy: .full)

    private func parameters(of reply: EncodedReply) throws -> JSON {
        #expect(reply.bytes.last == 0)
        let message = try JSON.parse(Array(reply.bytes.dropLast()))
        return try #require(message["parameters"])
    }

    @Test @DaemonActor func `an update has the interface's form, to the last digit`() throws {
        let decision = Self.operators
        let disclosure = try #require(decision.view(of: fix))
        let envelope = UpdateEnvelope(disclosure, decision.diagnostics, Self.reported)
        let parameters = try parameters(of: envelope.reply(dropped: 3))
        let method = try #require(location.methods["Monitor"])
        try location.validate(parameters, against: method.output)
        let update = try MonitorRequest.reply(parameters).update
        #expect(update.position == disclosure.position)
        #expect(update.dropped == 3)
        #expect(update.authorizationStatus == .authorizedAlways)
    }

    @Test @DaemonActor func `an update without a position states the reason`() throws {
        let envelope = UpdateEnvelope(nil, [], Self.reported, more: ["locationUnavailable", "noFix"])
        let parameters = try parameters(of: envelope.reply(dropped: 0))
        try location.validate(parameters, against: try #require(location.methods["Monitor"]).output)
        let update = try MonitorRequest.reply(parameters).update
        #expect(update.position == nil)
        #expect(update.diagnostics == ["locationUnavailable", "noFix"])
    }

    @Test @DaemonActor func `streams that may see the same of a fix share its encoding`() throws {
        var cache = EnvelopeCache()
        var disclosures = 0
        func envelope(_ reported: ReportedAuthorization) -> UpdateEnvelope {
            cache.envelope(Self.operators, reported) {
                disclosures += 1
                return Self.operators.view(of: fix)
            }
        }
        let first = envelope(Self.reported)
        #expect(envelope(Self.reported) === first)
        #expect(disclosures == 1)
        #expect(envelope(ReportedAuthorization(status: .authorizedWhenInUse, accuracy: .full)) !== first)
    }

    @Test func `a sky has the interface's form`() throws {
        let sky = SkyView(
            time: fix.time,
            satellites: [
                Satellite(
                    number: 5, constellation: .gps, constellationNumber: 5, elevation: 45, azimuth: 180,
                    signalToNoise: 38, isUsed: true),
                Satellite(number: 70, constellation: .glonass),
            ], hdop: 1.25, receiver: "/dev/ttyACM0")
        let disclosure = try #require(Self.operators.view(of: sky))
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

    @Test func `a status has the interface's form, even with nothing in it`() throws {
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

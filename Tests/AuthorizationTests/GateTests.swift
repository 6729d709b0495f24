import Authorization
import Location
import Testing

@Suite struct GateTests {
    private let fix: Fix

    init() throws {
        let coordinate = try #require(Coordinate(latitude: 12.5, longitude: -70.25))
        fix = Fix(
            time: UTCTime(microseconds: 1_780_000_000_250_000), receivedAt: 1, coordinate: coordinate,
            horizontalAccuracy: 2.5, altitude: 30, speed: 4, course: 90, isSimulated: true, quality: .dgps)
    }

    private func decide(_ requester: Policy.Requester) -> Decision {
        Policy.decide(for: requester) { _ in
            Issue.record("nobody here is a process of an app")
            return Policy.decideForOperator()
        }
    }

    @Test func `an operator gets the fix in full`() throws {
        let position = try #require(decide(.operator).view(of: fix)).position
        #expect(position.timestamp == 1_780_000_000.25)
        #expect(position.coordinate == fix.coordinate)
        #expect(position.horizontalAccuracy == 2.5)
        #expect(position.altitude == 30)
        #expect(position.speed == 4)
        #expect(position.course == 90)
        #expect(position.isSimulated)
        #expect(position.quality == .dgps)
        #expect(position.accuracy == .full)
    }

    @Test func `what was calculated is reported to a thousandth, and never as exact`() throws {
        var calculated = fix
        calculated.horizontalAccuracy = 14.530_095_187_999_999
        calculated.verticalAccuracy = 0.000_12
        calculated.speedAccuracy = 1.0 / 3
        let position = try #require(decide(.operator).view(of: calculated)).position
        #expect(position.horizontalAccuracy == 14.53)
        #expect(position.verticalAccuracy == 0.001)
        #expect(position.speedAccuracy == 0.333)
    }

    @Test(arguments: [(359.999_4, 359.999), (359.999_6, 0), (0, 0), (12.345_6, 12.346)])
    func `a course that rounds to a full circle is north`(course: Double, delivered: Double) throws {
        var moving = fix
        moving.course = course
        #expect(try #require(decide(.operator).view(of: moving)).position.course == delivered)
    }

    @Test func `who is neither an operator nor an app gets neither fix nor sky, and gets the reason`() {
        #expect(decide(.nobody).view(of: fix) == nil)
        #expect(decide(.nobody).view(of: SkyView()) == nil)
        #expect(decide(.nobody).refusal == .unidentified)
        #expect(decide(.operator).refusal == nil)
    }
}

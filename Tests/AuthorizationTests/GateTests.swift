import Authorization
import Location
import Testing

@Suite struct GateTests {
    private let gate = Gate()
    private let fix: Fix

    init() throws {
        let coordinate = try #require(Coordinate(latitude: 12.5, longitude: -70.25))
        fix = Fix(
            time: UTCTime(microseconds: 1_780_000_000_250_000), receivedAt: 1, coordinate: coordinate,
            horizontalAccuracy: 2.5, altitude: 30, speed: 4, course: 90, isSimulated: true, quality: .dgps)
    }

    @Test func `an operator gets the fix in full`() throws {
        let position = try gate.view(of: fix, for: Requester(isOperator: true)).position
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

    @Test func `everybody else gets neither fix nor sky, and is told why`() {
        let requester = Requester(isOperator: false)
        #expect(gate.status(for: requester) == .notDetermined)
        #expect(throws: Refusal.notDetermined) { _ = try gate.view(of: fix, for: requester) }
        #expect(throws: Refusal.notDetermined) { _ = try gate.view(of: SkyView(), for: requester) }
        #expect(gate.refusal(for: requester) == .notDetermined)
        #expect(gate.refusal(for: Requester(isOperator: true)) == nil)
    }
}

import Interfaces
import Location
import Testing

@testable import Waymark

/// What a `LocationManager` requests and reports, without a daemon.
struct LocationManagerStateTests {
    private typealias State = LocationManagerState

    private func authorization(_ status: AuthorizationStatus, isInUse: Bool = false) -> AppAuthorization {
        AppAuthorization(
            status: status, accuracy: .full,
            diagnostics: isInUse || status != .notDetermined ? [] : [.insufficientlyInUse], isInUse: isInUse)
    }

    private func update(_ north: Double?, _ diagnostics: [LocationDiagnostic] = []) throws -> LocationUpdate {
        let position = try north.map { north in
            Position(
                timestamp: 0,
                coordinate: try #require(Coordinate(latitude: 47 + north, longitude: -30)), horizontalAccuracy: 5,
                accuracy: .full)
        }
        return LocationUpdate(
            position: position, authorizationStatus: .authorizedAlways, accuracyAuthorization: .full,
            diagnostics: diagnostics, stationary: false, dropped: 0)
    }

    /// A state whose feed 1 is the authorization.
    private func state(_ status: AuthorizationStatus? = nil, isInUse: Bool = false) -> State {
        var state = State()
        #expect(state.start(.authorization) == [.begin(.authorization, feed: 1)])
        if let status {
            let known = authorization(status, isInUse: isInUse)
            #expect(
                state.receive(.authorization(known), from: .authorization, feed: 1) == [.report(.changedAuthorization)])
        }
        return state
    }

    private let denied = WaymarkError.refused(.denied, message: "a sentence")
    private let undecided = WaymarkError.refused(.notDetermined, message: "a sentence")

    @Test func `something is started once, and its events are ignored when it was stopped`() throws {
        var state = state(.authorizedAlways)
        #expect(state.start(.location) == [.begin(.location, feed: 2)])
        #expect(state.start(.location) == [])
        #expect(state.stop(.location) == [.cancel(.location)])
        #expect(state.stop(.location) == [])
        #expect(state.receive(.update(try update(1)), from: .location, feed: 2) == [])
        #expect(state.start(.location) == [.begin(.location, feed: 3)])
        #expect(state.receive(.update(try update(1)), from: .location, feed: 2) == [])
        #expect(state.receive(.update(try update(1)), from: .location, feed: 3).count == 1)
    }

    @Test func `a feed waits silently for the first decision, and continues with it`() {
        var state = state(.notDetermined)
        _ = state.start(.location)
        #expect(state.receive(.ended(undecided), from: .location, feed: 2) == [])
        let allowed = State.Event.authorization(authorization(.authorizedWhenInUse))
        #expect(
            state.receive(allowed, from: .authorization, feed: 1) == [
                .begin(.location, feed: 3), .report(.changedAuthorization),
            ])
        #expect(state.receive(allowed, from: .authorization, feed: 1) == [], "nothing has changed")
    }

    @Test func `a feed that was refused before the authorization is known to have changed is begun again at once`() {
        var state = state(.denied)
        _ = state.start(.location)
        let allowed = State.Event.authorization(authorization(.authorizedAlways))
        #expect(state.receive(allowed, from: .authorization, feed: 1) == [.report(.changedAuthorization)])
        #expect(state.receive(.ended(denied), from: .location, feed: 2) == [.begin(.location, feed: 3)])
        let error = LocationError(.denied, cause: denied)
        #expect(state.receive(.ended(denied), from: .location, feed: 3) == [.report(.failed(error))])
    }

    @Test func `changed properties cancel a feed and begin another one, if there is one`() {
        var state = state(.authorizedAlways)
        #expect(state.restart(.location) == [])
        _ = state.start(.location)
        #expect(state.restart(.location) == [.cancel(.location), .begin(.location, feed: 3)])
    }

    @Test func `the lack of a position is reported once, until there is one`() throws {
        var state = state(.authorizedAlways)
        _ = state.start(.location)
        let lack = State.Event.update(try update(nil, [.locationUnavailable, .noFix]))
        let unknown = State.Effect.report(.failed(LocationError(.locationUnknown)))
        #expect(state.receive(lack, from: .location, feed: 2) == [unknown])
        #expect(state.receive(lack, from: .location, feed: 2) == [])
        #expect(state.receive(.update(try update(nil, [.insufficientlyInUse])), from: .location, feed: 2) == [])
        #expect(state.receive(.update(try update(1)), from: .location, feed: 2).count == 1)
        #expect(state.receive(lack, from: .location, feed: 2) == [unknown])
    }

    @Test func `a pause is reported after its position, and its end before the next one`() throws {
        var state = state(.authorizedAlways)
        _ = state.start(.location)
        let (first, second) = (try update(1, [.stationary]), try update(2))
        let positions = try (#require(first.position), #require(second.position))
        #expect(
            state.receive(.update(first), from: .location, feed: 2) == [
                .report(.updated(positions.0)), .report(.paused),
            ])
        #expect(state.location == positions.0)
        #expect(
            state.receive(.update(second), from: .location, feed: 2) == [
                .report(.resumed), .report(.updated(positions.1)),
            ])
    }

    @Test func `a prompt is repeated when the app is in use, and once only`() {
        var state = state(.notDetermined)
        #expect(state.start(.whenInUse) == [.begin(.whenInUse, feed: 2)])
        #expect(state.start(.whenInUse) == [])
        #expect(state.receive(.answered(authorization(.notDetermined)), from: .whenInUse, feed: 2) == [])
        let active = State.Event.authorization(authorization(.notDetermined, isInUse: true))
        #expect(state.receive(active, from: .authorization, feed: 1) == [.begin(.whenInUse, feed: 3)])
        let answer = authorization(.authorizedWhenInUse, isInUse: true)
        #expect(state.receive(.answered(answer), from: .whenInUse, feed: 3) == [])
        #expect(state.receive(active, from: .authorization, feed: 1) == [])
        #expect(state.start(.whenInUse) == [.begin(.whenInUse, feed: 4)], "the app may ask again")
    }

    @Test func `a request that fails is over`() {
        var state = state(.authorizedAlways)
        _ = state.start(.singlePosition)
        let error = WaymarkError.timedOut(message: "a sentence")
        let failure = State.Effect.report(.failed(LocationError(.locationUnknown, cause: error)))
        #expect(state.receive(.ended(error), from: .singlePosition, feed: 2) == [failure])
        #expect(state.start(.singlePosition) == [.begin(.singlePosition, feed: 3)])
    }

    @Test func `a background session begins when the app is in use, and ends with the positions`() {
        var state = state(.authorizedWhenInUse)
        #expect(state.stayInUse(true) == [])
        #expect(state.start(.location) == [.begin(.location, feed: 2)])
        let active = State.Event.authorization(authorization(.authorizedWhenInUse, isInUse: true))
        #expect(state.receive(active, from: .authorization, feed: 1) == [.holdInUse])
        #expect(state.stop(.location) == [.cancel(.location), .endHold])
        #expect(state.start(.location) == [.begin(.location, feed: 3), .holdInUse])
        #expect(state.stayInUse(false) == [.endHold])
        #expect(state.receive(active, from: .authorization, feed: 1) == [])
    }
}

import Durations
import Interfaces
import Location
import Testing

@testable import Commands

/// What `waymark watch` says about missing positions, and when.
@Suite struct PositionReasonsTests {
    private var reasons = PositionReasons()
    private let patience = PositionReasons.patience.nanoseconds

    private func update(
        _ diagnostics: [LocationDiagnostic], _ position: Position? = nil,
        status: AuthorizationStatus = .authorizedAlways
    ) -> LocationUpdate {
        LocationUpdate(
            position: position, authorizationStatus: status, accuracyAuthorization: .full, diagnostics: diagnostics,
            stationary: false, dropped: 0)
    }

    @Test mutating func `nothing is said about a receiver that reports a position a second later`() throws {
        let first = reasons.report(update(["noFix"]), isFirst: true, now: 5)
        #expect(first.isEmpty && reasons.deadline == 5 + patience)
        let second = reasons.report(update([], try makePosition()), isFirst: false, now: 1_000_000_000)
        #expect(second.isEmpty && reasons.deadline == nil)
        let late = reasons.timePassed(now: 2 * patience)
        #expect(late.isEmpty)
        // A loss later is known to be one.
        let lost = reasons.report(update(["noFix"]), isFirst: false, now: 2_000_000_000)
        #expect(lost.first?.hasPrefix("The receiver has no fix yet.") == true)
    }

    @Test mutating func `the newest reason is said once when no position has come in time`() {
        _ = reasons.report(update(["noReceiver"]), isFirst: true, now: 0)
        let newer = reasons.report(update(["noFix"]), isFirst: false, now: patience / 2)
        let early = reasons.timePassed(now: patience - 1)
        #expect(newer.isEmpty && early.isEmpty)
        let said = reasons.timePassed(now: patience)
        #expect(said.count == 1 && said.first?.hasPrefix("The receiver has no fix yet.") == true)
        let again = reasons.report(update(["noFix"]), isFirst: false, now: patience + 1)
        #expect(again.isEmpty && reasons.deadline == nil)
        // After a reconnect the receiver starts again.
        let reconnected = reasons.report(update(["noReceiver"]), isFirst: true, now: 9 * patience)
        #expect(reconnected.isEmpty && reasons.deadline == 10 * patience)
    }

    @Test mutating func `what this program lacks is said at once`() {
        let denied = reasons.report(update(["authorizationDenied"], status: .denied), isFirst: true, now: 0)
        #expect(denied == ["This program may not have positions: the person in charge denied it."])
        let undecided = reasons.report(update([], status: .notDetermined), isFirst: false, now: 1)
        #expect(undecided.first?.hasPrefix("Nobody has decided yet") == true)
    }
}

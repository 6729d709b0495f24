import Location
import TestSupport
import Testing

@testable import Authorization
@testable import Daemon

/// What a recording does with fixes under the gate's decisions.
@Suite struct RecordingTrackTests {
    private func verdict(
        _ access: Decision.Access, manifestAllows: Bool? = true, accuracy: PositionFeed = .full
    ) -> RecordingVerdict {
        RecordingVerdict(decision: Decision(access, []), manifestAllows: manifestAllows, accuracy: accuracy)
    }

    private func fix(at seconds: Int64, north: Double = 0, accuracy: Double = 4) throws -> Fix {
        Fix(
            time: UTCTime(microseconds: 1_795_262_400_000_000 + seconds * 1_000_000), receivedAt: 0,
            coordinate: try #require(Coordinate(latitude: 48 + north / 111_195, longitude: 11)),
            horizontalAccuracy: accuracy)
    }

    private func made(_ verdict: RecordingVerdict, _ options: RecordingOptions = RecordingOptions()) -> RecordingTrack {
        RecordingTrack(options, isStarted: true, verdict)
    }

    @Test func `a fix is recorded at the accuracy that the gate allows`() throws {
        var track = made(verdict(.full))
        let full = Decision(.full, [])
        let fix = try fix(at: 0)
        #expect(track.feed == .full)
        #expect(track.receive(fix, full) == .record(try #require(full.view(of: fix))))

        let cell = try #require(ReducedCell(band: 3_335, column: 17))
        let reduced = ReducedFix(cell: cell, tick: ReducedTick(number: 1_000), isSimulated: false)
        #expect(track.receive(reduced, Decision(.reduced, [])) == .nothing, "it does not use those")
        #expect(track.review(verdict(.reduced)) == .nothing, "it continues")
        #expect(track.feed == .reduced)
        #expect(track.receive(fix, full) == .nothing)
        let disclosure = try #require(Decision(.reduced, []).view(of: reduced))
        #expect(track.receive(reduced, Decision(.reduced, [])) == .record(disclosure))
        #expect(track.receive(reduced, Decision(.reduced, [])) == .nothing, "the same one is recorded once")
    }

    @Test func `a fix that the gate refuses is not recorded, whatever it decided before`() throws {
        var track = made(verdict(.full))
        let reasons = Decision.Reason.allCases.filter { $0 != .alwaysUnconfirmed }
        for reason in reasons {
            #expect(track.receive(try fix(at: 1), Decision(.refused(reason), [])) == .review)
        }
        #expect(track.receive(try fix(at: 1), Decision(.reduced, [])) == .review)
        #expect(track.review(verdict(.refused(.denied))) == .paused(.denied))
        #expect(track.feed == .none)
        #expect(track.receive(try fix(at: 2), Decision(.full, [])) == .nothing)
        #expect(track.review(verdict(.refused(.denied))) == .nothing, "once is enough")
        #expect(track.review(verdict(.refused(.notInUse))) == .paused(.notInUse))
        #expect(track.review(verdict(.full)) == .resumed)
    }

    @Test func `the filters apply from the last recorded fix`() throws {
        var track = made(
            verdict(.full), RecordingOptions(desiredAccuracy: 10, distanceFilter: 20, interval: 5))
        let full = Decision(.full, [])
        func isRecorded(_ fix: Fix) -> Bool { track.receive(fix, full) != .nothing }
        #expect(isRecorded(try fix(at: 0)))
        #expect(!isRecorded(try fix(at: 3, north: 100)), "too soon")
        #expect(!isRecorded(try fix(at: 6, north: 10)), "too close")
        #expect(!isRecorded(try fix(at: 7, north: 100, accuracy: 30)), "too inaccurate")
        #expect(isRecorded(try fix(at: 8, north: 100)))
    }

    @Test func `an unconfirmed Always needs the receiver until the person was prompted`() throws {
        var track = made(verdict(.refused(.alwaysUnconfirmed), accuracy: .reduced))
        #expect(track.feed == .reduced, "at the accuracy that it will have")
        _ = track.review(verdict(.refused(.alwaysUnconfirmed)))
        #expect(track.feed == .full)
        #expect(track.receive(try fix(at: 0), Decision(.refused(.alwaysUnconfirmed), [])) == .ask)
        track.asked()
        #expect(track.feed == .none)
        #expect(track.review(verdict(.refused(.alwaysUnconfirmed))) == .nothing)
        #expect(track.feed == .none, "a person who does not answer costs no power")
        #expect(track.review(verdict(.full)) == .resumed)
        #expect(track.feed == .full)
        _ = track.review(verdict(.refused(.alwaysUnconfirmed)))
        #expect(track.feed == .full, "after the app was in use the person is prompted again")
    }

    @Test func `a person is prompted to confirm Always only for a fix that would be recorded`() throws {
        var track = made(verdict(.refused(.alwaysUnconfirmed)), RecordingOptions(desiredAccuracy: 10))
        let unconfirmed = Decision(.refused(.alwaysUnconfirmed), [])
        #expect(track.receive(try fix(at: 0, accuracy: 30), unconfirmed) == .nothing)
        #expect(track.feed == .full, "a more accurate fix may follow")
        #expect(track.receive(try fix(at: 1), unconfirmed) == .ask)
        #expect(track.receive(try fix(at: 1), unconfirmed) == .ask, "a prompt that was not shown is tried again")
    }

    @Test(arguments: [
        (Decision.Access.full, true as Bool?, true, true, RecordingState.recording),
        (.reduced, true, false, true, .locationUnavailable), (.full, true, false, false, .journalUnavailable),
        (.refused(.denied), true, false, false, .denied), (.refused(.denied), false, true, true, .notAllowed),
        (.refused(.notInUse), false, true, true, .notAllowed),
        (.refused(.manifestMissing), nil, true, true, .manifestMissing),
        (.refused(.deniedGlobally), true, true, true, .deniedGlobally),
        (.refused(.restricted), true, true, true, .restricted),
        (.refused(.notDetermined), true, true, true, .notDetermined),
        (.refused(.alwaysUnconfirmed), true, true, true, .alwaysUnconfirmed),
    ])
    func `the state is the first obstacle, beginning with those that only people can change`(
        access: Decision.Access, manifestAllows: Bool?, hasPositions: Bool, stores: Bool, state: RecordingState
    ) {
        var track = made(verdict(access, manifestAllows: manifestAllows))
        #expect(track.state(hasPositions: hasPositions, stores: stores) == state)
        track.stop()
        #expect(track.state(hasPositions: hasPositions, stores: stores) == .stopped)
        #expect(track.feed == .none)
    }

    @Test func `a stopped recording needs nothing and reports nothing`() {
        var track = RecordingTrack(RecordingOptions(), isStarted: false, verdict(.full))
        #expect(track.feed == .none)
        #expect(track.review(verdict(.refused(.denied))) == .nothing)
        #expect(track.review(verdict(.full)) == .nothing)
        #expect(track.feed == .none)
    }

    @Test func `a denial and a reset revoke a permission, the end of once does not`() {
        #expect(Grant(permission: .denied).isWithdrawn)
        #expect(Grant().isWithdrawn)
        #expect(!Grant(permission: .notDetermined, decidedBy: .rule).isWithdrawn)
        for permission in [Permission.once, .whenInUse, .provisionalAlways, .always] {
            #expect(!Grant(permission: permission).isWithdrawn)
        }
    }
}

import Authorization
import Interfaces
import Location
import Platform
import TestSupport
import Testing

@testable import Daemon
@testable import Journal
@testable import Storage

/// The fixes that are recorded for each app, and what happens to recordings.
@Suite struct RecordingRegistryTests {
    private let directory: TemporaryDirectory
    private let clock = ManualClock(monotonicNanoseconds: 1 << 60, utcMicroseconds: 1_795_262_400_000_000)

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
        try directory.write("restrictions.d/README", "")
        try writeManifest("Record=yes")
    }

    private func writeManifest(_ more: String) throws {
        try directory.write(
            "apps/trailmap.app",
            "[App]\nName=Trail Map\nExec=/usr/bin/trailmap\nWhenInUseUsageDescription=Shows where you are on the map.\n"
                + "AlwaysAndWhenInUseUsageDescription=Records your way.\n\(more)\n")
    }

    private func fix(_ seconds: Int64) throws -> Fix {
        Fix(
            time: UTCTime(microseconds: clock.utcMicroseconds + seconds * 1_000_000),
            receivedAt: clock.monotonicNanoseconds,
            coordinate: try #require(Coordinate(latitude: 48.5, longitude: 11.25)), horizontalAccuracy: 4)
    }

    private func reduced(_ tick: Int64) throws -> ReducedFix {
        ReducedFix(
            cell: try #require(ReducedCell(band: 3_335, column: 17)), tick: ReducedTick(number: tick),
            isSimulated: false)
    }

    @DaemonActor private func bench() async throws -> RecordingBench {
        let bench = try RecordingBench(directory, clock: clock)
        try await bench.open()
        return bench
    }

    @Test @DaemonActor
    func `positions are recorded at the present accuracy, and the receiver is needed no longer`()
        async throws
    {
        let bench = try await bench()
        let id = try await bench.start().id
        #expect(bench.state() == .notDetermined)
        #expect(!bench.isNeeded(.full) && !bench.isNeeded(.reduced))
        bench.registry.deliver(try fix(0))
        await bench.authorize(.always)
        #expect(bench.state() == .recording && bench.isNeeded(.full))
        bench.registry.deliver(try fix(1))
        await bench.authorize(.always, .reduced)
        #expect(!bench.isNeeded(.full) && bench.isNeeded(.reduced))
        bench.registry.deliver(try fix(2))
        bench.registry.deliver(try reduced(1_000))
        await bench.authorize(.always, .full)
        bench.registry.deliver(try fix(3))
        let positions = try await bench.positions(id)
        #expect(positions.map(\.0) == [1, 2, 3])
        #expect(positions.map(\.1.accuracy) == [.full, .reduced, .full])
        #expect(positions[1].1.horizontalAccuracy == ReducedFix.horizontalAccuracy)
        await bench.close()
    }

    @Test(arguments: [false, true]) @DaemonActor
    func `positions from while no daemon ran are recorded only for apps that were in use then`(
        goesOn: Bool
    ) async throws {
        let first = try await bench()
        await first.authorize(.whenInUse)
        let id = try await first.start().id
        await first.close()
        clock.advance(seconds: 60)
        let bench = try await bench()
        let removed = try fix(0)
        clock.advance(seconds: 1)
        bench.authorizer.send(.userChanged(Self.uid, .active))
        bench.authorizer.send(
            .attached(Policy.Process(id: 7, app: RecordingBench.app, assurance: .program, isInSession: true)))
        bench.authorizer.send(.declared(7, .active))
        if goesOn { bench.authorizer.send(.wentOn(7)) }
        #expect(bench.isNeeded(.full))
        clock.advance(seconds: 1)
        let later = try fix(2)
        let new = try await bench.start("new").id
        bench.registry.deliverPast(removed)
        bench.registry.deliverPast(later)
        let times = try await bench.positions(id).map(\.1.timestamp)
        let expected = (goesOn ? [removed, later] : [later]).map(\.time.secondsSinceEpoch)
        #expect(times == expected)
        #expect(try await bench.positions(new).isEmpty, "a recording that did not exist then")
        await bench.close()
    }

    private static let uid = RecordingBench.app.uid

    @Test @DaemonActor func `an app that starts with reduced accuracy gets the current one at once`() async throws {
        let bench = try await bench()
        bench.shown = (try reduced(1_000), false)
        await bench.authorize(.always, .reduced)
        let id = try await bench.start().id
        bench.registry.deliver(try reduced(1_001))
        #expect(try await bench.positions(id).count == 2)
        await bench.close()

        // The current position is already in it, even if it is shown again.
        let again = try RecordingBench(directory, clock: clock)
        again.shown = (try reduced(1_001), true)
        try await again.open()
        #expect(again.isNeeded(.reduced))
        again.registry.deliver(try reduced(1_001))
        again.shown = (try reduced(1_002), false)
        again.registry.deliver(try reduced(1_002))
        let positions = try await again.positions(id)
        #expect(positions.map(\.1.timestamp) == [1_000, 1_001, 1_002].map { Double($0 * ReducedTick.interval) })
        await again.close()
    }

    @Test @DaemonActor func `a denial erases the recorded positions, a pause does not`() async throws {
        let bench = try await bench()
        await bench.authorize(.always)
        let id = try await bench.start().id
        bench.registry.deliver(try fix(0))
        await withCheckedContinuation { continuation in
            bench.authorizer.command(.setServices(isOn: false), by: 0) { _ in continuation.resume() }
        }
        #expect(bench.state() == .deniedGlobally && !bench.isNeeded(.full))
        bench.registry.deliver(try fix(1))
        await withCheckedContinuation { continuation in
            bench.authorizer.command(.setServices(isOn: true), by: 0) { _ in continuation.resume() }
        }
        await bench.authorize(.whenInUse)
        #expect(bench.state() == .notInUse)
        bench.registry.deliver(try fix(2))
        #expect(try await bench.positions(id).count == 1)

        let denied = Task { await bench.authorize(.denied) }
        await denied.value
        #expect(bench.recording() == nil, "it counts as removed with the answer")
        #expect(
            try await eventually(isolation: #isolation) { () async throws -> Bool in
                bench.registry.all.isEmpty && bench.registry.recordings(of: RecordingBench.app).isEmpty
            })
        await #expect(throws: StorageError.self) { try await bench.positions(id) }
        await bench.authorize(.always)
        let new = try await bench.start()
        #expect(new.id != id && new.last == 0)
        await bench.close()
    }

    @Test @DaemonActor func `a recording with onRevoke=keep survives a denial and a reset`() async throws {
        let bench = try await bench()
        await bench.authorize(.always)
        let id = try await bench.start("trip", RecordingOptions(onRevoke: .keep)).id
        bench.registry.deliver(try fix(0))
        await bench.authorize(.denied)
        bench.registry.deliver(try fix(1))
        #expect(bench.state() == .denied)
        await bench.reset()
        #expect(bench.state() == .notDetermined)
        await bench.authorize(.always)
        bench.registry.deliver(try fix(2))
        #expect(try await bench.positions(id).map(\.0) == [1, 2])
        await bench.close()
    }

    @Test @DaemonActor func `a reset erases, and a recording started right afterwards is a new one`() async throws {
        let bench = try await bench()
        await bench.authorize(.always)
        let id = try await bench.start().id
        bench.registry.deliver(try fix(0))
        bench.authorizer.command(.reset(RecordingBench.app), by: 0) { _ in }
        #expect(bench.recording() == nil)
        let new = try await bench.start()
        #expect(new.id != id)
        await bench.authorize(.always)
        bench.registry.deliver(try fix(1))
        #expect(try await bench.positions(new.id).map(\.0) == [1])
        #expect(bench.recording()?.stored.id == new.id)
        await bench.close()
    }

    @Test @DaemonActor func `the end of a permission granted once does not erase, a revocation does`() async throws {
        let bench = try await bench()
        await bench.authorize(.always)
        let id = try await bench.start().id
        bench.registry.deliver(try fix(0))
        // The app is not in use, so a permission granted once ends at once.
        await bench.authorize(.once)
        #expect(bench.state() == .notDetermined)
        #expect(try await bench.positions(id).count == 1)
        await bench.reset()
        #expect(bench.recording() == nil, "although it does not change the app's access")
        #expect(try await eventually(isolation: #isolation) { bench.registry.count(of: RecordingBench.app.uid) == 0 })
        await bench.close()
    }

    @Test @DaemonActor func `a recording set to be erased while the app is denied is removed`() async throws {
        let bench = try await bench()
        await bench.authorize(.always)
        try await bench.start("trip", RecordingOptions(onRevoke: .keep))
        bench.registry.deliver(try fix(0))
        await bench.authorize(.denied)
        #expect(bench.state() == .denied)
        try await bench.start("trip", RecordingOptions(onRevoke: .erase))
        #expect(try await eventually(isolation: #isolation) { bench.registry.count(of: RecordingBench.app.uid) == 0 })
        await bench.close()
    }

    @Test @DaemonActor func `an erasure that a crash prevented is done at the next start`() async throws {
        var bench: RecordingBench? = try await bench()
        await bench?.authorize(.always)
        let id = try #require(try await bench?.start().id)
        bench?.registry.deliver(try fix(0))
        #expect(try await bench?.positions(id).count == 1)
        // The denial is durable, but the erasure was never performed.
        bench?.forgetsDecisions = true
        await bench?.authorize(.denied)
        #expect(bench?.recording() != nil)
        await bench?.close()
        bench = nil

        let again = try await self.bench()
        #expect(again.recording() == nil)
        await #expect(throws: StorageError.self) {
            for _ in 0..<1_000 { _ = try await again.positions(id) }
        }
        await again.close()
    }

    @Test @DaemonActor func `a recording continues after a restart with the next number, without its app`() async throws
    {
        let first = try await bench()
        await first.authorize(.always)
        let id = try await first.start("trip", RecordingOptions(interval: 2)).id
        for second in 0..<5 { first.registry.deliver(try fix(Int64(second))) }
        await first.close()
        let second = try await bench()
        #expect(second.state() == .recording && second.isNeeded(.full))
        second.registry.deliver(try fix(10))
        #expect(try await second.positions(id).map(\.0) == [1, 2, 3, 4])
        #expect(second.recording()?.stored.options.interval == 2)
        await second.close()
    }

    @Test @DaemonActor func `a client that waits for the daemon to be ready finds its recordings`() async throws {
        let first = try await bench()
        await first.authorize(.always)
        let id = try await first.start().id
        first.registry.deliver(try fix(0))
        await first.close()

        let second = try RecordingBench(directory, clock: clock)
        var found: [RecordingID?] = []
        #expect(!second.authorizer.isLoaded)
        second.readiness.whenReady(for: RecordingBench.app.uid) {
            found.append(second.recording()?.stored.id)
            found.append(second.isNeeded(.full) ? id : nil)
        }
        try await second.open()
        // The home of the app's user is read on another thread.
        let isReady = try await eventually { () async throws -> Bool in !found.isEmpty }
        #expect(isReady && found == [id, id])
        var query = EventQuery()
        query.kinds = ["recordingPaused", "recordingResumed"]
        let page = try await withCheckedContinuation { continuation in
            second.journal.journal.read(query) { continuation.resume(returning: $0) }
        }.get()
        // One event each, from the first permission: a restart is no event.
        #expect(page.events.isEmpty, "\(page.events.map(\.kind))")
        await second.close()
    }

    @Test @DaemonActor func `a manifest that forbids recording pauses it, and one that allows it resumes`() async throws
    {
        let bench = try await bench()
        await bench.authorize(.always)
        let id = try await bench.start().id
        try writeManifest("Record=no")
        #expect(try await eventually(isolation: #isolation) { bench.state() == .notAllowed })
        #expect(!bench.isNeeded(.full))
        bench.registry.deliver(try fix(0))
        try writeManifest("Record=yes")
        #expect(try await eventually(isolation: #isolation) { bench.state() == .recording })
        bench.registry.deliver(try fix(1))
        #expect(try await bench.positions(id).count == 1)
        try directory.write("restrictions.d/no.conf", "[Restrictions]\nForbidRecording=yes\n")
        #expect(try await eventually(isolation: #isolation) { bench.state() == .restricted })
        #expect(!bench.isNeeded(.full))
        await bench.close()
    }

    @Test @DaemonActor func `a provisional Always prompts with the first position and needs no other`() async throws {
        let bench = try await bench()
        await bench.authorize(.provisionalAlways)
        let id = try await bench.start().id
        #expect(bench.state() == .alwaysUnconfirmed && bench.isNeeded(.full))
        #expect(bench.prompts.all.isEmpty)
        bench.registry.deliver(try fix(0))
        let prompt = try #require(bench.prompts.all.first?.prompt)
        #expect(prompt.kind == .confirmAlways)
        #expect(!bench.isNeeded(.full))
        await withCheckedContinuation { continuation in
            bench.prompts.answer(prompt, .changeToAlways, precise: nil, by: .operator(uid: 0)) { _ in
                continuation.resume()
            }
        }
        #expect(bench.state() == .recording && bench.isNeeded(.full))
        bench.registry.deliver(try fix(1))
        #expect(try await bench.positions(id).count == 1)
        await bench.close()
    }

    @Test @DaemonActor func `a stop preserves the positions, and a start continues`() async throws {
        let bench = try await bench()
        await bench.authorize(.always)
        let id = try await bench.start().id
        bench.registry.deliver(try fix(0))
        let retained = try #require(bench.recording())
        await withCheckedContinuation { continuation in bench.registry.stop(retained) { _ in continuation.resume() } }
        #expect(bench.state() == .stopped && !bench.isNeeded(.full))
        bench.registry.deliver(try fix(1))
        #expect(try await bench.start().id == id)
        bench.registry.deliver(try fix(2))
        #expect(try await bench.positions(id).map(\.0) == [1, 2])
        await bench.close()
    }

    @Test @DaemonActor func `recorded positions count as delivered to the app`() async throws {
        let bench = try await bench()
        await bench.authorize(.always)
        try await bench.start()
        for second in 0..<3 { bench.registry.deliver(try fix(Int64(second))) }
        bench.ledger.write()
        var query = EventQuery()
        query.kinds = ["positionsSeen", "recordingStarted"]
        let page = try await withCheckedContinuation { continuation in
            bench.journal.journal.read(query) { continuation.resume(returning: $0) }
        }.get()
        #expect(page.events.map(\.kind) == ["recordingStarted", "positionsSeen"])
        #expect(page.events.last?.app == "trailmap")
        #expect(page.events.last?.details.contains(#""fullInBackground":3"#) == true)
        await bench.close()
    }
}

import Cryptography
import Glibc
import Location
import Platform
import TestSupport
import Testing
import Tracking

@testable import Daemon

@Suite(.timeLimit(.minutes(15))) struct ReducedReceiverTests {
    private let directory: TemporaryDirectory
    private let clock: ManualClock

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
        clock = ReducedReceiverBench.clock()
    }

    @DaemonActor private func bench() throws -> ReducedReceiverBench {
        try ReducedReceiverBench(directory.path, clock: clock)
    }

    private func mode(_ name: String) -> mode_t? {
        var status = stat()
        return stat(directory.file(name), &status) == 0 ? status.st_mode & 0o777 : nil
    }

    private func savedState() throws -> ReducedAccuracy.State? {
        guard case .state(let state) = try ReducedStateFile(stateDirectory: directory.path).load() else { return nil }
        return state
    }

    @Test @DaemonActor func `the first fix is saved and then shown at the end of its minute`() async throws {
        let bench = try bench()
        #expect(bench.receiver.answer(maximumAge: 10) == .wait)
        try await bench.begin()
        #expect(bench.needed == 1)
        #expect(bench.receiver.unavailable == .noFix)
        clock.advance(seconds: 7.25)
        bench.receiver.receive(try bench.fix())
        #expect(bench.needed == 0)
        #expect(bench.receiver.current == nil)
        #expect(bench.receiver.answer(maximumAge: 10) == .wait)
        let before = clock.utcMicroseconds
        try await bench.passTime()
        #expect(clock.utcMicroseconds == ReducedReceiverBench.noon + 60_000_000)
        #expect(before < clock.utcMicroseconds)
        let shown = try #require(bench.receiver.current)
        #expect(bench.shown == [shown])
        #expect(shown.tick.time.microseconds == ReducedReceiverBench.noon)
        #expect(try savedState()?.latest == shown)
        #expect(mode("device.key") == 0o600)
        #expect(mode("reduced.state") == 0o600)
        #expect(bench.receiver.answer(maximumAge: 0) == .now(shown))
        #expect(bench.receiver.unavailable == nil)
    }

    @Test @DaemonActor func `between ticks no fix is needed, and every reply has the last position`() async throws {
        let bench = try bench()
        try await bench.begin()
        let first = try await bench.show()
        for _ in 0..<19 {
            clock.advance(seconds: 55)
            bench.receiver.receive(try bench.fix(56))
            #expect(bench.needed == 0)
            #expect(bench.receiver.answer(maximumAge: 0) == .now(first))
        }
        try await bench.passTime()
        #expect(bench.needed == 1)
        #expect(bench.receiver.answer(maximumAge: 0) == .wait)
        let second = try await bench.show(56)
        #expect(second.tick == first.tick.next)
        #expect(bench.shown == [first, second])
    }

    @Test @DaemonActor func `without a need for reduced positions there is no timer and no fix`() async throws {
        let bench = try bench()
        try await bench.begin()
        bench.receiver.release()
        #expect(bench.needed == 0)
        #expect(bench.receiver.timerDeadline == nil)
        bench.receiver.need()
        _ = try await bench.show()
        #expect(bench.receiver.timerDeadline != nil)
        bench.receiver.release()
        #expect(bench.receiver.timerDeadline == nil)
        #expect(bench.needed == 0)
    }

    @Test @DaemonActor func `a client that leaves with its reply leaves no need behind`() async throws {
        let bench = try bench()
        try await bench.begin()
        bench.whenShown = { [weak bench] in bench?.receiver.release() }
        _ = try await bench.show()
        #expect(bench.receiver.timerDeadline == nil)
        #expect(bench.needed == 0)
        bench.whenShown = {}
        clock.advance(seconds: 5_000)
        bench.receiver.need()
        #expect(bench.needed == 1)
    }

    @Test @DaemonActor func `a restart repeats the last position, at once for a waiting client`() async throws {
        let first = try bench()
        try await first.begin()
        let shown = try await first.show()
        first.receiver.stop()
        #expect(first.receiver.unavailable == .reducedUnavailable)
        clock.advance(seconds: 300)
        let second = try bench()
        try await second.begin()
        #expect(second.shown == [shown])
        #expect(second.receiver.answer(maximumAge: 0) == .now(shown))
        #expect(second.needed == 0)
        try await second.passTime()
        #expect(clock.utcMicroseconds == ReducedReceiverBench.noon + 1_200_000_000)
        #expect(second.needed == 1)
    }

    @Test @DaemonActor func `a stop while a fix is pending releases the receiver`() async throws {
        let bench = try bench()
        try await bench.begin()
        bench.receiver.stop()
        #expect(bench.needed == 0)
        #expect(bench.receiver.timerDeadline == nil)
        bench.receiver.receive(try bench.fix())
        #expect(bench.shown.isEmpty)
    }

    @Test @DaemonActor func `a clock set forward shows nothing for 19 minutes, one set back repeats the last`()
        async throws
    {
        let bench = try bench()
        try await bench.begin()
        let first = try await bench.show()
        clock.setWallClock(utcMicroseconds: ReducedReceiverBench.noon + 90_000_000_000)
        bench.receiver.clockWasSet()
        #expect(bench.needed == 0)
        let forth = try #require(bench.receiver.timerDeadline)
        #expect(forth - clock.monotonicNanoseconds == 1_140_000_000_000)
        #expect(bench.receiver.answer(maximumAge: 10) == .now(first))
        clock.setWallClock(utcMicroseconds: ReducedReceiverBench.noon - 90_000_000_000)
        bench.receiver.clockWasSet()
        #expect(bench.receiver.answer(maximumAge: 10) == .now(first))
        try await bench.passTime()
        #expect(bench.needed == 1)
        let second = try await bench.show(56)
        #expect(second.tick < first.tick)
    }

    @Test @DaemonActor func `a state from the future is repeated for 19 minutes`() async throws {
        let first = try bench()
        try await first.begin()
        let shown = try await first.show()
        clock.setWallClock(utcMicroseconds: ReducedReceiverBench.noon - 400_000_000_000_000)
        let second = try bench()
        try await second.begin()
        #expect(second.receiver.answer(maximumAge: 0) == .now(shown))
        let instant = try #require(second.receiver.timerDeadline)
        #expect(instant - clock.monotonicNanoseconds == 1_140_000_000_000)
        try await second.passTime()
        #expect(try await second.show().tick < shown.tick)
    }

    @Test(arguments: [0, 1, 48, 50, 5_000])
    @DaemonActor func `a state of another length is not used`(length: Int) async throws {
        try directory.write("reduced.state", bytes: [UInt8](repeating: 3, count: length))
        let bench = try bench()
        try await bench.begin()
        #expect(bench.receiver.current == nil)
        let shown = try await bench.show()
        #expect(try savedState()?.latest == shown)
    }

    @Test @DaemonActor func `a state that cannot be opened is set aside`() async throws {
        mkdir(directory.file("reduced.state"), 0o700)
        let bench = try bench()
        try await bench.begin()
        #expect(mode("reduced.state.damaged-1") != nil)
        #expect(bench.receiver.current == nil && bench.receiver.problem == nil)
        let shown = try await bench.show()
        #expect(try savedState()?.latest == shown)
    }

    @Test @DaemonActor func `a rotated key is durable with the reply, and moves the position at the next tick`()
        async throws
    {
        let bench = try bench()
        try await bench.begin()
        let first = try await bench.show()
        let keyFile = DeviceKeyFile(stateDirectory: directory.path)
        let old = try keyFile.load().key
        var outcomes: [Bool] = []
        var new: DeviceKey?
        bench.receiver.rotate { result in
            if case .success = result { outcomes.append(true) }
            new = Result { try keyFile.load().key }.value
        }
        // One rotation at a time.
        bench.receiver.rotate { result in
            if case .failure(.inProgress) = result { outcomes.append(false) }
        }
        #expect(try await eventually { () async throws -> Bool in outcomes.count == 2 })
        #expect(outcomes == [false, true])
        #expect(new != nil && new != old)
        #expect(bench.receiver.current == first)
        // Nor does a restart between the rotation and the tick change the position.
        let second = try ReducedReceiverBench(directory.path, clock: clock)
        try await second.begin()
        #expect(second.receiver.answer(maximumAge: 0) == .now(first))
        #expect(try savedState()?.keyIdentifier == old.identifier)
        try await bench.passTime()
        _ = try await bench.show()
        #expect(try savedState()?.keyIdentifier == new?.identifier)
    }

    @Test @DaemonActor func `a lost key is replaced, and the last position stays until its tick is over`() async throws
    {
        let first = try bench()
        try await first.begin()
        let shown = try await first.show()
        unlink(directory.file("device.key"))
        let second = try bench()
        try await second.begin()
        #expect(second.receiver.answer(maximumAge: 0) == .now(shown))
        #expect(second.needed == 0)
        #expect(mode("device.key") == 0o600)
    }

    @Test @DaemonActor func `a damaged key is set aside, and one readable by others is made private`() async throws {
        try directory.write("device.key", "no key at all")
        let first = try bench()
        try await first.begin()
        #expect(mode("device.key.damaged-1") != nil)
        #expect(mode("device.key") == 0o600)
        chmod(directory.file("device.key"), 0o666)
        let second = try bench()
        try await second.begin()
        #expect(mode("device.key") == 0o600)
    }

    @Test @DaemonActor func `without a key there are no positions, until it can be made`() async throws {
        mkdir(directory.file("device.key"), 0o700)
        let bench = try bench()
        bench.receiver.need()
        bench.receiver.open()
        #expect(try await eventually { () async throws -> Bool in bench.reported == [.reducedUnavailable] })
        #expect(bench.receiver.answer(maximumAge: 0) == .never(.reducedUnavailable))
        #expect(bench.receiver.unavailable == .reducedUnavailable)
        #expect(bench.receiver.problem?.contains("device key") == true)
        bench.receiver.receive(try bench.fix())
        #expect(bench.needed == 0)
        // A needed key is requested again, but not more than once a minute.
        rmdir(directory.file("device.key"))
        bench.receiver.need()
        #expect(bench.receiver.unavailable == .reducedUnavailable)
        clock.advance(seconds: 61)
        bench.receiver.need()
        #expect(try await eventually { () async throws -> Bool in bench.needed == 1 })
        #expect(bench.receiver.problem == nil)
        _ = try await bench.show()
    }

    @Test @DaemonActor func `without a state directory there are no positions`() async throws {
        let bench = try ReducedReceiverBench(directory.file("nowhere"), clock: clock)
        bench.receiver.need()
        bench.receiver.open()
        #expect(try await eventually { () async throws -> Bool in bench.reported == [.reducedUnavailable] })
        var failed = false
        bench.receiver.rotate { result in
            if case .failure(.key) = result { failed = true }
        }
        #expect(try await eventually { () async throws -> Bool in failed })
    }

    @Test @DaemonActor func `a rotation makes a key that could not be made before`() async throws {
        mkdir(directory.file("device.key"), 0o700)
        let bench = try bench()
        bench.receiver.need()
        bench.receiver.open()
        #expect(try await eventually { () async throws -> Bool in bench.reported.count == 1 })
        rmdir(directory.file("device.key"))
        var done = false
        bench.receiver.rotate { _ in done = true }
        #expect(try await eventually { () async throws -> Bool in done && bench.needed == 1 })
    }

    @Test @DaemonActor func `a rotation that ends while the key is loaded is in effect afterwards`() async throws {
        let other = try TemporaryDirectory()
        let new = try DeviceKeyFile(stateDirectory: other.path).rotate()
        let bench = try bench()
        bench.receiver.need()
        bench.receiver.open()
        // What the opening reads, here the key of its own directory, is only delivered later.
        bench.receiver.rotated(.success(OffsetField(new)))
        #expect(try await eventually { () async throws -> Bool in bench.needed == 1 })
        _ = try await bench.show()
        #expect(try savedState()?.keyIdentifier == new.identifier)
    }

    @Test @DaemonActor func `without a receiver a client does not wait`() async throws {
        let bench = try bench()
        bench.hopeless = .noReceiver
        #expect(bench.receiver.answer(maximumAge: 0) == .never(.noReceiver))
        try await bench.begin()
        #expect(bench.receiver.unavailable == .noReceiver)
        #expect(bench.receiver.answer(maximumAge: 0) == .never(.noReceiver))
    }

    @Test(.enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs, which root has"))
    @DaemonActor func `a full disk is reported, positions continue, and are saved when there is room`() async throws {
        let disk = try SmallDisk(kibibytes: 64)
        let bench = try ReducedReceiverBench(disk.path, clock: clock)
        let file = ReducedStateFile(stateDirectory: disk.path)
        try await bench.begin()
        let first = try await bench.show()
        try disk.fill()
        try await bench.passTime()
        let second = try await bench.show(56)
        #expect(bench.receiver.unsaved == 1)
        #expect(bench.receiver.problem?.contains("space") == true)
        #expect(bench.receiver.current == second)
        // The saved state is old but complete.
        guard case .state(let state) = try file.load() else {
            Issue.record("no state")
            return
        }
        #expect(state.latest == first)
        disk.free()
        try await bench.passTime()
        let third = try await bench.show(58)
        #expect(bench.receiver.problem == nil)
        guard case .state(let later) = try file.load() else {
            Issue.record("no state")
            return
        }
        #expect(later.latest == third)
    }
}

extension Result {
    fileprivate init(_ body: () throws(Failure) -> Success) {
        do throws(Failure) { self = .success(try body()) } catch { self = .failure(error) }
    }

    fileprivate var value: Success? {
        if case .success(let value) = self { value } else { nil }
    }
}

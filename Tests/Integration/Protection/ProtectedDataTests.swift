import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Waymark

/// What programs learn of data protection, through the libraries and from a real daemon: before data is locked, and afterwards.
@Suite(.waits, .timeLimit(.minutes(15))) struct ProtectedDataTests {
    private let daemon: DaemonProcess
    private static let passphrase = "a bicycle without a bell"

    init() throws { daemon = try DaemonProcess() }

    private func operate<Result>(_ body: (OperatorClient) throws -> Result) throws -> Result {
        try body(OperatorClient(daemon))
    }

    private func setPassphrase() throws {
        try operate {
            _ = try $0.client.call(
                ProtectionInterface.SetPassphrase(passphrase: Self.passphrase), timeout: .seconds(60))
        }
    }

    private func lock() throws {
        try operate { _ = try $0.client.call(ProtectionInterface.Lock(), timeout: .seconds(60)) }
    }

    private func unlock() throws {
        try operate {
            _ = try $0.client.call(ProtectionInterface.Unlock(secret: Self.passphrase), timeout: .seconds(60))
        }
    }

    private func kill() throws {
        daemon.signal(SIGKILL)
        #expect(try daemon.wait() == .killed(signal: SIGKILL))
    }

    @Test func `a sequence reports the announcement, the lock and the unlock once each, also after a killed daemon`()
        async throws
    {
        let client = WaymarkClient(socketPath: daemon.socketPath)
        var states = client.protectedDataUpdates().makeAsyncIterator()
        #expect(try await states.next() == .available)
        #expect(try await client.isProtectedDataAvailable())
        // It changes nothing, so the next element is the announcement.
        try setPassphrase()
        let before = SuspendingClock.now
        try lock()
        let announced = try await states.next()
        guard case .becomingUnavailable(let instant)? = announced else {
            Issue.record("\(String(describing: announced))")
            return
        }
        let remaining = before.duration(to: instant)
        #expect(remaining > .seconds(9) && remaining < .seconds(60), "\(remaining)")
        let queried = try await client.protectedData()
        #expect(queried.isAvailable && queried != .available)
        #expect(try await states.next() == .unavailable)
        // The library may have received the announcement late.
        #expect(before.duration(to: SuspendingClock.now) > .seconds(9), "the keys are erased no sooner than announced")
        #expect(try await !client.isProtectedDataAvailable())
        try unlock()
        #expect(try await states.next() == .available)

        // The data is unlocked before the time has passed, if the machine is not too busy to derive the key in it.
        let begun = SuspendingClock.now
        try lock()
        #expect(try await states.next()?.isAvailable == true)
        try unlock()
        let isInTime = begun.duration(to: SuspendingClock.now) < .seconds(10)
        var unlocked = try await states.next()
        if !isInTime, unlocked == .unavailable { unlocked = try await states.next() }
        #expect(unlocked == .available)

        try kill()
        await #expect(throws: WaymarkError.self) { try await client.isProtectedDataAvailable() }
        var later = client.protectedDataUpdates().makeAsyncIterator()
        try daemon.restart()
        #expect(try await states.next() == .unavailable, "no key survives the process")
        #expect(try await later.next() == .unavailable, "the sequence has begun without a daemon")
        // The state has not changed, so nothing is reported until somebody unlocks it.
        try kill()
        try daemon.restart()
        try daemon.waitForJournal()
        try unlock()
        #expect(try await states.next() == .available)
        #expect(try await later.next() == .available)
    }

    @Test func `a sequence ends with its task`() async throws {
        let client = WaymarkClient(socketPath: daemon.socketPath)
        let following = Task {
            var count = 0
            for try await _ in client.protectedDataUpdates() { count += 1 }
            return count
        }
        following.cancel()
        #expect(try await following.value <= 1)
    }

    @Test func `the delegate of an app is called before the lock and after the unlock, and for nothing else`() throws {
        let directory = try TemporaryDirectory()
        try setPassphrase()
        let program = try LifeCycle(in: directory, ["background"], socket: daemon.socketPath)
        var expected = ["launched without a reason for the 1. time"]
        #expect(try program.writes(expected))
        try lock()
        expected.append("data will be unavailable")
        #expect(try program.writes(expected), "\(daemon.log)")
        try #require(
            eventually(within: Patience.daemon) {
                try operate { try $0.client.call(ProtectionInterface.Status()).status.state == .locked }
            })
        try unlock()
        expected.append("data is available")
        #expect(try program.writes(expected), "the lock itself is not reported: it was announced")

        try kill()
        try daemon.restart()
        expected.append("data is unavailable")
        #expect(try program.writes(expected), "it was not announced")
        try unlock()
        expected.append("data is available")
        #expect(try program.writes(expected))
        program.signal(SIGTERM)
        #expect(try program.end() == .exited(0))
        expected += ["will terminate", "saved", "ended"]
        #expect(try program.lines == expected)
    }

    @Test func `the delegate of an app that the daemon has refused at first is called later`() throws {
        let crowded = try DaemonProcess(configuration: "[Socket]\nMaximumConnections=4\n")
        let first = try OperatorClient(crowded)
        var held: [OperatorClient] = []
        func clients() throws -> ManageInterface.Clients {
            try first.client.call(ManageInterface.Status(), timeout: .seconds(60)).status.clients
        }
        // The connection that has found out that the daemon is ready may still be open.
        try #require(
            eventually(within: Patience.daemon) {
                held.append(try OperatorClient(crowded))
                return try clients().connections == 4
            }, "\(crowded.log)")
        let refused = try clients().refused
        let directory = try TemporaryDirectory()
        let program = try LifeCycle(in: directory, ["background"], socket: crowded.socketPath)
        var expected = ["launched without a reason for the 1. time"]
        #expect(try program.writes(expected))
        // The query of the reason, and the stream.
        try #require(eventually(within: Patience.daemon) { try clients().refused >= refused + 2 })
        held = []
        try #require(eventually(within: Patience.daemon) { try clients().connections == 2 }, "\(crowded.log)")
        _ = try first.client.call(
            ProtectionInterface.SetPassphrase(passphrase: Self.passphrase), timeout: .seconds(60))
        _ = try first.client.call(ProtectionInterface.Lock(), timeout: .seconds(60))
        expected.append("data will be unavailable")
        #expect(try program.writes(expected), "\(crowded.log)")
        program.signal(SIGTERM)
        #expect(try program.end() == .exited(0))
    }

    @Test func `a program in C receives the announcement, the lock and the unlock, also after a killed daemon`() throws
    {
        let directory = try TemporaryDirectory()
        let program = try CompiledProgram(
            "Tests/Integration/Library/Programs/checks.c", to: directory.file("checks"), more: ["-ldl"])
        try setPassphrase()
        let process = try ChildProcess(
            ChildProcess.Launch(
                program.path, ["protection"], environment: ["WAYMARK_SOCKET": daemon.socketPath], output: .pipe,
                error: .inherited, isGuarded: true))
        defer { _ = try? process.terminate() }
        var text = ""
        var expected = ""
        func prints(_ lines: String...) throws -> Bool {
            expected += lines.map { $0 + "\n" }.joined()
            try PipeText.read(process.outputPipe, into: &text) { $0.utf8.count >= expected.utf8.count }
            return text == expected
        }
        #expect(try prints("once 1", "ended 0", "1"))
        try lock()
        // The program has checked the instant.
        #expect(try prints("2", "0"), "\(text) \(daemon.log)")
        try unlock()
        #expect(try prints("1"), "\(text)")
        try kill()
        #expect(try prints("interrupted"), "\(text)")
        try daemon.restart()
        #expect(try prints("resumed", "0"), "\(text)")
        try unlock()
        #expect(try prints("1"), "\(text)")
    }
}

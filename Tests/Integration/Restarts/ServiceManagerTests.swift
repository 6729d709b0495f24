import Glibc
import Interfaces
import JSONText
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// The messages between the daemon and its service manager, with the test in systemd's place.
@Suite(.waits) struct ServiceManagerTests {
    private let directory: TemporaryDirectory
    private let notifications: NotificationSocket

    init() throws {
        directory = try TemporaryDirectory()
        notifications = try NotificationSocket(directory.file("notify"))
    }

    // Notification

    @Test func `readiness, reload and stop are reported in order`() throws {
        let clock = SystemClock()
        let started = clock.monotonicNanoseconds
        let daemon = try launch()
        let ready = try notifications.next { $0.contains("READY=1") }
        let seconds = Double(clock.monotonicNanoseconds - started) / 1e9
        print("waymarkd: ready \((seconds * 10_000).rounded() / 10) ms after it was started")
        #expect(try #require(ready).hasPrefix("READY=1\nSTATUS="))
        #expect(try RawConnection(socketPath).isAnswered, "a ready daemon accepts calls")

        daemon.signal(SIGHUP)
        let reloading = try #require(try notifications.next { $0.contains("RELOADING=1") })
        let instant = reloading.split(separator: "\n").first { $0.hasPrefix("MONOTONIC_USEC=") }
        let microseconds = try #require(instant?.split(separator: "=").last.flatMap { UInt64($0) })
        #expect(microseconds >= started / 1_000 && microseconds <= clock.monotonicNanoseconds / 1_000)
        #expect(try notifications.next { $0.contains("READY=1") } != nil, "a reload ends")

        daemon.signal(SIGTERM)
        #expect(try notifications.next { $0.contains("STOPPING=1") }?.contains("STATUS=Stopping: SIGTERM.") == true)
        #expect(try daemon.wait(seconds: 60) == .exited(0))
        #expect(try notifications.next(seconds: 0) { $0.contains("READY=1") } == nil)
    }

    @Test func `a daemon that hands connections over waits until they are stored, and one without any does not`() throws
    {
        let daemon = try launch()
        #expect(try notifications.next { $0.contains("READY=1") } != nil)
        daemon.signal(SIGTERM)
        #expect(try daemon.wait(seconds: 60) == .exited(0))
        #expect(try notifications.next(seconds: 0) { $0.contains("FDSTORE=1") || $0.contains("BARRIER=1") } == nil)

        let next = try launch()
        #expect(try notifications.next { $0.contains("READY=1") } != nil)
        let client = try RawConnection(socketPath)
        #expect(try client.isAnswered)
        next.signal(SIGTERM)
        var reported: [String] = []
        while reported.last != "BARRIER=1", let text = try notifications.next(where: { $0.contains("=1") }) {
            reported.append(text)
        }
        #expect(reported.count { $0.contains("FDNAME=waymark-handover") } == 1)
        #expect(reported.dropLast().last?.contains("FDNAME=waymark-client-") == true, "\(reported)")
        #expect(try next.wait(seconds: 60) == .exited(0))
    }

    @Test func `neither the status, which every program may read, nor the log contains the receiver's position`()
        throws
    {
        let receiver = try PlayedReceiver.tenHertz()
        let daemon = try launch(gpsd: receiver.address, error: .pipe)
        #expect(try notifications.next { $0.contains("READY=1") }?.contains("STATUS=Running.") == true)
        let client = try Client(path: socketPath, timeout: .seconds(60))
        func health() throws -> JSON? {
            try client.call(ManageInterface.Method.status.rawValue, timeout: .seconds(60))["status"]?["health"]
        }
        let reader = try UpdateReader(socketPath)
        defer { reader.stop() }
        #expect(reader.receives(3))
        // A receiver that is late on a busy machine has no position meanwhile.
        #expect(try eventually { try health() == "ok" })
        receiver.stop()
        #expect(try eventually { try health() != "ok" })
        let request = JournalInterface.Read(kinds: [.fixAcquired, .fixLost])
        let events = try client.call(request, timeout: .seconds(60)).events
        #expect(events.count >= 2, "the journal has them: \(events)")
        daemon.signal(SIGTERM)
        let stopping = try notifications.next { text in
            #expect(!text.hasPrefix("STATUS="), "\(text)")
            return text.contains("STOPPING=1")
        }
        #expect(stopping != nil)
        #expect(try daemon.wait(seconds: 60) == .exited(0))
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(daemon.errorPipe, &bytes, bytes.count)
        let log = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        #expect(log.contains("receiver connected") && !log.contains("known"), "\(log)")
    }

    @Test func `the status reports problems of the daemon itself`() throws {
        try directory.write("state", "a file where a folder should be")
        let daemon = try launch()
        let reported = try notifications.next { $0.contains("STATUS=The journal does not record: ") }
        #expect(reported != nil)
        withExtendedLifetime(daemon) {}
    }

    @Test func `a reload with a mistake is reported as finished, too`() throws {
        let daemon = try launch()
        #expect(try notifications.next { $0.contains("READY=1") } != nil)
        try directory.write("waymark.conf", "[Nonsense]\n")
        daemon.signal(SIGHUP)
        #expect(try notifications.next { $0.contains("RELOADING=1") } != nil)
        #expect(try notifications.next { $0.contains("READY=1") } != nil)
        #expect(try RawConnection(socketPath).isAnswered)
    }

    // Watchdog

    @Test func `the watchdog is fed by the loop, and not while the loop is stuck`() throws {
        // Nobody reads this pipe: the loop blocks as soon as log messages have filled it.
        let daemon = try launch(
            more: ["WATCHDOG_USEC": "400000"], error: .pipe)
        // F_SETPIPE_SZ of fcntl(2), which the Glibc module leaves out.
        _ = fcntl(daemon.errorPipe, 1_031, 4_096)
        for _ in 0..<3 { #expect(try notifications.next { $0.contains("WATCHDOG=1") } != nil) }

        try directory.write("waymark.conf", "[Nonsense]\n")
        var client = try Client(path: socketPath, timeout: .seconds(60))
        var isStuck = false
        let deadline = PollDeadline(seconds: 120)
        while !isStuck, !deadline.hasPassed {
            // The loop must not wait for this socket instead.
            try notifications.discardWaiting()
            do throws(VarlinkError) {
                try client.call(ManageInterface.Method.reload.rawValue, timeout: .seconds(1))
            } catch {
                guard error == .timedOut else { continue }
                try notifications.discardWaiting()
                // A loop that is only late on a busy machine feeds it again, and its log is filled further.
                isStuck = try notifications.next(seconds: 1) { $0.contains("WATCHDOG=1") } == nil
                if !isStuck { client = try Client(path: socketPath, timeout: .seconds(60)) }
            }
        }
        #expect(isStuck, "the loop does not wait for its log, or a stuck loop is fed")

        // Once its log is read it continues.
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let isFed = try eventually {
            _ = read(daemon.errorPipe, &buffer, buffer.count)
            return try notifications.next(seconds: 0.1) { $0.contains("WATCHDOG=1") } != nil
        }
        #expect(isFed)
    }

    // Socket activation

    @Test func `sockets handed over are served, and no other is made`() throws {
        let (first, second) = (directory.file("first.sock"), directory.file("second.sock"))
        let daemon = try launch(sockets: ["stream:varlink:\(first)", "stream:other:\(second)"])
        #expect(try notifications.next { $0.contains("READY=1") } != nil)
        for path in [first, second] { #expect(try RawConnection(path).isAnswered) }
        #expect(access(socketPath, F_OK) != 0, "a socket of its own was made besides")

        // The service manager holds the sockets: they survive the daemon.
        daemon.signal(SIGTERM)
        #expect(try daemon.wait(seconds: 60) == .exited(0))
        #expect(access(first, F_OK) == 0 && access(second, F_OK) == 0)
    }

    @Test func `a call made before the daemon runs succeeds by systemd's socket activation`() throws {
        guard let activate = ExecutableSearch.find("systemd-socket-activate", alsoIn: ["/usr/bin"]) else {
            print("systemd-socket-activate is not installed: only the test's own stand-in was tested")
            return
        }
        let path = directory.file("activated.sock")
        let daemon = try ChildProcess(
            ChildProcess.Launch(
                activate,
                ["--listen", path, "--fdname", "varlink"] + environment().map { "--setenv=\($0.key)=\($0.value)" }
                    + [try Products.program("waymarkd")] + arguments(gpsd: "none"),
                environment: environment()))
        // The socket exists before the program listens on it.
        var connection: RawConnection?
        let isConnected = try eventually {
            do throws(SystemError) { connection = try RawConnection(path) } catch {
                if error.code != ENOENT, error.code != ECONNREFUSED { throw error }
            }
            return connection != nil
        }
        #expect(isConnected)
        #expect(try connection?.isAnswered == true)
        #expect(try notifications.next { $0.contains("READY=1") } != nil)
        #expect(access(socketPath, F_OK) != 0)
        daemon.signal(SIGTERM)
        #expect(try daemon.wait(seconds: 60) == .exited(0))
    }

    @Test(arguments: ["datagram", "unbound", "generic"])
    func `a socket of a wrong kind is refused with its name`(_ kind: String) throws {
        let path = directory.file("wrong.sock")
        let log = try refusal(of: ["\(kind):nonsense:\(path)"])
        #expect(log.contains("nonsense") && log.contains("error"), "\(log)")
    }

    @Test(arguments: [1, 3])
    func `netlink sockets are required in pairs`(_ count: Int) throws {
        let log = try refusal(of: [String](repeating: "route:network:", count: count))
        #expect(log.contains("\(count) netlink sockets") && log.contains("ListenNetlink=route"), "\(log)")
    }

    /// The error output of a daemon that does not start with these sockets.
    private func refusal(of sockets: [String]) throws -> String {
        let daemon = try launch(sockets: sockets, error: .pipe)
        #expect(try daemon.wait(seconds: 60) == .exited(1))
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(daemon.errorPipe, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func `sockets meant for another process are left alone`() throws {
        let daemon = try launch(more: ["LISTEN_PID": "1", "LISTEN_FDS": "1"])
        #expect(try notifications.next { $0.contains("READY=1") } != nil)
        #expect(try RawConnection(socketPath).isAnswered)
        withExtendedLifetime(daemon) {}
    }
}

// The daemon

extension ServiceManagerTests {
    private var socketPath: String { directory.file("waymark.sock") }

    private func arguments(gpsd: String) throws -> [String] {
        [
            "--config", try directory.write("waymark.conf", ""), "--state-directory", directory.file("state"),
            "--socket", socketPath, "--gpsd", gpsd,
        ]
    }

    private func environment(_ more: [String: String] = [:]) -> [String: String] {
        var environment = ["NOTIFY_SOCKET": directory.file("notify"), "PATH": "/usr/bin:/bin"]
        for name in ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"] {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        return environment.merging(more) { $1 }
    }

    /// Starts a daemon with the test as its service manager.
    private func launch(
        gpsd: String = "none", sockets: [String] = [], more: [String: String] = [:],
        error: ChildProcess.Stream = .inherited
    ) throws -> ChildProcess {
        let program = try Products.program("waymarkd")
        let arguments = try arguments(gpsd: gpsd) + (error == .inherited ? ["--log-level", "error"] : [])
        guard !sockets.isEmpty else {
            return try ChildProcess(
                ChildProcess.Launch(program, arguments, environment: environment(more), error: error))
        }
        let helper = try Products.file("Tests/Integration/Foreign/activate.py")
        return try ChildProcess(
            ChildProcess.Launch(
                "/usr/bin/python3", [helper] + sockets + ["--", program] + arguments, environment: environment(more),
                error: error))
    }
}

import CTest
import Configuration
import Glibc
import NetworkPaths
import Platform
import Resolver
import TestSupport
import Testing

@testable import Daemon

@DaemonActor private func answer(_ resolver: NameResolver, _ name: String) async throws -> NameAnswer? {
    let name = try #require(HostName(name))
    return await withCheckedContinuation { continuation in
        resolver.resolve(name, for: 7) { continuation.resume(returning: $0) }
    }
}

@DaemonActor private func isIdle(_ resolver: NameResolver) async throws -> Bool {
    try await eventually { () async throws -> Bool in resolver.load == (0, 0) }
}

private func limits(milliseconds: UInt64) -> NameQueries.Limits {
    var limits = NameQueries.Limits()
    limits.patience = milliseconds * 1_000_000
    // The limit on queueing is tested elsewhere.
    limits.queueing = max(limits.queueing, limits.patience)
    return limits
}

/// Name lookups by programs with different behavior.
@Suite struct NameResolverTests {
    private let directory: TemporaryDirectory

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
    }

    @DaemonActor private func resolver(
        _ script: String, _ limits: NameQueries.Limits = limits(milliseconds: 60_000),
        clock: any TimeSource = SystemClock()
    ) throws -> NameResolver {
        let original = try directory.write("script", "#!/bin/sh\n\(script)\n")
        let path = directory.file("resolver")
        try ExecutableCopy.make(of: original, at: path)
        return try NameResolver(.program(path: path), limits: limits, clock: clock)
    }

    @Test @DaemonActor func `the program that is built replies`() async throws {
        let resolver = try NameResolver(
            .program(path: try Products.program("waymark-resolver")), limits: limits(milliseconds: 60_000))
        guard case .addresses(let addresses) = try await answer(resolver, "localhost") else {
            Issue.record("localhost has no address")
            return
        }
        #expect(addresses.contains { $0.address.isLoopback })
        #expect(try await isIdle(resolver))
    }

    @Test(arguments: [
        ("read name; echo 192.0.2.1; echo fe80::1%2; echo found", "192.0.2.1\nfe80::1%2\nfound\n"),
        ("read name; echo notFound", "notFound\n"), ("read name; echo tryAgain; exit 1", "tryAgain\n"),
        ("read name; echo failed to $name", "failed to host.example\n"), ("echo notFound", "notFound\n"),
        ("exit 3", "failed the resolver exited with code 3\n"),
        ("echo 192.0.2.1", "failed the resolver exited with code 0\n"),
        ("echo found", "failed the resolver exited with code 0\n"),
        ("kill -KILL $$", "failed the resolver was killed by signal 9\n"),
        ("yes", "failed the resolver's reply is too long\n"),
        ("echo notFound; exec sleep 1000 >&-", "notFound\n"),
        ("sleep 1000 & echo notFound", "notFound\n"),
        ("sleep 1000 & exit 4", "failed the resolver exited with code 4\n"),
    ])
    @DaemonActor func `a program's output is the reply, and it exits`(script: String, said: String) async throws {
        let resolver = try resolver(script)
        #expect(try await answer(resolver, "host.example") == NameAnswer(lines: Array(said.utf8)))
        #expect(try await isIdle(resolver))
    }

    @Test @DaemonActor func `a program that exceeds its time limit is killed, and the name can be requested again`()
        async throws
    {
        let clock = ManualClock.beginningNow()
        let resolver = try resolver(
            "echo $$ >\(directory.file("pid")); exec sleep 1000", limits(milliseconds: 2_000), clock: clock)
        let name = try #require(HostName("host.example"))
        var answers: [NameAnswer?] = []
        resolver.resolve(name, for: 7) { answers.append($0) }
        var text = ""
        #expect(
            try await eventually { () async throws -> Bool in
                text = attempt { String(decoding: try directory.bytes("pid"), as: UTF8.self) } ?? ""
                return text.hasSuffix("\n")
            })
        let processID = try #require(pid_t(text.dropLast()))
        clock.advance(seconds: 2)
        #expect(try await eventually { () async throws -> Bool in answers == [.notAnswering] })
        #expect(try await isIdle(resolver))
        #expect(!processExists(processID))
        #expect(resolver.figures.expired == 1)
        resolver.resolve(name, for: 7) { answers.append($0) }
        clock.advance(seconds: 2)
        #expect(try await eventually { () async throws -> Bool in answers == [.notAnswering, .notAnswering] })
    }

    @Test @DaemonActor func `an exit is reported once, even while its descriptor is open elsewhere`() async throws {
        let resolver = try resolver("sleep 0.1; echo notFound")
        var answers: [NameAnswer?] = []
        resolver.resolve(try #require(HostName("host.example")), for: 7) { answers.append($0) }
        // Like a forked child that has not called exec yet.
        let held = DirectoryListing.names("/proc/self/fd").compactMap { name -> Int32? in
            guard let number = Int32(name) else { return nil }
            var target = [CChar](repeating: 0, count: 64)
            let count = readlink("/proc/self/fd/\(number)", &target, target.count)
            let text = target.prefix(max(0, count)).map(UInt8.init(bitPattern:))
            guard text.elementsEqual("anon_inode:[pidfd]".utf8) || text.starts(with: "pidfd:".utf8) else { return nil }
            let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
            return copy >= 0 ? copy : nil
        }
        #expect(!held.isEmpty)
        defer { for descriptor in held { close(descriptor) } }
        #expect(try await isIdle(resolver))
        // The kernel reports the open descriptor until it is removed from the loop.
        for _ in 0..<10 { try await elapsed(.milliseconds(5)) }
        #expect(answers == [.notFound])
    }

    @Test @DaemonActor func `a program without waiting requests is ended`() async throws {
        let resolver = try resolver("exec sleep 1000")
        let name = try #require(HostName("host.example"))
        let first = resolver.resolve(name, for: 7) { _ in Issue.record("it was cancelled") }
        let second = resolver.resolve(name, for: 7) { _ in Issue.record("it was cancelled") }
        #expect(resolver.figures.joined == 1 && resolver.load == (1, 0))
        resolver.cancel(first)
        resolver.cancel(first)
        #expect(resolver.load == (1, 0))
        resolver.cancel(second)
        #expect(try await isIdle(resolver))
    }

    @Test @DaemonActor func `a hundred names of two users are looked up eight at a time`() async throws {
        let folder = directory.file("running")
        mkdir(folder, 0o755)
        // Each process counts those that run beside it.
        let resolver = try resolver(
            """
            : >\(folder)/$$; ls \(folder) | wc -l >>\(directory.file("counts")); sleep 0.02; rm \(folder)/$$
            echo 192.0.2.1; echo found
            """, limits(milliseconds: 60_000))
        var answers: [NameAnswer?] = []
        for number in 0..<100 {
            resolver.resolve(try #require(HostName("host\(number).example")), for: 7 + UInt32(number % 2)) {
                answers.append($0)
            }
        }
        #expect(resolver.load == (8, 92))
        #expect(try await eventually { () async throws -> Bool in answers.count == 100 })
        let expected = NameAnswer(lines: Array("192.0.2.1\nfound\n".utf8))
        #expect(answers.allSatisfy { $0 == expected })
        let counts = String(decoding: try BoundedFile.bytes(of: directory.file("counts"), limit: 4_096), as: UTF8.self)
            .split(separator: "\n").compactMap { Int($0) }
        #expect(counts.count == 100 && counts.allSatisfy { $0 <= 8 })
        #expect(resolver.figures.started == 100)
    }

    @Test @DaemonActor func `a request without room is answered later, as not looked up`() async throws {
        var limits = NameQueries.Limits()
        (limits.running, limits.runningInAll, limits.waiting) = (1, 1, 1)
        // Longer than this test may take on a busy machine.
        (limits.patience, limits.queueing) = (600_000_000_000, 600_000_000_000)
        let resolver = try resolver("exec sleep 1000", limits)
        var answered: [Int] = []
        var tickets: [NameResolver.Ticket] = []
        for number in 0..<4 {
            tickets.append(
                resolver.resolve(try #require(HostName("host\(number).example")), for: 7) { answer in
                    #expect(answer == nil)
                    answered.append(number)
                })
        }
        #expect(answered.isEmpty, "never within the call")
        resolver.cancel(tickets[3])
        #expect(try await eventually { () async throws -> Bool in answered == [2] })
        #expect(resolver.figures.refused == 2)
        for ticket in tickets { resolver.cancel(ticket) }
        #expect(try await isIdle(resolver))
        #expect(answered == [2])
    }

    @Test @DaemonActor func `without a program names cannot be looked up`() async throws {
        let resolver = try NameResolver(.program(path: directory.file("missing")))
        #expect(resolver.problem == nil)
        #expect(try await answer(resolver, "host.example") == .failed("the resolver is missing"))
        #expect(resolver.problem?.contains(directory.file("missing")) == true)
        try directory.write("missing", "no program")
        #expect(try await answer(resolver, "host.example") == .failed("the resolver is missing"))
        chmod(directory.file("missing"), 0o755)
        #expect(try await answer(resolver, "host.example") == .failed("the resolver cannot be started"))
        #expect(resolver.apply(.none))
        #expect(!resolver.apply(.none))
        guard case .failed = try await answer(resolver, "host.example") else {
            Issue.record("it was looked up")
            return
        }
        #expect(try await isIdle(resolver))
    }

    /// Acts as systemd for a unit with Accept=yes: one process for each connection.
    @DaemonActor private final class AcceptingUnit {
        let listener: OwnedDescriptor
        private let program: String
        private let arguments: [String]
        private var source: IOSource?
        private(set) var started: [ChildProcess] = []

        init(_ path: String, _ program: String, _ arguments: [String] = []) throws {
            self.program = program
            self.arguments = arguments
            listener = try UnixSocket.listen(path: path, mode: 0o600)
            source = try IOSource(listener.number, .readable) { [weak self] _ in
                do { try self?.accept() } catch { Issue.record(error) }
            }
        }

        private func accept() throws {
            guard let connection = try UnixSocket.accept(listener.number) else { return }
            _ = fcntl(connection.number, F_SETFL, 0)
            started.append(
                try ChildProcess(
                    ChildProcess.Launch(
                        program, arguments, input: .descriptor(connection.number),
                        output: .descriptor(connection.number))))
        }

        isolated deinit { source?.cancel() }
    }

    @Test @DaemonActor func `if a socket is configured, the service behind it looks names up`() async throws {
        let path = directory.file("resolver.sock")
        let unit = try AcceptingUnit(path, try Products.program("waymark-resolver"))
        let resolver = try NameResolver(.program(path: path), limits: limits(milliseconds: 60_000))
        guard case .addresses(let addresses) = try await answer(resolver, "localhost") else {
            Issue.record("localhost has no address")
            return
        }
        #expect(addresses.contains { $0.address.isLoopback })
        #expect(try await isIdle(resolver))
        #expect(unit.started.count == 1)
    }

    @Test(arguments: [
        ("echo 192.0.2.1", "failed the resolver closed the connection without a reply\n"),
        ("read n; echo tryAgain", "tryAgain\n"),
        ("read n", "failed the resolver closed the connection without a reply\n"), ("exit 0", "no server was queried"),
        ("yes", "failed the resolver's reply is too long\n"), ("read n; exec sleep 1000", "tryAgain\n"),
    ])
    @DaemonActor func `output behind a socket is the reply, and silence is none`(
        script: String, said: String
    ) async throws {
        let path = directory.file("resolver.sock")
        let unit = try AcceptingUnit(path, "/bin/sh", ["-c", script])
        let patience: UInt64 = script.contains("sleep") ? 1_000 : 60_000
        let resolver = try NameResolver(.program(path: path), limits: limits(milliseconds: patience))
        #expect(try await answer(resolver, "host.example") == NameAnswer(lines: Array(said.utf8)))
        #expect(try await isIdle(resolver))
        #expect(unit.started.count == 1)
    }

    @Test @DaemonActor func `a service that closes every connection is reported after a while`() async throws {
        let path = directory.file("resolver.sock")
        var unit: AcceptingUnit? = try AcceptingUnit(path, "/bin/true")
        let clock = ManualClock(monotonicNanoseconds: 1 << 60, utcMicroseconds: 0)
        let resolver = try NameResolver(.program(path: path), limits: limits(milliseconds: 600_000), clock: clock)
        for (pause, isProblem) in [(0.0, false), (300, false), (15, false), (10, true), (60, true), (3_600, true)] {
            clock.advance(seconds: pause)
            #expect(try await answer(resolver, "host.example") == nil)
            #expect((resolver.problem != nil) == isProblem)
        }
        #expect(resolver.problem?.contains(path) == true)
        unit = nil
        _ = unlink(path)
        unit = try AcceptingUnit(path, "/bin/sh", ["-c", "read n; echo tryAgain"])
        #expect(try await answer(resolver, "host.example") == .notAnswering)
        #expect(resolver.problem == nil)
        #expect(try await isIdle(resolver))
        _ = unit
    }

    @Test @DaemonActor func `a socket without a listener or with a full queue only fails the requested names`()
        async throws
    {
        let path = directory.file("resolver.sock")
        let listener = try UnixSocket.listen(path: path, mode: 0o600, backlog: 1)
        let resolver = try NameResolver(.program(path: path), limits: limits(milliseconds: 300))
        var answers: [NameAnswer?] = []
        for number in 0..<4 {
            resolver.resolve(try #require(HostName("host\(number).example")), for: 7) { answers.append($0) }
        }
        #expect(try await eventually { () async throws -> Bool in answers.count == 4 })
        // The accepted ones get no reply; for the others no server was queried.
        #expect(answers.contains(.notAnswering) && answers.contains(nil))
        #expect(answers.allSatisfy { $0 == .notAnswering || $0 == nil })
        // Closing alone would leave the socket with a program that another test is just starting.
        shutdown(listener.number, Int32(SHUT_RDWR))
        listener.close()
        #expect(try await answer(resolver, "host.example") == .failed("the resolver cannot be started"))
        #expect(try await isIdle(resolver))
    }

    @Test(.enabled(if: geteuid() == 0, "only root has capabilities to hand on"))
    @DaemonActor func `the program gets two variables, three descriptors and no capability`() async throws {
        #expect(waymark_test_raise_ambient(10) == 0, "CAP_NET_BIND_SERVICE")
        defer { waymark_test_lower_ambient(10) }
        let said = directory.file("said")
        let resolver = try resolver(
            """
            { env | grep -vE '^(PWD|SHLVL|_|OLDPWD)='; ls /proc/$$/fd; grep CapAmb /proc/$$/status; } >\(said)
            echo notFound
            """)
        #expect(try await answer(resolver, "host.example") == .notFound)
        let text = String(decoding: try BoundedFile.bytes(of: said, limit: 4_096), as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(Set(lines.prefix(2)) == ["LANG=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"])
        #expect(lines.last == "CapAmb:\t0000000000000000")
        // The shell itself has its script open, and the file that it writes to.
        #expect(lines.dropFirst(2).dropLast().allSatisfy { ["0", "1", "2", "10", "11"].contains($0) }, "\(lines)")
    }
}

/// Name lookups in a network with or without a name server.
@Suite(.enabled(if: NameServer.isPossible, "only root can make a network, with dnsmasq in it"))
struct NameServerTests {
    private let server: NameServer

    init() throws {
        LoopThread.start()
        server = try NameServer()
    }

    @DaemonActor private func resolver(milliseconds: UInt64 = 60_000) throws -> NameResolver {
        try NameResolver(.program(path: try server.resolver()), limits: limits(milliseconds: milliseconds))
    }

    @Test @DaemonActor func `names have the addresses that hosts and the name server have`() async throws {
        try server.start()
        let resolver = try resolver()
        for (name, expected) in [
            ("one.example", ["198.51.100.1"]), ("ONE.example.", ["198.51.100.1"]), ("six.example", ["2001:db8::6"]),
            ("both.example", ["198.51.100.2", "2001:db8::2"]), ("listed.example", ["203.0.113.1"]),
            ("bücher.example", ["198.51.100.4"]),
        ] {
            guard case .addresses(let addresses) = try await answer(resolver, name) else {
                Issue.record("\(name) has no address")
                continue
            }
            #expect(addresses.map(\.description).sorted() == expected, "\(name)")
        }
        #expect(try await answer(resolver, "missing.example") == .notFound)
        // dnsmasq refuses names without a server for them.
        #expect(try await answer(resolver, "elsewhere.test") != .notFound)
        var answers: [NameAnswer?] = []
        for number in 0..<100 {
            resolver.resolve(try #require(HostName("host\(number).many.example")), for: 7) { answers.append($0) }
        }
        #expect(resolver.load.processes <= 8)
        #expect(try await eventually { () async throws -> Bool in answers.count == 100 })
        #expect(answers.allSatisfy { $0?.text == "198.51.100.3\nfound\n" })
    }

    @Test @DaemonActor func `a name server that starts, stops and starts again is queried each time`() async throws {
        let resolver = try resolver()
        #expect(try await answer(resolver, "one.example") == .notAnswering)
        #expect(try await answer(resolver, "listed.example")?.text == "203.0.113.1\nfound\n")
        try server.start()
        #expect(try await answer(resolver, "one.example")?.text == "198.51.100.1\nfound\n")
        try server.stop()
        #expect(try await answer(resolver, "one.example") == .notAnswering)
        try server.ask(NameServer.nobody)
        try server.start()
        #expect(try await answer(resolver, "one.example") == .notAnswering)
        try server.ask(NameServer.address)
        #expect(try await answer(resolver, "one.example")?.text == "198.51.100.1\nfound\n")
    }

    @Test @DaemonActor func `a name server that never replies is given up in time`() async throws {
        try server.start()
        try server.ask(NameServer.silent)
        let resolver = try resolver(milliseconds: 400)
        #expect(try await answer(resolver, "one.example") == .notAnswering)
        // And not by the program itself, whose limit is five seconds for each of two queries.
        #expect(resolver.figures.expired == 1)
        #expect(try await isIdle(resolver))
    }
}

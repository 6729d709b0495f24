import Glibc
import Interfaces
import JSONText
import NetworkPaths
import Platform
import TestClients
import TestSupport
import Testing
import Varlink

/// `io.waymark.Reachability` of a daemon in a network of its own.
@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "creating a network namespace needs root"))
struct ReachabilityServiceTests {
    private let network: TestNetwork
    private let world = TestNetwork.worldIPv4

    private let programs: TemporaryDirectory

    init() throws {
        network = try TestNetwork(.ipv4)
        programs = try TemporaryDirectory()
    }

    private func start(_ configuration: String = "", maximumConnections: Int = 64) throws -> DaemonProcess {
        var surroundings = DaemonSurroundings()
        surroundings.entrance = network.machine.entrance
        let directory = try TemporaryDirectory()
        // Other users' programs connect too.
        try retrying("chmod", subject: directory.path) { chmod(directory.path, 0o755) }
        return try DaemonProcess(
            in: directory,
            configuration:
                "[Socket]\nMaximumConnectionsPerUser=\(maximumConnections)\n[Reachability]\n\(configuration)",
            surroundings: surroundings)
    }

    /// A resolver program with predefined results.
    private func resolver(_ name: String, _ script: String) throws -> String {
        let path = try programs.write(name, "#!/bin/sh\nread name; \(script)\n")
        try retrying("chmod", subject: path) { chmod(path, 0o755) }
        return path
    }

    private func status(_ daemon: DaemonProcess) throws -> DaemonStatus.Network {
        let client = try Client(path: daemon.socketPath)
        let reply = try client.call(ManageInterface.Method.status.rawValue, timeout: .seconds(60))
        return try #require(DaemonStatus(reply["status"] ?? .null)?.network)
    }

    /// The minimum number of resolved names with this outcome: where a test sets the clock, all daemons query again.
    private func lookups(_ daemon: DaemonProcess, _ outcome: String) throws -> Int64 {
        try status(daemon).lookups[outcome] ?? 0
    }

    // The path

    @Test func `the path is that of the daemon's network`() throws {
        let daemon = try start()
        let path = try #require(try NetworkReader(daemon.socketPath).path())
        #expect(path.status == .satisfied && path.reason == nil)
        #expect(path.interfaces.map(\.name) == ["up0"] && path.interfaces.first?.kind == .wired)
        #expect(path.gateways == [IPAddress(TestNetwork.routerIPv4())])
        #expect(path.supportsIPv4 && !path.supportsIPv6)
        let status = try status(daemon)
        #expect(status.status == .satisfied && status.interfaces == ["up0"] && status.problem == nil)
        #expect(status.evaluations > 0)
    }

    @Test func `a loss is reported, and the gain after it, each once`() throws {
        let daemon = try start()
        let readers = try (0..<3).map { _ in try NetworkReader(daemon.socketPath) }
        for reader in readers { try reader.watchPath() }
        let first = try readers.map { try $0.nextPath() }
        #expect(first.allSatisfy { $0.status == .satisfied })
        try network.far.ip("link set far0 down")
        let lost = try readers.map { try $0.nextPath() }
        #expect(lost.allSatisfy { $0.status == .requiresConnection && $0.reason == .noCarrier }, "\(lost)")
        try network.restore()
        let gained = try readers.map { try $0.path(.satisfied) }
        for (path, before) in zip(gained, first) {
            #expect(path.generation > before.generation)
            var path = path
            path.generation = before.generation
            #expect(path == before)
        }
        for reader in readers { #expect(try reader.isQuiet(seconds: 0.5)) }
        #expect(try status(daemon).monitors == 3)

        let events = try Client(path: daemon.socketPath).call(
            JournalInterface.Method.read.rawValue, ["kinds": ["networkChanged"]], timeout: .seconds(60))
        let reported = events["events"]?.arrayValue?.compactMap { $0["details"]?["status"]?.stringValue } ?? []
        #expect(reported.first == "requiresConnection" && reported.last == "satisfied", "\(events)")
    }

    @Test func `a client that stopped reading gets the newest state, and the number of missed updates`() throws {
        let daemon = try start("Settle=0\n")
        let (lagging, other) = (try NetworkReader(daemon.socketPath), try NetworkReader(daemon.socketPath))
        try lagging.watchPath()
        let first = try lagging.nextPath()
        try other.watchPath()
        var newest = try other.nextPath()
        func hasDropped() throws -> Bool {
            let client = try Client(path: daemon.socketPath)
            let reply = try client.call(ManageInterface.Method.status.rawValue, timeout: .seconds(60))
            return (DaemonStatus(reply["status"] ?? .null)?.clients.dropped ?? 0) > 0
        }
        for _ in 0..<500 where try !hasDropped() {
            try network.machine.ip("route del default")
            newest = try other.nextPath()
            #expect(newest.status == .unsatisfied)
            try network.restore()
            newest = try other.nextPath()
        }
        #expect(try hasDropped())
        var reported = [first]
        while reported.last != newest, reported.count < 1_000 { reported.append(try lagging.nextPath()) }
        #expect(reported.last == newest)
        #expect(Int64(reported.count) <= newest.generation - first.generation, "nothing was left out")
        #expect(zip(reported, reported.dropFirst()).allSatisfy { $0.generation < $1.generation })
    }

    @Test func `a reload that makes an interface expensive is reported`() throws {
        let daemon = try start()
        let reader = try NetworkReader(daemon.socketPath)
        try reader.watchPath()
        #expect(try !reader.nextPath().isExpensive)
        try daemon.directory.write("waymark.conf", "[Reachability]\nExpensive=up*\n")
        let manage = try Client(path: daemon.socketPath)
        let reply = try manage.call(ManageInterface.Method.reload.rawValue, timeout: .seconds(60))
        #expect(reply["changed"]?.arrayValue?.contains("Reachability.Expensive") == true)
        #expect(try reader.nextPath().isExpensive)
    }

    @Test func `after a reload that names another resolver that resolver is used`() throws {
        let other = "203.0.113.9"
        let daemon = try start("Resolver=\(try resolver("one", "echo \(world); echo found"))")
        let reader = try network.machine.inside { try NetworkReader(daemon.socketPath) }
        try reader.watch("tracker.example")
        #expect(try reader.target(.reachable).address == IPAddress(world))
        try daemon.directory.write(
            "waymark.conf", "[Reachability]\nResolver=\(try resolver("other", "echo \(other); echo found"))\n")
        let manage = try Client(path: daemon.socketPath)
        let reply = try manage.call(ManageInterface.Method.reload.rawValue, timeout: .seconds(60))
        #expect(reply["changed"]?.arrayValue?.contains("Reachability.Resolver") == true)
        #expect(try reader.nextTarget().address == IPAddress(other))
    }

    // Hosts

    @Test func `a host is evaluated, and the evaluated parts are reported`() throws {
        let daemon = try start()
        let answer = try #require(try NetworkReader(daemon.socketPath).target(world, port: 443))
        #expect(answer.target.status == .reachable && answer.target.host == world && answer.target.port == 443)
        #expect(answer.target.source == IPAddress(TestNetwork.ownIPv4()))
        #expect(answer.target.gateway == IPAddress(TestNetwork.routerIPv4()))
        #expect(answer.target.interface?.name == "up0" && answer.target.table == 254)
        #expect(answer.steps.map(\.subject).contains(.route), "\(answer.steps)")
        #expect(answer.steps.allSatisfy { $0.outcome != .bad }, "\(answer.steps)")
        #expect(try status(daemon).targets == 0)
    }

    @Test func `programs of one user that watch one host share its evaluation`() throws {
        let daemon = try start()
        let readers = try (0..<3).map { _ in try NetworkReader(daemon.socketPath) }
        for reader in readers { try reader.watch(world) }
        for reader in readers { #expect(try reader.nextTarget().status == .reachable) }
        let before = try status(daemon)
        #expect(before.targets == 1 && before.monitors == 3)
        try network.machine.ip("route del default")
        for reader in readers {
            let target = try reader.nextTarget()
            #expect(target.status == .unreachable && target.reason == .noRoute)
        }
        try network.restore()
        for reader in readers { #expect(try reader.target(.reachable).generation == 2) }
    }

    @Test func `a host is forgotten with the last program that watches it`() throws {
        let daemon = try start()
        do {
            let reader = try NetworkReader(daemon.socketPath)
            try reader.watch(world)
            #expect(try reader.nextTarget().status == .reachable)
            #expect(try status(daemon).targets == 1)
        }
        #expect(try eventually { try status(daemon).targets == 0 })
    }

    @Test func `a text that is neither a name nor an address is no host`() throws {
        let daemon = try start()
        let reader = try NetworkReader(daemon.socketPath)
        for host in ["", "a b", "192.0.2.1:80", "[::1]", "-", "a..b", String(repeating: "a", count: 300)] {
            #expect(try Refusal { _ = try reader.target(host) }?.error == .reachabilityInvalidHost, "\(host)")
        }
        #expect(throws: VarlinkError.self) { try reader.target(world, port: 0) }
    }

    @Test func `names are not resolved for programs of another network`() throws {
        let daemon = try start()
        // The test itself is one.
        let reader = try NetworkReader(daemon.socketPath)
        #expect(try Refusal { _ = try reader.target("example.org") }?.error == .reachabilityOtherNetwork)
        try reader.watch("example.org")
        #expect(try Refusal { _ = try reader.nextTarget() }?.error == .reachabilityOtherNetwork)
        #expect(try status(daemon).targets == 0)
    }

    @Test func `a name is resolved for programs of the watched network`() throws {
        try network.machine.replace("hosts", "\(world) tracker.example other.example\n")
        let daemon = try start()
        func reader() throws -> NetworkReader { try network.machine.inside { try NetworkReader(daemon.socketPath) } }
        let answer = try #require(try reader().target("tracker.example", port: 443))
        #expect(answer.target.status == .reachable && answer.target.address == IPAddress(world), "\(answer)")
        #expect(answer.target.host == "tracker.example" && answer.target.port == 443)
        // Other names get no reply here.
        let unknown = try #require(try reader().target("nobody.example"))
        #expect(unknown.target.status == .unknown && unknown.target.reason == .nameServerNotAnswering, "\(unknown)")
        let watching = try reader()
        try watching.watch("other.example")
        #expect(try watching.target(.reachable).address == IPAddress(world))
        try network.machine.ip("route del default")
        #expect(try watching.nextTarget().reason == .noRoute)
        #expect(try lookups(daemon, "found") >= 2 && lookups(daemon, "notAnswering") >= 1)
    }

    @Test func `a name is resolved again when the hosts file changes`() throws {
        try network.machine.replace("hosts", "127.0.0.1 localhost\n")
        let daemon = try start()
        let reader = try network.machine.inside { try NetworkReader(daemon.socketPath) }
        try reader.watch("tracker.example")
        let first = try reader.nextTarget()
        #expect(first.status == .unknown)
        try network.machine.replace("hosts", "127.0.0.1 localhost\n\(world) tracker.example\n")
        #expect(try reader.target(.reachable).address == IPAddress(world))
    }

    @Test func `a query for a name that others watch returns its current state`() throws {
        let answer = try programs.write("answer", "notFound\n")
        let daemon = try start("Resolver=\(try resolver("told", "cat \(answer)"))")
        func reader() throws -> NetworkReader { try network.machine.inside { try NetworkReader(daemon.socketPath) } }
        let watching = try reader()
        try watching.watch("tracker.example")
        #expect(try watching.target(.unreachable).reason == .nameNotFound)
        let before = try lookups(daemon, "notFound")
        #expect(try reader().target("tracker.example")?.target.reason == .nameNotFound)
        #expect(try lookups(daemon, "notFound") > before)
        try programs.write("answer", "\(world)\nfound\n")
        #expect(try reader().target("tracker.example")?.target.address == IPAddress(world))
        #expect(try watching.target(.reachable).address == IPAddress(world))
    }

    @Test func `a route to a name server is part of the path`() throws {
        try network.machine.ip("route add unreachable 203.0.113.1/32")
        try network.machine.replace("resolv.conf", "nameserver 203.0.113.1\n")
        let daemon = try start()
        let reader = try NetworkReader(daemon.socketPath)
        try reader.watchPath()
        #expect(try !reader.nextPath().supportsDNS)
        try network.machine.replace("resolv.conf", "nameserver \(world)\n")
        #expect(try reader.nextPath().supportsDNS)
    }

    // Limits

    @Test(.enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
    func `the number of names resolved for a user is limited, but not for operators`() throws {
        // The resolver is replaced by a quick one, as the limit rises by one with each second: with a slow one it is
        // reached later.
        let names = (0..<600).map { "host\($0).example" }
        let daemon = try start("Resolver=\(try resolver("quick", "echo \(world); echo found"))")
        func reader(as user: UInt32? = nil) throws -> NetworkReader {
            try network.machine.inside { try NetworkReader(daemon.socketPath, as: user) }
        }
        let other = try reader(as: OtherUser.nobody)
        var refusal: Refusal?
        var queried = 0
        let began = SystemClock().monotonicNanoseconds
        for name in names where refusal == nil {
            queried += 1
            refusal = try Refusal { _ = try other.target(name) }
        }
        #expect(refusal?.error == .reachabilityTooManyTargets)
        let seconds = Int((SystemClock().monotonicNanoseconds - began) / 1_000_000_000) + 1
        #expect(queried <= 70 + seconds)
        // Addresses are not resolved.
        #expect(try other.target(world)?.target.status == .reachable)
        let own = try reader()
        for name in names.prefix(70) { #expect(try own.target(name)?.target.status == .reachable) }
    }

    @Test(.enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
    func `unanswered names of one user do not delay another user's name`() throws {
        try network.machine.replace("hosts", "127.0.0.1 localhost\n")
        let program = try resolver("slow", "case $name in hang*) exec sleep 60;; esac; echo \(world); echo found")
        let daemon = try start("Resolver=\(program)")
        func watching(_ host: String, as user: UInt32? = nil) throws -> NetworkReader {
            let reader = try network.machine.inside { try NetworkReader(daemon.socketPath, as: user) }
            try reader.watch(host)
            return reader
        }
        let own = try watching("tracker.example")
        #expect(try own.target(.reachable).address == IPAddress(world))
        let others = try (0..<20).map { try watching("hang\($0).example", as: OtherUser.nobody) }
        for other in others { #expect(try other.nextTarget().reason == .resolving) }
        let before = try lookups(daemon, "found")
        // All names are queried again.
        try network.machine.replace("hosts", "127.0.0.1 localhost elsewhere\n")
        let isFound = try eventually { try lookups(daemon, "found") > before }
        #expect(isFound)
        #expect(try own.isQuiet(seconds: 0.2))
    }

    @Test(.enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
    func `a user can watch a limited number of hosts, and another one after closing one`() throws {
        let daemon = try start(maximumConnections: 100)
        var readers = try (1...64).map { number in
            let reader = try NetworkReader(daemon.socketPath, as: OtherUser.nobody)
            try reader.watch("192.0.2.\(number)")
            return reader
        }
        for reader in readers { #expect(try reader.nextTarget().status == .reachable) }
        func watchOneMore() throws -> NetworkReader {
            let reader = try NetworkReader(daemon.socketPath, as: OtherUser.nobody)
            try reader.watch("192.0.2.200")
            return reader
        }
        #expect(try Refusal { _ = try watchOneMore().nextTarget() }?.error == .reachabilityTooManyTargets)
        // A host that is watched already does not count again; and operators have no such limit.
        let again = try NetworkReader(daemon.socketPath, as: OtherUser.nobody)
        try again.watch("192.0.2.1")
        #expect(try again.nextTarget().status == .reachable)
        let own = try NetworkReader(daemon.socketPath)
        try own.watch("192.0.2.200")
        #expect(try own.nextTarget().status == .reachable)
        readers.removeLast()
        let isFree = try eventually { try Refusal { _ = try watchOneMore().nextTarget() } == nil }
        #expect(isFree)
    }

    @Test(.enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
    func `a report of one user changes nothing for another`() throws {
        let daemon = try start()
        let (own, other) = (try NetworkReader(daemon.socketPath), try NetworkReader(daemon.socketPath, as: 65_534))
        for reader in [own, other] {
            try reader.watch(world)
            #expect(try !reader.nextTarget().isSuspect)
        }
        let reporter = try NetworkReader(daemon.socketPath, as: OtherUser.nobody)
        for _ in 0..<3 { try reporter.report(.failed, world) }
        #expect(try reporter.target(world)?.target.isSuspect == true)
        let suspected = try other.nextTarget()
        #expect(suspected.status == .reachable && suspected.isSuspect)
        #expect(try own.isQuiet(seconds: 0.2))
        try reporter.report(.answered, world)
        #expect(try !other.nextTarget().isSuspect)
    }

    // The journal

    @Test(.enabled(if: OtherUser.isPossible, "running a program as another user needs root"))
    func `the states of a host that an app watches are in the journal`() throws {
        let apps = try TestApps()
        let trailmap = try apps.program("trailmap")
        try apps.add("trailmap", name: "Trail Map", program: trailmap)
        var surroundings = DaemonSurroundings()
        surroundings.entrance = network.machine.entrance
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), surroundings: surroundings)
        let app = try AppClient(trailmap, to: daemon.socketPath)
        try app.begin(
            ReachabilityInterface.Method.monitorTarget.rawValue, #"{"host":"\#(world)","port":443}"#, more: true)
        #expect(try app.next()?.parameters["target"]?["status"] == "reachable")
        // A host that no app watches is not in the journal, as it concerns only its watcher.
        let own = try NetworkReader(daemon.socketPath)
        try own.watch("192.0.2.1")
        #expect(try own.nextTarget().status == .reachable)
        try network.machine.ip("route del default")
        #expect(try app.next()?.parameters["target"]?["status"] == "unreachable")
        #expect(try own.nextTarget().status == .unreachable)

        var events: [JSON] = []
        _ = try eventually {
            let reply = try Client(path: daemon.socketPath).call(
                JournalInterface.Method.read.rawValue, ["kinds": ["targetChanged"]], timeout: .seconds(60))
            events = reply["events"]?.arrayValue ?? []
            return !events.isEmpty
        }
        #expect(events.count == 1, "\(events)")
        #expect(events.first?["app"] == "trailmap" && events.first?["user"] == .integer(Int64(OtherUser.nobody)))
        let details = events.first?["details"]
        #expect(details?["host"] == .string(world) && details?["port"] == 443)
        #expect(details?["status"] == "unreachable" && details?["reason"] == "noRoute")
    }

    @Test(.enabled(if: Capability.setClock.isHeld, "only root may set the clock"))
    func `everything is queried again when a clock is set or the machine wakes up`() throws {
        let daemon = try start()
        let before = try status(daemon)
        try SystemClockNudge.perform()
        #expect(try eventually { try status(daemon).evaluations > before.evaluations })
        let after = try status(daemon)
        #expect(after.generation == before.generation && after.messages == before.messages)
    }
}

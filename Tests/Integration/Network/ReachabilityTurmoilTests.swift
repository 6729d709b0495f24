import Glibc
import Interfaces
import NetworkPaths
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// The daemon's reports, and their cost, while many changes happen at once, or changes that nothing announces.
@Suite(
    .waits,
    .enabled(
        if: PrivateNetwork.isPossible && OtherUser.isPossible,
        "a network namespace with another user in it needs root"))
struct ReachabilityTurmoilTests {
    /// The most evaluations in so many seconds: 20 in a row and 20 a second, each of which another one may confirm when a removal is
    /// complete, and two for each overrun, at once and when it is over. One overrun may be unfinished and not counted yet.
    private static func mostEvaluations(in seconds: Int, _ overruns: Int64) -> Int64 {
        2 * (20 + 20 * Int64(seconds)) + 2 * (overruns + 1)
    }

    @Test(arguments: TestNetwork.Family.allCases)
    func `hundreds of containers' interfaces appear and disappear, and nothing is reported`(
        family: TestNetwork.Family
    ) throws {
        let scene = try ReachabilityScene(try TestNetwork(family))
        try #require(try scene.begins(), "\(scene.story)")
        let counts = scene.streams.map(\.reported.count)
        // The time is that from before the first figures to after the last ones: each of them may be waited for.
        let began = SystemClock().monotonicNanoseconds
        let before = try scene.figures()
        let pairs =
            (0..<500).map { "link add pair\($0) group 7 type veth peer name riap\($0)\n" }
            + (0..<500).map {
                "link set pair\($0) up\nlink set riap\($0) up\naddress add 10.78.0.\($0 % 250)/32 dev pair\($0)\n"
            }
        try scene.network.machine.batch(pairs.joined() + "link del group 7\n")
        // Messages about them come after all others.
        let isHeard = try eventually { try scene.figures().messages > before.messages + 1_000 }
        #expect(isHeard)
        #expect(try scene.isSilent(seconds: 0.3), "\(scene.story)")
        #expect(scene.streams.map(\.reported.count) == counts, "\(scene.story)")
        let figures = try scene.figures()
        let seconds = Int((SystemClock().monotonicNanoseconds - began) / 1_000_000_000) + 1
        let passes = figures.evaluations - before.evaluations
        let most = Self.mostEvaluations(in: seconds, figures.overruns)
        #expect(passes <= most, "\(passes) in \(seconds) s")
        // And the network is still watched.
        try scene.network.far.ip("link set far0 down")
        #expect(try scene.eventually { scene.streams.allSatisfy { $0.last?.reason == .noCarrier } }, "\(scene.story)")
    }

    @Test func `a route that flaps every 50 ms is reported lost twice at most, and available when it is stable`() throws
    {
        let network = try TestNetwork(.both)
        // The usual pause, and one to wait for at the end.
        let scene = try ReachabilityScene(network, settings: "MaximumSettle=3s")
        try #require(try scene.begins(), "\(scene.story)")
        let beginning = SystemClock().monotonicNanoseconds
        let before = try scene.figures()
        let busy = try ProcessFigures(scene.daemon.processID).processorMilliseconds
        let routes = network.defaults().map { "ip route %s \($0); " }.joined()
        // It writes down when: proc(5), uptime.
        let cycle = ["del", "add"].map {
            "\(routes.split(separator: "%s").joined(separator: $0)) sleep 0.025; read now rest < /proc/uptime; echo $now; "
        }.joined()
        let directory = try TemporaryDirectory()
        let script = "exec > $0; for i in $(seq 400); do \(cycle) done"
        let flapping = try network.machine.start(
            ChildProcess.Launch("/bin/sh", ["-ec", script, directory.file("times")]))
        let ended = try scene.eventually(within: 600) { try flapping.exitStatus() != nil }
        #expect(try ended && flapping.exitStatus() == .exited(0))
        let written = String(
            decoding: try BoundedFile.bytes(of: directory.file("times"), limit: 1 << 20), as: UTF8.self)
        let times = written.split(separator: "\n").compactMap { Double($0) }
        try #require(times.count == 800)
        // The end by the clock of the reports: this thread may read on only after the gain was reported.
        let clock = SystemClock()
        let monotonic = clock.monotonicNanoseconds
        let suspended = clock.bootNanoseconds - monotonic
        let end = UInt64((times.last ?? 0) * 1e9) - suspended
        // On a machine that is busy it may come to a stop for so long that a gain holds.
        let stops = zip(times, times.dropFirst()).count { $1 - $0 > 0.2 }
        for stream in scene.streams {
            let early = stream.reported.filter { $0.at <= end }
            // The first route that returns is reported immediately, after a calm time. The path may be reported between
            // the loss, or the gain, of one version of the protocol and that of the other.
            #expect(early.count <= (stream.host == nil ? 8 : 5) + 4 * stops, "\(stops) stops, \(stream)")
            #expect(early.last?.isGood == false, "\(stream)")
        }
        let figures = try scene.figures()
        let seconds = Int((SystemClock().monotonicNanoseconds - beginning) / 1_000_000_000) + 1
        // Where the machine is so busy that the kernel drops messages, there are overruns, too.
        let most = Self.mostEvaluations(in: seconds, figures.overruns - before.overruns)
        #expect(figures.evaluations - before.evaluations <= most, "\(figures.overruns - before.overruns) overruns")
        let used = try ProcessFigures(scene.daemon.processID).processorMilliseconds - busy
        print("\(figures.messages - before.messages) announcements, \(used) ms of processor time")
        #expect(used < 6_000, "\(used) ms")
        let isBack = try scene.eventually(within: Patience.daemon) {
            scene.streams.allSatisfy { $0.last?.content == $0.reported.first?.content }
        }
        #expect(isBack, "\(scene.story)")
        for stream in scene.streams { #expect(stream.last.map { $0.at > end + 1_000_000_000 } == true, "\(stream)") }
    }

    @Test(arguments: TestNetwork.Family.allCases)
    func `an interruption that leaves all as it was is a loss and a gain`(family: TestNetwork.Family) throws {
        let network = try TestNetwork(family)
        let scene = try ReachabilityScene(network)
        try #require(try scene.begins(), "\(scene.story)")
        scene.daemon.signal(SIGSTOP)
        defer { scene.daemon.signal(SIGCONT) }
        try network.machine.ip("link set up0 down")
        try network.restore()
        #expect(try eventually { try network.machine.ip("address show dev up0").contains("LOWER_UP") })
        scene.daemon.signal(SIGCONT)
        let isReported = try scene.eventually { scene.streams.allSatisfy { $0.reported.count == 3 } }
        try #require(isReported, "\(scene.story)")
        for stream in scene.streams {
            #expect(!stream.reported[1].isGood && stream.reported[1].reason == .noCarrier, "\(stream)")
            #expect(stream.reported[2].content == stream.reported[0].content, "\(stream)")
            #expect(
                stream.reported.map(\.generation) == [0, 1, 2].map { $0 + stream.reported[0].generation }, "\(stream)")
        }
        #expect(try scene.isSilent(seconds: 0.2), "\(scene.story)")
    }

    @Test(arguments: [IPAddress.Family.ipv4, .ipv6])
    func `a rule for one user is reported to that user's programs`(family: IPAddress.Family) throws {
        let network = try TestNetwork(family == .ipv4 ? .ipv4 : .ipv6)
        let scene = try ReachabilityScene(network)
        let other = try NetworkStream(family.world, of: scene.daemon, in: network.machine, as: 4_711)
        func isReported(_ isGood: Bool) throws -> Bool {
            try scene.eventually {
                try other.read()
                return other.last?.isGood == isGood
            }
        }
        try #require(try scene.begins() && isReported(true))
        try network.machine.ip("\(family.option) rule add pref 100 uidrange 4711-4711 prohibit")
        #expect(try isReported(false) && other.last?.reason == .prohibited, "\(other)")
        try network.machine.ip("\(family.option) rule del pref 100")
        #expect(try isReported(true), "\(other)")
        #expect(
            try scene.isSilent(seconds: 0.1) && scene.streams.allSatisfy { $0.reported.count == 1 }, "\(scene.story)")
    }

    @Test(arguments: [IPAddress.Family.ipv4, .ipv6])
    func `a failed router is considered usable after a while, and fails again`(family: IPAddress.Family) throws {
        let network = try TestNetwork(family == .ipv4 ? .ipv4 : .ipv6)
        // A daemon that does not run for this time after the failure considers the router usable at once.
        let scene = try ReachabilityScene(network, settings: "Settle=50ms\nMaximumSettle=50ms\nGatewayPatience=4s")
        try #require(try scene.begins(), "\(scene.story)")
        try network.machine.set("net/\(family.rawValue)/neigh/up0/retrans_time_ms", "50")
        try network.far.ip("address del \(family.routerNetwork()) dev far0")
        for _ in 0..<2 {
            let counts = scene.streams.map(\.reported.count)
            try network.knock(family.world)
            // The loss may be over when this thread reads on.
            let isLost = try scene.eventually {
                zip(scene.streams, counts).allSatisfy { stream, count in
                    stream.reported.dropFirst(count).contains { $0.reason == .gatewayNotAnswering }
                }
            }
            #expect(isLost, "\(scene.story)")
            let isTried = try scene.eventually { scene.streams.allSatisfy { $0.last?.isGood == true } }
            #expect(isTried, "\(scene.story)")
            // A kernel that has many neighbours, in all namespaces together, forgets those that failed, and with them
            // the reason for a suspicion.
            let neighbours = try network.machine.ip("\(family.option) neigh show dev up0")
            guard neighbours.contains("FAILED") else { continue }
            #expect(
                scene.targets.allSatisfy { $0.last?.json["isSuspect"]?.boolValue == true },
                "\(scene.story)\n\(neighbours)")
        }
        try network.restore()
        try network.knock(family.world)
        let isWell = try scene.eventually {
            scene.streams.allSatisfy { $0.last?.content == $0.reported.first?.content }
        }
        #expect(isWell, "\(scene.story)")
    }
}

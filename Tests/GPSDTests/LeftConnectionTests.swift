import Glibc
import Location
import Platform
import TestSupport
import Testing

@testable import GPSD

private let banner = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"

/// A second descriptor of the socket, as the service manager has.
@DaemonActor
private final class Keeper: SocketKeeping {
    var isPossible = true
    /// Whether what is told to it arrives.
    var hears = true
    private var kept: OwnedDescriptor?
    private(set) var lastRead: UInt64 = 0
    /// How many sockets it had and has no more because a process said so.
    private(set) var released = 0

    var hasIt: Bool { kept != nil }

    func keep(_ socket: Int32) -> Bool {
        guard isPossible else { return false }
        kept = OwnedDescriptor(adopting: dup(socket))
        return true
    }

    func letGo() {
        guard hears, hasIt else { return }
        kept = nil
        released += 1
    }

    /// What the last reading left of a line; `.dropped` while one is under way.
    private(set) var remainder = LineSplitter.Remainder.beginning([])

    func willRead() { remainder = .dropped }

    func wasRead(at monotonicNanoseconds: UInt64, remainder: LineSplitter.Remainder) {
        lastRead = monotonicNanoseconds
        self.remainder = remainder
    }

    /// What the next process gets.
    func handOver() throws -> OwnedDescriptor {
        let number = kept?.number ?? -1
        return try OwnedDescriptor("dup") { dup(number) }
    }
}

/// Connections that outlive the process that made them.
@Suite(.serialized, .timeLimit(.minutes(15))) struct LeftConnectionTests {
    init() { LoopThread.start() }

    private enum Way: String, CaseIterable {
        case tcp, unix
    }

    /// A gpsd that says what the test wants, and the processes that follow each other at it.
    @DaemonActor
    private final class Scene {
        let listener: Listener
        let endpoint: Endpoint
        let keeper = Keeper()
        var recorder = EventRecorder()
        var limits = Session.Limits()
        private let path: String?

        init(_ way: Way) throws {
            path = way == .unix ? "/tmp/waymark-left-test-\(getpid()).sock" : nil
            listener = try Listener(greeting: banner, path: path)
            endpoint = try Endpoint(path.map { "unix:\($0)" } ?? "127.0.0.1:\(listener.port)")
        }

        deinit { if let path { unlink(path) } }

        func process(at other: Endpoint? = nil) throws -> Connection {
            let recorder = recorder
            return try Connection(to: other ?? endpoint, limits: limits, keeper: keeper, random: { 0 }) {
                recorder.add($0)
            }
        }

        /// A process that watches.
        func first() async throws -> Connection {
            let connection = try process()
            connection.want()
            try await listener.wait { [listener] in listener.heard.count == Session.watchRequest.count }
            try await waitUntilWatching()
            return connection
        }

        func waitUntilWatching() async throws {
            try await recorder.waitForState { if case .watching = $0 { true } else { false } }
        }

        var reports: [String] {
            recorder.reports.compactMap { if case .other(let name, _) = $0 { name } else { nil } }
        }
    }

    @Test(arguments: Way.allCases)
    @DaemonActor
    private func `wherever a process ends the next one reads on, each line once`(_ way: Way) async throws {
        let scene = try Scene(way)
        var connection: Connection? = try await scene.first()
        let line = #"{"class":"0000"}"# + "\r\n"
        var expected: [String] = []
        for cut in 0...(2 * line.utf8.count) {
            let names = (0..<3).map { String(1_000 + 3 * cut + $0) }
            let text = names.map { line.replacing("0000", with: $0) }.joined()
            scene.listener.send(String(text.prefix(cut)))
            let whole = expected.count + cut / line.utf8.count
            try await scene.recorder.wait { _ in scene.reports.count >= whole }
            expected += names
            // Orderly, or as when it is killed.
            if cut % 2 == 0 { connection?.leave() }
            connection = nil
            scene.listener.send(String(text.dropFirst(cut)))
            let next = try scene.process()
            #expect(next.takeOver(try scene.keeper.handOver(), after: scene.keeper.remainder))
            next.want()
            let asked = Session.watchRequest.count * (cut + 1) + Session.versionRequest.count * (cut + 1)
            try await scene.listener.wait { scene.listener.heard.count >= asked }
            scene.listener.send(banner)
            try await scene.recorder.wait { _ in
                if case .watching = next.state { scene.reports.count >= expected.count } else { false }
            }
            connection = next
            #expect(next.counters.faults.isEmpty && next.droppedLines == 0)
        }
        #expect(scene.reports == expected)
        #expect(scene.listener.connections == 1)
        connection?.unwant()
        try await scene.listener.wait { scene.listener.hasEnded }
    }

    @Test(arguments: Way.allCases)
    @DaemonActor
    private func `what a gpsd said that is gone is read before it is connected anew`(_ way: Way) async throws {
        let scene = try Scene(way)
        let first = try await scene.first()
        first.leave()
        scene.listener.send(#"{"class":"A"}"# + "\n" + #"{"class":"B"}"# + "\n" + #"{"class":"half"#)
        scene.listener.hangUp()
        scene.recorder = EventRecorder()
        let next = try scene.process()
        #expect(next.takeOver(try scene.keeper.handOver(), after: scene.keeper.remainder))
        next.want()
        try await scene.recorder.waitForState { if case .waiting(_, 1, .closedByPeer) = $0 { true } else { false } }
        #expect(scene.reports == ["A", "B"])
        #expect(scene.keeper.released == 1)
        try await scene.waitUntilWatching()
        #expect(scene.listener.connections == 2 && scene.keeper.hasIt)
        next.unwant()
    }

    @Test @DaemonActor func `one that leads to another gpsd is ended, although it is kept`() async throws {
        let scene = try Scene(.tcp)
        scene.keeper.hears = false
        try await scene.first().leave()
        let other = try Listener(greeting: banner)
        for endpoint in [
            try Endpoint("127.0.0.1:\(other.port)"), try Endpoint("[::1]:\(scene.listener.port)"),
            try Endpoint("unix:/tmp/waymark-other.sock"),
        ] {
            #expect(
                !(try scene.process(at: endpoint).takeOver(try scene.keeper.handOver(), after: scene.keeper.remainder)))
        }
        try await scene.listener.wait { scene.listener.hasEnded }
    }

    @Test(arguments: Way.allCases)
    @DaemonActor
    private func `where nobody wants positions it is ended, although it is kept`(_ way: Way) async throws {
        let scene = try Scene(way)
        scene.keeper.hears = false
        try await scene.first().leave()
        let next = try scene.process()
        #expect(next.takeOver(try scene.keeper.handOver(), after: scene.keeper.remainder))
        #expect(!scene.listener.hasEnded)
        next.unwant()
        try await scene.listener.wait { scene.listener.hasEnded }
        #expect(next.state == .idle)
        // And it can be made anew.
        next.want()
        try await scene.listener.wait { scene.listener.connections == 2 }
        next.unwant()
    }

    @Test @DaemonActor func `who ends before it has read anything leaves it as it was`() async throws {
        let scene = try Scene(.tcp)
        try await scene.first().leave()
        scene.listener.send(#"{"class":"A"}"# + "\n")
        for _ in 0..<3 {
            let unused = try scene.process()
            #expect(unused.takeOver(try scene.keeper.handOver(), after: scene.keeper.remainder))
            unused.leave()
        }
        let next = try scene.process()
        #expect(next.takeOver(try scene.keeper.handOver(), after: scene.keeper.remainder))
        next.want()
        try await scene.recorder.wait { _ in scene.reports == ["A"] }
        next.unwant()
    }

    @Test @DaemonActor func `one that cannot be kept ends with its process`() async throws {
        let scene = try Scene(.tcp)
        scene.keeper.isPossible = false
        let first = try await scene.first()
        first.leave()
        #expect(first.state == .idle)
        try await scene.listener.wait { scene.listener.hasEnded }
    }

    @Test @DaemonActor func `one that could not be kept at first is kept with what comes next`() async throws {
        let scene = try Scene(.tcp)
        scene.keeper.isPossible = false
        let first = try await scene.first()
        scene.keeper.isPossible = true
        #expect(!scene.keeper.hasIt)
        let before = SystemClock().monotonicNanoseconds
        scene.listener.send(#"{"class":"A"}"# + "\n")
        try await scene.recorder.wait { _ in scene.reports == ["A"] }
        #expect(scene.keeper.hasIt && scene.keeper.lastRead >= before)
        first.unwant()
    }

    @Test @DaemonActor func `a gpsd that does not answer any more is left`() async throws {
        let scene = try Scene(.tcp)
        try await scene.first().leave()
        scene.limits.greeting = 20_000_000
        let next = try scene.process()
        #expect(next.takeOver(try scene.keeper.handOver(), after: scene.keeper.remainder))
        next.want()
        try await scene.recorder.waitForState { if case .waiting(_, 1, .noGreeting) = $0 { true } else { false } }
        try await scene.listener.wait { scene.listener.connections == 2 }
        next.unwant()
    }

    @Test(arguments: Way.allCases)
    @DaemonActor
    private func `a line that is too long is dropped up to its end, also by the next process`(_ way: Way) async throws {
        let scene = try Scene(way)
        let first = try await scene.first()
        scene.listener.send(#"{"class":"A"}"# + "\n")
        let long = String(repeating: "x", count: 50_000)
        for _ in 0..<3 { scene.listener.send(long) }
        for _ in 0..<1_000 where first.droppedLines == 0 { try await elapsed(.milliseconds(10)) }
        #expect(scene.reports == ["A"] && first.droppedLines == 1)
        first.leave()
        let next = try scene.process()
        #expect(next.takeOver(try scene.keeper.handOver(), after: scene.keeper.remainder))
        next.want()
        scene.listener.send(long + "\n" + #"{"class":"C"}"# + "\n")
        try await scene.recorder.wait { _ in scene.reports == ["A", "C"] }
        #expect(next.counters.faults.isEmpty)
        next.unwant()
    }

    @Test @DaemonActor func `a process that ended while it read leaves a line that is dropped up to its end`()
        async throws
    {
        let scene = try Scene(.tcp)
        let first = try await scene.first()
        first.leave()
        scene.listener.send(#"lf"}"# + "\n" + #"{"class":"B"}"# + "\n")
        let next = try scene.process()
        #expect(next.takeOver(try scene.keeper.handOver(), after: .dropped))
        next.want()
        try await scene.recorder.wait { _ in scene.reports == ["B"] }
        #expect(next.counters.faults.isEmpty)
        next.unwant()
    }

    @Test @DaemonActor func `a real gpsd goes on with one that was left`() async throws {
        let gpsd = try RealGPSD()
        let keeper = Keeper()
        let recorder = EventRecorder()
        func process() throws -> Connection {
            try Connection(to: try Endpoint("127.0.0.1:\(gpsd.port)"), keeper: keeper) { recorder.add($0) }
        }
        func times() -> [Int64] {
            recorder.reports.compactMap {
                if case .tpv(let tpv) = $0, tpv.mode >= 2 { tpv.time?.microseconds } else { nil }
            }
        }
        /// One epoch, at so many seconds after noon.
        func feed(_ second: Int) {
            for body in [
                "GPRMC,1200\(second / 10)\(second % 10).00,A,5430.00000,N,00315.00000,W,1.000,90.0,010626,,,A",
                "GPGGA,1200\(second / 10)\(second % 10).00,5430.00000,N,00315.00000,W,1,09,0.89,10.5,M,13.2,M,,",
            ] {
                let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
                gpsd.feed("$\(body)*\(sum.count < 2 ? "0" : "")\(sum)")
            }
        }
        var connection = try process()
        connection.want()
        try await recorder.wait { $0.contains(.receiver(gpsd.device, .appeared)) }
        for second in 0..<30 where times().isEmpty {
            feed(second)
            try await elapsed(.milliseconds(50))
        }
        let before = times().count
        connection.leave()
        for second in 40..<50 { feed(second) }
        for _ in 0..<3 {
            let next = try process()
            #expect(next.takeOver(try keeper.handOver(), after: keeper.remainder))
            next.want()
            try await recorder.wait { _ in if case .watching = next.state { true } else { false } }
            next.leave()
            connection = next
        }
        let last = try process()
        #expect(last.takeOver(try keeper.handOver(), after: keeper.remainder))
        last.want()
        feed(59)
        // 2026-06-01T12:00:59Z.
        let end: Int64 = 1_780_315_259_000_000
        try await recorder.wait { _ in times().contains(end) }
        let all = times().map { $0 / 1_000_000 % 60 }
        #expect(Set(40..<50).isSubset(of: all), "\(all)")
        #expect(zip(all, all.dropFirst()).allSatisfy { $0 <= $1 } && all.count > before)
        // gpsd tells its devices anew to who asks for reports anew.
        try await recorder.wait { _ in last.receivers.byPath[gpsd.device]?.device.driver.isEmpty == false }
        last.unwant()
        _ = connection
    }
}

import Glibc
import Location
import Platform
import TestSupport
import Testing

@testable import GPSD

private let banner = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"

/// Connections that outlive the process that made them.
@Suite(.serialized, .timeLimit(.minutes(15))) struct LeftConnectionTests {
    init() { LoopThread.start() }

    private enum Route: String, CaseIterable {
        case tcp, unix
    }

    /// A gpsd that says what the test wants, and the processes that follow each other at it.
    @DaemonActor
    private final class Scene {
        let listener: Listener
        let endpoint: Endpoint
        var recorder = EventRecorder()
        var limits = Scene.patient
        private let path: String?

        /// On a busy machine a step of a test may last longer than gpsd may be silent.
        static var patient: Session.Limits {
            var limits = Session.Limits()
            for limit in [\Session.Limits.connect, \.greeting, \.silence, \.answer] {
                limits[keyPath: limit] = 600_000_000_000
            }
            return limits
        }

        init(_ route: Route) throws {
            path = route == .unix ? "/tmp/waymark-left-test-\(getpid()).sock" : nil
            listener = try Listener(greeting: banner, path: path)
            endpoint = try Endpoint(path.map { "unix:\($0)" } ?? "127.0.0.1:\(listener.port)")
        }

        deinit { if let path { unlink(path) } }

        func process(at other: Endpoint? = nil) throws -> Connection {
            let recorder = recorder
            return try Connection(to: other ?? endpoint, limits: limits, random: { 0 }) {
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

    private struct NotLeft: Error {}
    private struct NotTaken: Error {}

    @DaemonActor
    private func left(by connection: Connection?) throws -> LeftConnection {
        guard let left = connection?.leave() else { throw NotLeft() }
        return left
    }

    @DaemonActor
    private func adopt(_ left: consuming LeftConnection, by connection: Connection) throws {
        guard connection.takeOver(left) else { throw NotTaken() }
    }

    @Test(arguments: Route.allCases)
    @DaemonActor
    private func `wherever a process ends the next one reads on, each line once`(_ route: Route) async throws {
        let scene = try Scene(route)
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
            let left = try self.left(by: connection)
            connection = nil
            scene.listener.send(String(text.dropFirst(cut)))
            let next = try scene.process()
            try adopt(left, by: next)
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

    @Test(arguments: Route.allCases)
    @DaemonActor
    private func `the reports of a gpsd that ended are read before reconnecting`(_ route: Route) async throws {
        let scene = try Scene(route)
        let first = try await scene.first()
        let left = try self.left(by: first)
        scene.listener.send(#"{"class":"A"}"# + "\n" + #"{"class":"B"}"# + "\n" + #"{"class":"half"#)
        scene.listener.hangUp()
        scene.recorder = EventRecorder()
        let next = try scene.process()
        try adopt(left, by: next)
        next.want()
        // Over TCP the end of the connection, or its reset, because the new process has asked for gpsd's version by then.
        try await scene.recorder.waitForState { if case .waiting(_, 1, _) = $0 { true } else { false } }
        #expect(scene.reports == ["A", "B"])
        try await scene.waitUntilWatching()
        #expect(scene.listener.connections == 2)
        next.unwant()
    }

    @Test(arguments: 0..<3)
    @DaemonActor
    func `one that leads to another gpsd is ended`(_ number: Int) async throws {
        let scene = try Scene(.tcp)
        let left = try self.left(by: try await scene.first())
        let other = try Listener(greeting: banner)
        let endpoints = ["127.0.0.1:\(other.port)", "[::1]:\(scene.listener.port)", "unix:/tmp/waymark-other.sock"]
        let isTaken = try scene.process(at: Endpoint(endpoints[number])).takeOver(left)
        #expect(!isTaken)
        try await scene.listener.wait { scene.listener.hasEnded }
    }

    @Test(arguments: Route.allCases)
    @DaemonActor
    private func `a handed over connection that is not wanted is closed`(_ route: Route) async throws {
        let scene = try Scene(route)
        let left = try self.left(by: try await scene.first())
        let next = try scene.process()
        try adopt(left, by: next)
        #expect(!scene.listener.hasEnded)
        next.unwant()
        try await scene.listener.wait { scene.listener.hasEnded }
        #expect(next.state == .idle)
        // And the connection can be made again.
        next.want()
        try await scene.listener.wait { scene.listener.connections == 2 }
        next.unwant()
    }

    @Test @DaemonActor func `who ends before it has read anything leaves it as it was`() async throws {
        let scene = try Scene(.tcp)
        let before = SystemClock().monotonicNanoseconds
        let first = try await scene.first()
        scene.listener.send(#"{"cla"#)
        try await elapsed(.milliseconds(50))
        var left = try self.left(by: first)
        let read = left.lastRead
        #expect(read >= before)
        scene.listener.send(#"ss":"A"}"# + "\n")
        for _ in 0..<3 {
            let unused = try scene.process()
            try adopt(left, by: unused)
            left = try self.left(by: unused)
            let stillRead = left.lastRead
            #expect(stillRead == read)
        }
        let next = try scene.process()
        try adopt(left, by: next)
        next.want()
        try await scene.recorder.wait { _ in scene.reports == ["A"] }
        next.unwant()
    }

    @Test @DaemonActor func `one that was not made yet is not left`() async throws {
        let scene = try Scene(.tcp)
        let first = try scene.process()
        #expect(throws: NotLeft.self) { _ = try self.left(by: first) }
        first.want()
        #expect(throws: NotLeft.self) { _ = try self.left(by: first) }
        #expect(first.state == .idle)
    }

    @Test @DaemonActor func `a process that ends without leaving it ends it`() async throws {
        let scene = try Scene(.tcp)
        var first: Connection? = try await scene.first()
        #expect(first != nil)
        first = nil
        try await scene.listener.wait { scene.listener.hasEnded }
    }

    @Test @DaemonActor func `a gpsd that does not answer any more is left`() async throws {
        let scene = try Scene(.tcp)
        let left = try self.left(by: try await scene.first())
        scene.limits.greeting = 20_000_000
        let next = try scene.process()
        try adopt(left, by: next)
        next.want()
        try await scene.recorder.waitForState { if case .waiting(_, 1, .noGreeting) = $0 { true } else { false } }
        try await scene.listener.wait { scene.listener.connections == 2 }
        next.unwant()
    }

    @Test(arguments: Route.allCases)
    @DaemonActor
    private func `a line that is too long is dropped up to its end, also by the next process`(_ route: Route)
        async throws
    {
        let scene = try Scene(route)
        let first = try await scene.first()
        scene.listener.send(#"{"class":"A"}"# + "\n")
        let long = String(repeating: "x", count: 50_000)
        for _ in 0..<3 { scene.listener.send(long) }
        for _ in 0..<1_000 where first.droppedLines == 0 { try await elapsed(.milliseconds(10)) }
        #expect(scene.reports == ["A"] && first.droppedLines == 1)
        let left = try self.left(by: first)
        let remainder = left.remainder
        #expect(remainder == .dropped)
        let next = try scene.process()
        try adopt(left, by: next)
        next.want()
        scene.listener.send(long + "\n" + #"{"class":"C"}"# + "\n")
        try await scene.recorder.wait { _ in scene.reports == ["A", "C"] }
        #expect(next.counters.faults.isEmpty)
        next.unwant()
    }

    @Test @DaemonActor func `a real gpsd continues over a connection that was handed over`() async throws {
        let gpsd = try RealGPSD()
        let recorder = EventRecorder()
        // Without them a gpsd that waits for a processor for some seconds would be connected to again.
        let limits = Scene.patient
        func process() throws -> Connection {
            try Connection(to: try Endpoint("127.0.0.1:\(gpsd.port)"), limits: limits) { recorder.add($0) }
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
        let connection = try process()
        connection.want()
        try await recorder.wait { $0.contains(.receiver(gpsd.device, .appeared)) }
        for second in 0..<30 where times().isEmpty {
            feed(second)
            try await elapsed(.milliseconds(50))
        }
        try await recorder.wait { _ in !times().isEmpty }
        let before = times().count
        var left = try self.left(by: connection)
        for second in 40..<50 { feed(second) }
        for _ in 0..<3 {
            let next = try process()
            try adopt(left, by: next)
            next.want()
            try await recorder.wait { _ in if case .watching = next.state { true } else { false } }
            left = try self.left(by: next)
        }
        let last = try process()
        try adopt(left, by: last)
        last.want()
        feed(59)
        // 2026-06-01T12:00:59Z.
        let end: Int64 = 1_780_315_259_000_000
        try await recorder.wait { _ in times().contains(end) }
        let all = times().map { $0 / 1_000_000 % 60 }
        #expect(Set(40..<50).isSubset(of: all), "\(all)")
        #expect(zip(all, all.dropFirst()).allSatisfy { $0 <= $1 } && all.count > before)
        // gpsd lists its devices again for a client that requests reports again.
        try await recorder.wait { _ in last.receivers.byPath[gpsd.device]?.device.driver.isEmpty == false }
        last.unwant()
    }
}

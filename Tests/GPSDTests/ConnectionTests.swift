import GPSD
import Glibc
import Location
import Platform
import TestSupport
import Testing

private let banner = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"

@Suite(.serialized, .timeLimit(.minutes(15))) struct ConnectionTests {
    init() { LoopThread.start() }

    /// Under these limits a connection is neither given up nor queried because of silence: on a busy machine the steps
    /// of a test may wait for a processor for longer than gpsd may be silent.
    private static var patient: Session.Limits {
        var limits = Session.Limits()
        for limit in [\Session.Limits.connect, \.greeting, \.silence, \.longestSilence, \.answer] {
            limits[keyPath: limit] = 3_600_000_000_000
        }
        return limits
    }

    @DaemonActor
    private func connect(
        _ endpoint: Endpoint, _ recorder: EventRecorder, limits: Session.Limits = patient
    ) throws -> Connection {
        try Connection(to: endpoint, limits: limits, random: { 0 }) { recorder.add($0) }
    }

    @DaemonActor
    private func local(_ port: UInt16) throws -> Endpoint { try Endpoint("127.0.0.1:\(port)") }

    @Test @DaemonActor func `half a line at a time and many lines at once become reports`() async throws {
        let listener = try Listener(greeting: banner)
        let recorder = EventRecorder()
        let connection = try connect(local(listener.port), recorder)
        connection.want()
        try await listener.wait { !listener.heard.isEmpty }
        #expect(listener.heard == Session.watchRequest)
        recorder.forget()
        listener.send(#"{"class":"TPV","mode":"#)
        listener.send("1}\r\n" + #"{"class":"AIS"}"# + "\r\n" + #"{"class":"TPV","mode":0}"# + "\r\n{")
        try await recorder.wait { _ in recorder.reports.count == 3 }
        #expect(recorder.reports == [.tpv(TPV(mode: 1)), .other("AIS"), .tpv(TPV(mode: 0))])
        connection.unwant()
        try await listener.wait { listener.hasEnded }
        #expect(connection.state == .idle)
    }

    @Test @DaemonActor func `reports that were read together arrived at the same instant`() async throws {
        let listener = try Listener(greeting: banner)
        let recorder = EventRecorder()
        var arrivals: [UInt64?] = []
        weak var observed: Connection?
        let connection = try Connection(to: local(listener.port), limits: Self.patient, random: { 0 }) { event in
            if case .report(.tpv) = event { arrivals.append(observed?.arrival) }
            recorder.add(event)
        }
        observed = connection
        connection.want()
        try await listener.wait { !listener.heard.isEmpty }
        let report = #"{"class":"TPV","mode":1}"# + "\r\n"
        listener.send(report + report + report)
        try await recorder.wait { _ in arrivals.count == 3 }
        let first = try #require(arrivals.first ?? nil)
        #expect(arrivals == [first, first, first])
        #expect(connection.arrival == nil)
        listener.send(report)
        try await recorder.wait { _ in arrivals.count == 4 }
        #expect(try #require(arrivals.last ?? nil) > first)
        connection.unwant()
    }

    @Test @DaemonActor func `localhost is found on its second address`() async throws {
        let listener = try Listener(greeting: banner)
        let recorder = EventRecorder()
        let connection = try connect(Endpoint("localhost:\(listener.port)"), recorder)
        connection.want()
        try await recorder.waitForState { if case .watching = $0 { true } else { false } }
        connection.unwant()
    }

    @Test @DaemonActor func `the kernel notices within half a minute that gpsd's machine has vanished`() async throws {
        let listener = try Listener(greeting: banner)
        let recorder = EventRecorder()
        let connection = try connect(local(listener.port), recorder)
        connection.want()
        try await recorder.waitForState { if case .watching = $0 { true } else { false } }
        // The process's own descriptor that is connected to the listener: which options the kernel has for it.
        // Other tests of this process may have thousands open.
        let sockets = (3..<65_536).filter { Self.remotePort(of: Int32($0)) == listener.port }
        let number = Int32(try #require(sockets.first))
        let tcp = Int32(IPPROTO_TCP)
        #expect(Self.option(number, SOL_SOCKET, SO_KEEPALIVE) == 1)
        let idle = try #require(Self.option(number, tcp, TCP_KEEPIDLE))
        let interval = try #require(Self.option(number, tcp, TCP_KEEPINTVL))
        let count = try #require(Self.option(number, tcp, TCP_KEEPCNT))
        #expect(idle + interval * count <= 30)
        #expect(Self.option(number, tcp, TCP_USER_TIMEOUT) == 30_000)
        connection.unwant()
    }

    private static func remotePort(of number: Int32) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(number, $0, &length) }
        }
        return status == 0 && address.sin_family == sa_family_t(AF_INET) ? UInt16(bigEndian: address.sin_port) : nil
    }

    private static func option(_ number: Int32, _ level: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(number, level, name, &value, &length) == 0 ? value : nil
    }

    @Test @DaemonActor func `a Unix socket leads to gpsd as well`() async throws {
        let path = "/tmp/waymark-gpsd-test-\(getpid()).sock"
        defer { unlink(path) }
        let listener = try Listener(greeting: banner, path: path)
        let recorder = EventRecorder()
        let connection = try connect(Endpoint("unix:\(path)"), recorder)
        connection.want()
        try await listener.wait { !listener.heard.isEmpty }
        connection.unwant()
        try await listener.wait { listener.hasEnded }
    }

    @Test @DaemonActor func `without a listener the attempt is repeated`() async throws {
        let recorder = EventRecorder()
        // Port 1 is reserved, and a path below a device cannot be.
        for endpoint in [try Endpoint("127.0.0.1:1"), try Endpoint("unix:/dev/null/gpsd")] {
            recorder.forget()
            let connection = try connect(endpoint, recorder)
            connection.want()
            try await recorder.waitForState { if case .waiting(_, 3, _) = $0 { true } else { false } }
            guard case .system(let error) = connection.lastFailure else {
                Issue.record("no reason")
                return
            }
            #expect(error.operation == "connect to")
            // More where this test is slower than the attempts.
            #expect(connection.counters.attempts >= 3)
            connection.unwant()
        }
    }

    @Test @DaemonActor func `a server that is no gpsd is left`() async throws {
        let listener = try Listener(greeting: "220 mail.example ESMTP\r\n")
        let recorder = EventRecorder()
        var limits = Self.patient
        limits.greeting = 20_000_000
        let connection = try connect(local(listener.port), recorder, limits: limits)
        connection.want()
        try await recorder.waitForState {
            if case .waiting(_, _, .noGreeting) = $0 { true } else { false }
        }
        try await listener.wait { listener.hasEnded }
        connection.unwant()
    }

    @Test @DaemonActor func `a connection that ends is made again`() async throws {
        let listener = try Listener(greeting: banner)
        let recorder = EventRecorder()
        let connection = try connect(local(listener.port), recorder)
        connection.want()
        for round in 1...3 {
            // What is not read when the connection ends would have it end with a reset.
            try await listener.wait { listener.heard.count == round * Session.watchRequest.count }
            try await recorder.waitForState { if case .watching = $0 { true } else { false } }
            recorder.forget()
            listener.hangUp()
            try await recorder.waitForState {
                if case .waiting(_, _, .closedByPeer) = $0 { true } else { false }
            }
        }
        connection.unwant()
        #expect(connection.counters.failures == 3)
    }

    @Test @DaemonActor func `a handler may end the connection while it handles a report`() async throws {
        let listener = try Listener(greeting: banner)
        var connection: Connection?
        var reports = 0
        connection = try Connection(to: local(listener.port), limits: Self.patient, random: { 0 }) { event in
            if case .report = event {
                reports += 1
                connection?.unwant()
            }
        }
        connection?.want()
        try await listener.wait { listener.hasEnded }
        #expect(reports == 1)
        #expect(connection?.state == .idle)
    }

    @Test @DaemonActor func `a silent receiver is reported as stale while the socket stays open`() async throws {
        let listener = try Listener(greeting: banner)
        let recorder = EventRecorder()
        var limits = Self.patient
        limits.stale = 20_000_000
        let connection = try connect(local(listener.port), recorder, limits: limits)
        connection.want()
        try await listener.wait { !listener.heard.isEmpty }
        listener.send(#"{"class":"TPV","device":"/dev/a","mode":1}"# + "\n")
        try await recorder.wait { $0.contains(.receiver("/dev/a", .becameStale)) }
        connection.unwant()
    }

    @Test @DaemonActor func `a real gpsd is watched, and again after it was restarted`() async throws {
        var gpsd: RealGPSD? = try RealGPSD()
        guard let port = gpsd?.held, let inputPort = gpsd?.inputPort, let device = gpsd?.device else { return }
        let recorder = EventRecorder()
        let connection = try connect(local(port.number), recorder)
        connection.want()
        for round in 1...2 {
            try await recorder.wait { $0.contains(.receiver(device, .appeared)) }
            #expect(connection.receivers.byPath[device] != nil)
            try await feed(gpsd, until: recorder)
            let found = recorder.reports.compactMap { if case .tpv(let tpv) = $0 { tpv } else { nil } }
            let tpv = try #require(found.first { $0.mode >= 2 && $0.time != nil && $0.eph != nil })
            #expect(tpv.latitude.map { abs($0 - 54.5) < 1e-9 } == true)
            #expect(tpv.longitude.map { abs($0 + 3.25) < 1e-9 } == true)
            #expect(tpv.time == UTCTime(microseconds: 1_780_315_200_500_000))
            #expect(tpv.receiver == device)
            gpsd = nil
            try await recorder.waitForState { if case .waiting = $0 { true } else { false } }
            recorder.forget()
            if round == 1 { gpsd = try RealGPSD(port: port, inputPort: inputPort) }
        }
        #expect(connection.counters.faults.isEmpty)
        connection.unwant()
    }

    /// Feeds one epoch, again and again, until a position with an error estimate has come of it.
    @DaemonActor
    private func feed(_ gpsd: RealGPSD?, until recorder: EventRecorder) async throws {
        let isFound = try await eventually { () async throws -> Bool in
            gpsd?.feed("$GPRMC,120000.50,A,5430.00000,N,00315.00000,W,1.000,90.0,010626,,,A*74")
            gpsd?.feed("$GPGGA,120000.50,5430.00000,N,00315.00000,W,1,09,0.89,10.5,M,13.2,M,,*71")
            gpsd?.feed("$GPGSA,A,3,01,06,10,16,17,21,25,29,30,,,,1.46,0.89,1.16*0D")
            if hasPosition(recorder.reports) { return true }
            try await elapsed(.milliseconds(50))
            return hasPosition(recorder.reports)
        }
        try #require(isFound)
    }

    private func hasPosition(_ reports: [Report]) -> Bool {
        reports.contains { if case .tpv(let tpv) = $0 { tpv.mode >= 2 && tpv.eph != nil } else { false } }
    }
}

import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Reports of gpsd while the daemon is ended and started again.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct ReceiverRestartTests {
    private let apps: TestApps
    private let program: String

    init() throws {
        apps = try TestApps()
        program = try apps.program("trailmap")
        try apps.add("trailmap", name: "Trail Map", program: program, "Record=yes")
    }

    /// How gpsd is reached.
    enum Route: String, CaseIterable {
        /// At its port.
        case directly
        /// Through systemd's proxy, as by the unit that is shipped.
        case proxy
    }

    private func host(_ address: String, _ more: String = "", knowsLogins: Bool = true) throws -> ServiceHost {
        var surroundings = DaemonSurroundings()
        surroundings.knowsLogins = knowsLogins
        return try ServiceHost(
            in: apps.directory, configuration: apps.configuration() + more, gpsd: address, surroundings: surroundings)
    }

    /// An app that may always have positions and records them, connected.
    private func recorder(_ host: ServiceHost) throws -> AppClient {
        try OperatorClient(host.socketPath).authorize("trailmap", .always, uid: OtherUser.nobody)
        let app = try AppClient(program, to: host.socketPath)
        #expect(
            try app.call(RecordingInterface.Method.start.rawValue, #"{"identifier":"trip","options":{}}"#).error == nil)
        return app
    }

    /// The recorded positions, as soon as they reach this time.
    private func recorded(_ app: AppClient, upTo end: Double) throws -> [Double] {
        var times: [Double] = []
        var last: Int64 = 0
        _ = try eventually {
            let reply = try app.call(
                RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":\#(last),"limit":1000}"#)
            let points = RecordingPage(reply.parameters)?.points ?? []
            #expect(points.map(\.sequence) == Array(last + 1..<last + 1 + Int64(points.count)))
            times += points.map(\.position.timestamp)
            last += Int64(points.count)
            return (times.last ?? 0) >= end
        }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "a position arrived twice, or an older one")
        return times
    }

    private func times(_ log: StreamLog) -> [Double] {
        log.replies.compactMap { $0.parameters["update"]?["position"]?["timestamp"]?.numberValue }
    }

    /// What the updates of a stream say besides positions, one a line, with the place of each.
    private func remarks(_ log: StreamLog) -> String {
        log.replies.enumerated().compactMap { place, reply in
            guard let update = reply.parameters["update"] else { return "\(place): \(reply.error ?? "no update")" }
            let dropped = update["dropped"]?.integerValue ?? 0
            guard update["position"] == nil || dropped > 0 else { return nil }
            let words = update["diagnostics"]?.arrayValue?.compactMap(\.stringValue) ?? []
            return "\(place): dropped \(dropped), \(words)"
        }.joined(separator: "\n")
    }

    /// How many positions the daemon has said were dropped because the stream was not read.
    private func dropped(_ log: StreamLog) -> Int64 {
        log.replies.reduce(0) { $0 + ($1.parameters["update"]?["dropped"]?.integerValue ?? 0) }
    }

    /// The reports of `said` that are missing between the first and the last of `heard`.
    private func missing(_ heard: [Double], of said: [Double]) -> [Double] {
        guard let first = heard.first, let last = heard.last else { return said }
        let heard = Set(heard)
        return said.filter { $0 >= first && $0 <= last && !heard.contains($0) }
    }

    /// The time of a report that gpsd sends from now on, once the witness has it: the thread of the witness may be late.
    private func nextReport(of address: String, _ witness: GPSDWitness) throws -> Double {
        let other = try GPSDWitness(address)
        defer { other.stop() }
        let time = try #require(other.times.first)
        try #require(eventually { (witness.times.last ?? 0) >= time })
        return time
    }

    /// systemd's proxy before a gpsd, at a path.
    private func proxy(to address: String, at path: String) throws -> ChildProcess {
        let proxy = try ChildProcess(
            ChildProcess.Launch(
                "/usr/bin/systemd-socket-activate",
                ["-l", path, "/usr/lib/systemd/systemd-socket-proxyd", address], isGuarded: true))
        #expect(eventually { access(path, F_OK) == 0 }, "the proxy does not listen")
        return proxy
    }

    @Test(arguments: Route.allCases)
    func `over many orderly restarts nothing is missing in recordings and streams`(_ route: Route) throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        var address = receiver.address
        var proxy: ChildProcess?
        if route == .proxy {
            guard access("/usr/lib/systemd/systemd-socket-proxyd", X_OK) == 0,
                access("/usr/bin/systemd-socket-activate", X_OK) == 0
            else {
                print("this machine has no systemd-socket-proxyd")
                return
            }
            proxy = try self.proxy(to: address, at: apps.directory.file("gpsd.sock"))
            address = "unix:\(apps.directory.file("gpsd.sock"))"
        }
        defer { proxy?.signal(SIGKILL) }
        // However long a start takes: older positions are delivered to recordings only.
        let host = try host(address, "[Receiver]\nStaleAfter=1min\n")
        let witness = try GPSDWitness(receiver.address)
        let app = try recorder(host)
        let streams = try (0..<10).map { _ in try StreamLog(host.socketPath, LocationInterface.Method.monitor.rawValue)
        }
        // A daemon that identifies clients meanwhile may send a stream only the newest of several positions.
        let start = try #require(witness.times.last)
        #expect(eventually { streams.allSatisfy { (times($0).last ?? 0) >= start } })
        for round in 0..<12 {
            try host.kill(SIGTERM)
            #expect(try host.isReceiverStored)
            // Restarts immediately, or after a number of reports.
            #expect(witness.waitForMore(round % 3 * 3))
            try host.start()
            #expect(witness.waitForMore(3))
        }
        let end = try #require(witness.times.last)
        let recorded = try recorded(app, upTo: end)
        #expect(missing(recorded, of: witness.times) == [], "\(host.log.suffix(2_000))")
        #expect(recorded.count > 60)
        for stream in streams {
            #expect(eventually { (times(stream).last ?? 0) >= end }, "a stream stays silent")
            let heard = times(stream)
            // A thread of the test that does not read for some seconds, as on a busy machine, gets the newest ones only.
            #expect(
                missing(heard.filter { $0 >= start }, of: witness.times).count <= dropped(stream),
                "from \(start), first \(heard.first ?? 0), updates:\n\(remarks(stream))\n\(host.log.suffix(2_000))")
            #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 < $1 }, "a position arrived twice, or an older one")
            stream.stop()
        }
        #expect(try OperatorClient(host.socketPath).status().receiver.malformed == 0, "a line was torn")
        witness.stop()
    }

    @Test func `after a crash the daemon connects to gpsd again, and the recording continues without duplicates`()
        throws
    {
        let (gpsd, terminal) = try ownGPSD()
        defer { terminal.unplug() }
        let (host, witness, app) = try recording(gpsd.address)
        // The daemon's and the witness's.
        try #require(try eventually { try gpsd.connectionCount() == 2 })
        var absent: [ClosedRange<Double>] = []
        var known = 0
        for round in 0..<4 {
            // Positions are committed although nobody reads them, and what an operator sees survives the process.
            // Reports that were read and not committed yet are lost with it.
            var stored = 0
            let isCommitted = try eventually {
                stored = Int(try OperatorClient(host.socketPath).recordings().first?.last ?? 0)
                return stored > known
            }
            try #require(isCommitted, "\(host.log.suffix(2_000))")
            try host.kill([SIGKILL, SIGABRT][round % 2])
            #expect(try eventually { try gpsd.connectionCount() == 1 }, "the connection is held by somebody")
            #expect(try host.isStoreEmpty)
            #expect(witness.waitForMore(round % 3 * 4))
            try host.start()
            let now = try nextReport(of: gpsd.address, witness)
            let times = try recorded(try AppClient(program, to: host.socketPath), upTo: now)
            // The daemon connects to gpsd a little after its start.
            let next = try #require(times.first { $0 >= now })
            absent.append((times.prefix(stored).last ?? 0)...(next + 2))
            known = times.count
            #expect(witness.waitForMore(60))
        }
        let end = try #require(witness.times.last)
        let recorded = try recorded(try AppClient(program, to: host.socketPath), upTo: end)
        let lost = missing(recorded, of: witness.times).filter { time in !absent.contains { $0.contains(time) } }
        #expect(lost == [], "\(host.log.suffix(2_000))")
        #expect(try app.next(seconds: 0) == nil)
        witness.stop()
    }

    /// A daemon that records the reports of a gpsd for an app, and a second client of the same gpsd.
    private func recording(_ address: String) throws -> (host: ServiceHost, witness: GPSDWitness, app: AppClient) {
        let host = try host(address)
        let witness = try GPSDWitness(address)
        let app = try recorder(host)
        #expect(witness.waitForMore(5))
        return (host, witness, app)
    }

    /// A gpsd of a test's own, that can be ended, and its receiver.
    private func ownGPSD() throws -> (gpsd: RestartableGPSD, terminal: FedTerminal) {
        let terminal = try FedTerminal(try Products.recording("ten-hertz", seconds: 300, in: apps.directory))
        let gpsd = try RestartableGPSD([terminal.path])
        try gpsd.start()
        terminal.begin()
        return (gpsd, terminal)
    }

    @Test func `the last reports of a gpsd that has ended are recorded, and its successor is found`() throws {
        let (gpsd, terminal) = try ownGPSD()
        defer { terminal.unplug() }
        let (host, witness, app) = try recording(gpsd.address)
        try host.kill(SIGTERM)
        let before = witness.times.count
        #expect(witness.waitForMore(6))
        try gpsd.kill()
        // gpsd writes to one client after the other: it may have ended before it wrote the last report to the daemon.
        let said = witness.times.dropLast()
        try host.start()
        let last = try #require(said.last)
        let recorded = try recorded(app, upTo: last)
        #expect(
            Set(said.dropFirst(before + 1)).subtracting(recorded) == [],
            "\(before) reports before, of \(said), and recorded \(recorded)\n\(host.log.suffix(4_000))")
        try gpsd.start()
        let next = try GPSDWitness(gpsd.address)
        let more = try self.recorded(app, upTo: try #require(next.times.last))
        #expect(more.count > recorded.count)
        next.stop()
        witness.stop()
    }

    @Test func `gpsd is released when no client needs positions any more, and when the daemon does not start again`()
        throws
    {
        let (gpsd, terminal) = try ownGPSD()
        defer { terminal.unplug() }
        let host = try host(gpsd.address)
        for signal in [SIGKILL, SIGTERM] {
            let stream = try StreamLog(host.socketPath, LocationInterface.Method.monitor.rawValue)
            #expect(eventually { !times(stream).isEmpty })
            try host.kill(signal)
            if signal == SIGTERM {
                #expect(try gpsd.connectionCount() == 1)
            } else {
                #expect(try eventually { try gpsd.connectionCount() == 0 }, "a crash leaves the connection open")
            }
            stream.stop()
            #expect(eventually { stream.ending != nil })
            try host.start()
            #expect(try eventually { try gpsd.connectionCount() == 0 }, "gpsd does not release its receiver")
            #expect(try host.isStoreEmpty)
        }
        let stream = try StreamLog(host.socketPath, LocationInterface.Method.monitor.rawValue)
        #expect(eventually { !times(stream).isEmpty })
        try host.kill(SIGTERM)
        #expect(try gpsd.connectionCount() == 1)
        try host.forget()
        #expect(try eventually { try gpsd.connectionCount() == 0 }, "gpsd does not release its receiver")
        stream.stop()
    }

    @Test func `no position from the restart is recorded for an app denied meanwhile`() throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        // However long a start takes: older positions are delivered to recordings only.
        let host = try host(receiver.address, "[Receiver]\nStaleAfter=1min\n")
        let witness = try GPSDWitness(receiver.address)
        let app = try recorder(host)
        let stream = try StreamLog(host.socketPath, LocationInterface.Method.monitor.rawValue)
        #expect(eventually { !times(stream).isEmpty })
        try host.kill(SIGTERM)
        let before = try nextReport(of: receiver.address, witness)
        try apps.restrict("[Restrictions]\nDenyApps=trailmap\n")
        #expect(witness.waitForMore(6))
        try host.start()
        let now = try #require(witness.times.last)
        // An operator's stream has the positions from the restart: so they were read, but not delivered to the app.
        #expect(eventually { (times(stream).last ?? 0) > now })
        let missed = missing(times(stream), of: witness.times).filter { $0 > before && $0 < now }
        #expect(missed.count <= dropped(stream), "\(missed), updates:\n\(remarks(stream))")
        try apps.restrict(nil)
        let recorded = try recorded(app, upTo: now + 0.5)
        #expect(!recorded.contains { $0 > before + 0.1 && $0 <= now })
        stream.stop()
        witness.stop()
    }

    @Test func `reports are not lost when opening the journal takes long`() throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let (host, witness, app) = try recording(receiver.address)
        try host.kill(SIGTERM)
        // Another program has locked the database: the daemon starts without any decisions.
        let lock = try JournalLock(host.directory.file("state/journal.db"))
        try host.start()
        // Longer than a home is waited for.
        #expect(witness.waitForMore(65))
        lock.release()
        // The pauses between its attempts become longer.
        try #require(try eventually { try OperatorClient(host.socketPath).status().journal.state == .running })
        let recorded = try recorded(app, upTo: try #require(witness.times.last))
        #expect(missing(recorded, of: witness.times) == [], "\(host.log.suffix(2_000))")
        witness.stop()
    }

    @Test
    func `positions from the restart are recorded for an app still in use, but not for one that comes into use now`()
        throws
    {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let host = try host(receiver.address, "[Receiver]\nStaleAfter=1s\n", knowsLogins: false)
        let witness = try GPSDWitness(receiver.address)
        let activity = (LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#)
        func user(_ uid: UInt32) throws -> AppClient {
            try OperatorClient(host.socketPath).authorize("trailmap", .whileUsing, uid: uid)
            let app = try AppClient(program, to: host.socketPath, as: uid)
            #expect(try app.call(activity.0, activity.1).error == nil)
            #expect(
                try app.call(RecordingInterface.Method.start.rawValue, #"{"identifier":"trip","options":{}}"#).error
                    == nil)
            return app
        }
        let app = try user(OtherUser.nobody)
        let removed = try user(4_242)
        #expect(witness.waitForMore(5))
        try removed.kill()
        let stream = try StreamLog(host.socketPath, LocationInterface.Method.monitor.rawValue)
        #expect(eventually { !times(stream).isEmpty })
        try host.kill(SIGTERM)
        let before = try nextReport(of: receiver.address, witness)
        let late = try AppClient(program, to: host.socketPath, as: 4_242)
        try late.begin(activity.0, activity.1)
        #expect(witness.waitForMore(40))
        let end = try #require(witness.times.last)
        try host.start()
        #expect(try late.next()?.error == nil)
        let recorded = try recorded(app, upTo: end)
        let meanwhile = Set(witness.times.filter { $0 > before + 0.2 && $0 <= end })
        #expect(meanwhile.subtracting(recorded) == [], "\(host.log.suffix(2_000))")
        let others = try self.recorded(late, upTo: end + 1)
        #expect(others.filter { $0 > before + 0.2 && $0 < end - 1.5 } == [])
        stream.stop()
        witness.stop()
    }

    @Test func `positions that are too old are recorded, but not delivered to streams`() throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let host = try host(receiver.address, "[Receiver]\nStaleAfter=1s\n")
        let witness = try GPSDWitness(receiver.address)
        let app = try recorder(host)
        let stream = try StreamLog(host.socketPath, LocationInterface.Method.monitor.rawValue)
        #expect(eventually { !times(stream).isEmpty })
        try host.kill(SIGTERM)
        let before = try nextReport(of: receiver.address, witness)
        #expect(witness.waitForMore(40))
        let end = try #require(witness.times.last)
        try host.start()
        #expect(eventually { (times(stream).last ?? 0) > end })
        let first = try #require(times(stream).first { $0 >= before })
        #expect(first > end - 1.5, "a stream was given a position of \(end - first) seconds before")
        let recorded = try recorded(app, upTo: end)
        #expect(missing(recorded, of: witness.times) == [])
        #expect(!stream.replies.contains { $0.parameters["update"]?["position"] == nil && times(stream).isEmpty })
        stream.stop()
        witness.stop()
    }
}

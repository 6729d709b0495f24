import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Clients of a daemon that is ended and started again under a service manager: in order, when connections are
/// preserved, and by a crash, when they are closed.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct RestartTests {
    private let receiver: PlayedReceiver
    private let apps: TestApps
    private let program: String
    private let other: String

    init() throws {
        receiver = try PlayedReceiver.tenHertz()
        apps = try TestApps()
        program = try apps.program("trailmap")
        other = try apps.program("compass")
        try apps.add("trailmap", name: "Trail Map", program: program, "Record=yes")
        try apps.add("compass", name: "Compass", program: other)
    }

    private func host(mostDescriptors: Int = 4_096, knowsLogins: Bool = true) throws -> ServiceHost {
        var surroundings = DaemonSurroundings()
        surroundings.knowsLogins = knowsLogins
        return try ServiceHost(
            in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address,
            mostDescriptors: mostDescriptors, surroundings: surroundings)
    }

    /// A process that executes another program on request, and its connection.
    private func changeling(
        _ later: String, to host: ServiceHost
    ) throws -> (process: PeerProcess, connection: RawConnection) {
        var script = PeerProcess.Script()
        script.user = OtherUser.nobody
        script.passesConnection = true
        script.laterProgram = later
        let process = try PeerProcess(connectingTo: host.socketPath, script)
        return (process, try RawConnection(copying: process.passed))
    }

    private static let crashes = [SIGKILL, SIGABRT]

    /// How often the daemon is ended: configurable for longer runs.
    private static var rounds: Int { getenv("WAYMARK_RESTARTS").flatMap { Int(String(cString: $0)) } ?? 15 }

    private func sequences(_ log: StreamLog) -> [Int64] {
        log.replies.flatMap { $0.parameters["events"]?.arrayValue ?? [] }.compactMap { $0["sequence"]?.integerValue }
    }

    private func status(_ reply: Reply) -> String {
        reply.parameters["authorization"]?["status"]?.stringValue ?? ""
    }

    private func times(_ log: StreamLog) -> [Double] {
        log.replies.compactMap { $0.parameters["update"]?["position"]?["timestamp"]?.numberValue }
    }

    @Test func `streams continue over many orderly restarts without a torn, lost or duplicate message`() throws {
        defer { receiver.stop() }
        let host = try host()
        let manage = try OperatorClient(host.socketPath)
        try manage.authorize("trailmap", .always, uid: OtherUser.nobody)
        try manage.authorize("compass", .always, uid: OtherUser.nobody)
        let recorder = try AppClient(program, to: host.socketPath)
        #expect(
            try recorder.call(RecordingInterface.Method.start.rawValue, #"{"identifier":"trip","options":{}}"#).error
                == nil)
        try recorder.begin(
            RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":0,"limit":1000,"wait":true}"#,
            more: true)

        let positions = try (0..<20).map { _ in
            try StreamLog(host.socketPath, LocationInterface.Method.monitor.rawValue)
        }
        let slow = try StreamLog(host.socketPath, LocationInterface.Method.monitor.rawValue, bytesAtOnce: 100)
        let journal = try StreamLog(host.socketPath, JournalInterface.Method.read.rawValue, #"{"follow":true}"#)
        let path = try StreamLog(host.socketPath, ReachabilityInterface.Method.monitorPath.rawValue)
        let app = try AppClient(other, to: host.socketPath)
        try app.begin(LocationInterface.Method.monitorAuthorization.rawValue, more: true)
        var heard = [try status(#require(try app.next()))]
        let all = positions + [slow, journal, path]

        var reported = ["authorizedAlways"]
        for round in 0..<Self.rounds {
            try host.kill(SIGTERM)
            // The streams above, the two of the app, and the operator's connection.
            #expect(try host.storedClients == all.count + 2 + 1)
            try host.start()
            #expect(all.compactMap(\.ending) == [], "after restart \(round)\n\(host.log.suffix(2_000))")
            if all.contains(where: { $0.ending != nil }) { return }
            guard round % 5 == 0 else { continue }
            let isAllowed = round % 10 != 0
            try manage.authorize("compass", isAllowed ? .always : .deny, uid: OtherUser.nobody)
            reported.append(isAllowed ? "authorizedAlways" : "denied")
            // A daemon that ends before it has identified the app again does not report the change.
            if let reply = try app.next() { heard.append(status(reply)) }
        }
        try manage.authorize("compass", .always, uid: OtherUser.nobody)
        if reported.last != "authorizedAlways" { reported.append("authorizedAlways") }

        let before = positions.map { times($0).count }
        #expect(eventually { zip(positions, before).allSatisfy { times($0).count > $1 } }, "a stream stays silent")
        for log in positions + [slow] {
            let times = times(log)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "a position arrived twice, or an older one")
        }
        let events = sequences(journal)
        #expect(events == Array(1...Int64(max(1, events.count))), "an event was lost or duplicated")
        #expect(path.replies.count <= Self.rounds, "the path is reported again although nothing changed")

        while heard.count < reported.count, let reply = try app.next() { heard.append(status(reply)) }
        #expect(heard == reported)
        #expect(try app.next(seconds: 0.2) == nil, "a status was reported twice")

        // Each recorded position is read once, in order, by a reader that was connected all the time.
        var numbers: [Int64] = []
        for _ in 0..<40 {
            guard let page = try recorder.next().flatMap({ RecordingPage($0.parameters) }) else { break }
            numbers += page.points.map(\.sequence)
        }
        #expect(numbers.count >= 40)
        #expect(numbers == Array(1...Int64(max(1, numbers.count))), "a recorded point was lost or doubled")
        all.forEach { $0.stop() }
    }

    @Test func `an app denied meanwhile gets no position`() throws {
        defer { receiver.stop() }
        let host = try host()
        try OperatorClient(host.socketPath).authorize("trailmap", .always, uid: OtherUser.nobody)
        let app = try AppClient(program, to: host.socketPath)
        try app.begin(LocationInterface.Method.monitor.rawValue, more: true)
        var reply = try #require(try app.next())
        while reply.parameters["update"]?["position"] == nil { reply = try #require(try app.next()) }
        try host.kill(SIGTERM)
        try apps.restrict("[Restrictions]\nDenyApps=trailmap\n")
        // Data written before the end may be read after it.
        try app.drain()
        try host.start()
        let last = try #require(try app.next(), "\(host.log)")
        #expect(last.error == ErrorName.restricted.rawValue, "\(last)")
        #expect(try app.call(LocationInterface.Method.getPosition.rawValue).error == ErrorName.restricted.rawValue)
    }

    @Test func `a process that has executed another program is identified again`() throws {
        defer { receiver.stop() }
        try apps.add("own", name: "Test", program: try TestApps.ownProgram())
        let next = try apps.program("next")
        let host = try host()
        try OperatorClient(host.socketPath).authorize("own", .always, uid: OtherUser.nobody)
        let (process, connection) = try changeling(next, to: host)
        let monitor = #"{"method":"io.waymark.Location.Monitor","more":true}"#
        #expect(try connection.send(message: monitor) == .everything)
        #expect(try connection.readsPosition())
        try host.kill(SIGTERM)
        try process.become()
        try host.start()
        var ending: String?
        for _ in 0..<500 where ending == nil {
            guard let text = try connection.read(messages: 1) else { break }
            if text.contains(#""error""#) { ending = text }
        }
        #expect(ending?.contains("ManifestMissing") == true, "\(ending ?? "no end")")
    }

    @Test func `half a call and half a reply are continued`() throws {
        defer { receiver.stop() }
        let host = try host()
        let half = try RawConnection(host.socketPath)
        let call = Array(#"{"method":"org.varlink.service.GetInfo"}"#.utf8) + [0]
        #expect(try half.send(call.prefix(20)) == .everything)
        // It reads nothing: its socket is full in the middle of a reply.
        let lazy = try RawConnection(host.socketPath)
        let question =
            #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"#
            + #""io.waymark.Manage"}}"#
        let asked = 40
        for _ in 0..<asked { #expect(try lazy.send(message: question) == .everything) }
        // The reply to a call sent after both: the daemon has received both then.
        #expect(try OperatorClient(host.socketPath).call(.status)["status"] != nil)
        try host.restart(SIGTERM)
        try host.restart(SIGTERM)
        #expect(try half.send(call.dropFirst(20)) == .everything)
        #expect(try half.read(messages: 1)?.contains("waymarkd") == true, "\(host.log)")
        let text = try #require(try lazy.read(messages: asked), "\(host.log)")
        let replies = text.utf8.split(separator: 0)
        #expect(replies.count == asked && Set(replies.map(Array.init)).count == 1, "a reply was torn")
        #expect(try lazy.read(messages: 1, seconds: 0.2) == nil, "a reply was given twice")
    }

    @Test func `a background activity session and declarations continue`() throws {
        defer { receiver.stop() }
        let host = try host(knowsLogins: false)
        let manage = try OperatorClient(host.socketPath)
        try manage.authorize("trailmap", .always, uid: OtherUser.nobody)
        let app = try AppClient(program, to: host.socketPath)
        try app.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#)
        let holder = try AppClient(program, to: host.socketPath)
        try holder.begin(LocationInterface.Method.holdInUse.rawValue, more: true)
        #expect(try #require(try holder.next()).error == nil)
        try host.restart(SIGTERM)
        #expect(try holder.next(seconds: 0.5) == nil, "it is said again that it has begun, or that it has not")
        // The new daemon replies to an operator before it has identified the app's connections again.
        #expect(try eventually { try manage.app("trailmap")?.isInUse == true })
        // Each holds without the other.
        try app.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"background"}"#)
        try host.restart(SIGTERM)
        #expect(try eventually { try manage.app("trailmap")?.isInUse == true }, "the session has ended")
        try app.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#)
        try holder.kill()
        #expect(try eventually { try manage.app("trailmap")?.holds == 0 })
        try host.restart(SIGTERM)
        #expect(try eventually { try manage.app("trailmap")?.isInUse == true }, "what was declared is forgotten")
    }

    @Test func `a background activity session does not continue when the process has become another app`() throws {
        defer { receiver.stop() }
        try apps.add("own", name: "Test", program: try TestApps.ownProgram())
        let host = try host(knowsLogins: false)
        let manage = try OperatorClient(host.socketPath)
        try manage.authorize("compass", .whileUsing, uid: OtherUser.nobody)
        let (process, connection) = try changeling(other, to: host)
        let activity = #"{"method":"io.waymark.Location.SetActivity","parameters":{"activity":"active"}}"#
        #expect(try connection.send(message: activity) == .everything)
        #expect(try connection.read(messages: 1)?.contains(#""app":"own""#) == true)
        let hold = #"{"method":"io.waymark.Location.HoldInUse","more":true}"#
        #expect(try connection.send(message: hold) == .everything)
        #expect(try connection.read(messages: 1)?.contains(#""isInUse":true"#) == true)
        try host.kill(SIGTERM)
        try process.become()
        try host.start()
        #expect(try connection.read(messages: 1)?.contains(ErrorName.notInUse.rawValue) == true, "\(host.log)")
        let compass = try #require(try manage.app("compass"))
        #expect(compass.processes == 1 && compass.holds == 0 && !compass.isInUse)
        let position = #"{"method":"io.waymark.Location.GetPosition"}"#
        #expect(try connection.send(message: position) == .everything)
        #expect(try connection.read(messages: 1)?.contains(ErrorName.notInUse.rawValue) == true)
        process.end()
    }

    @Test func `connections that do not fit into the store are closed, and the others continue`() throws {
        defer { receiver.stop() }
        // The file, the receiver and three connections.
        let host = try host(mostDescriptors: 5)
        let streams = try (0..<6).map { _ in try StreamLog(host.socketPath, LocationInterface.Method.monitor.rawValue) }
        #expect(eventually { streams.allSatisfy { !times($0).isEmpty } })
        try host.kill(SIGTERM)
        #expect(try host.storedClients == 3)
        try host.start()
        #expect(eventually { streams.count { $0.ending != nil } == 3 })
        let retained = streams.filter { $0.ending == nil }
        let before = retained.map { times($0).count }
        #expect(eventually { zip(retained, before).allSatisfy { times($0).count > $1 } })
        retained.forEach { $0.stop() }
    }

    @Test(arguments: [false, true])
    func `a crash closes every connection, also after an orderly restart`(_ wasHandedOver: Bool) throws {
        defer { receiver.stop() }
        let host = try host()
        let streams = try [LocationInterface.Method.monitor, .monitorAuthorization].map {
            try StreamLog(host.socketPath, $0.rawValue)
        }
        #expect(eventually { streams.allSatisfy { !$0.replies.isEmpty } })
        if wasHandedOver { try host.restart(SIGTERM) }
        #expect(streams.compactMap(\.ending) == [])
        try host.kill(SIGKILL)
        #expect(eventually { streams.allSatisfy { $0.ending != nil } }, "a connection without a daemon is still open")
        #expect(try host.isStoreEmpty)
        try host.start()
        #expect(try OperatorClient(host.socketPath).call(.status)["status"]?["clients"]?["connections"] == 1)
    }

    @Test func `a connection that the daemon ends after a restart is closed`() throws {
        defer { receiver.stop() }
        let host = try host()
        let wrong = try RawConnection(host.socketPath)
        let call = #"{"method":"io.waymark.Location.MonitorAuthorization","more":true}"#
        #expect(try wrong.send(message: call) == .everything)
        #expect(try wrong.read(messages: 1) != nil)
        try host.restart(SIGTERM)
        #expect(try wrong.send([UInt8](repeating: 0x20, count: 1 << 20) + [0x20, 0x20]) != .full(after: 0))
        #expect(try wrong.read() != nil, "the client does not see the end")
    }

    @Test func `over many crashes a client that reconnects with a cursor misses nothing and gets nothing twice`() throws
    {
        defer { receiver.stop() }
        let host = try host()
        try OperatorClient(host.socketPath).authorize("trailmap", .always, uid: OtherUser.nobody)
        let first = try AppClient(program, to: host.socketPath)
        #expect(
            try first.call(RecordingInterface.Method.start.rawValue, #"{"identifier":"trip","options":{}}"#).error
                == nil)
        var (events, numbers): ([Int64], [Int64]) = ([], [])
        for round in 0..<8 {
            let journal = try StreamLog(
                host.socketPath, JournalInterface.Method.read.rawValue, #"{"follow":true,"after":\#(events.last ?? 0)}"#
            )
            let reader = try AppClient(program, to: host.socketPath)
            try reader.begin(
                RecordingInterface.Method.read.rawValue,
                #"{"identifier":"trip","after":\#(numbers.last ?? 0),"limit":1000,"wait":true}"#, more: true)
            for _ in 0..<4 {
                guard let page = try reader.next().flatMap({ RecordingPage($0.parameters) }) else { break }
                numbers += page.points.map(\.sequence)
            }
            #expect(eventually { !sequences(journal).isEmpty })
            try host.kill(Self.crashes[round % Self.crashes.count])
            #expect(eventually { journal.ending != nil })
            // Data written before the end is read after it.
            while let page = try reader.next(seconds: 0.3).flatMap({ RecordingPage($0.parameters) }) {
                numbers += page.points.map(\.sequence)
            }
            events += sequences(journal)
            try host.start()
        }
        #expect(numbers.count >= 30 && numbers == Array(1...Int64(max(1, numbers.count))), "\(numbers)")
        #expect(events.count >= 8 && events == Array(1...Int64(max(1, events.count))), "\(events)")
    }
}

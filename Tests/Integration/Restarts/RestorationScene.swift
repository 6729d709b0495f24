import Interfaces
import JSONText
import Location
import Platform
import TestClients
import TestSupport
import Testing
import Varlink

/// A played receiver, an app that requests authorization and an agent, for daemons that end and are started again.
struct RestorationScene {
    let receiver: PlayedReceiver
    let apps: TestApps
    let program: String
    let agent: String

    init() throws {
        receiver = try PlayedReceiver.tenHertz()
        apps = try TestApps()
        program = try apps.program("trailmap")
        agent = try apps.program("agent")
        try apps.add(
            "trailmap", name: "Trail Map", program: program,
            "Record=yes\n[TemporaryUsage]\nNavigation=Says when to turn.")
    }

    /// A daemon whose clients' connections are stored.
    func host() throws -> ServiceHost {
        var surroundings = DaemonSurroundings()
        surroundings.knowsLogins = false
        return try ServiceHost(
            in: apps.directory, configuration: apps.configuration(agents: [agent]), gpsd: receiver.address,
            more: ["--simulated"], surroundings: surroundings)
    }

    /// A daemon that no service manager started.
    func daemon() throws -> DaemonProcess {
        try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(agents: [agent]), gpsd: receiver.address,
            more: ["--simulated"], knowsLogins: false)
    }

    // The actions of an app

    /// An app in use.
    func active(_ path: String, _ program: String? = nil) throws -> AppClient {
        let app = try AppClient(program ?? self.program, to: path)
        try app.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#)
        return app
    }

    /// An app in use that was allowed once, by an operator in the person's place.
    func allowedOnce(_ path: String) throws -> AppClient {
        let app = try active(path)
        try app.call(LocationInterface.Method.requestWhenInUse.rawValue)
        try answer(path, "allowOnce")
        return app
    }

    /// Such an app with a stream of positions.
    func streamingOnce(_ path: String) throws -> AppClient {
        let app = try allowedOnce(path)
        try app.begin(LocationInterface.Method.monitor.rawValue, more: true)
        #expect(try position(app) != nil)
        return app
    }

    /// Answers the only open prompt.
    func answer(_ path: String, _ choice: String) throws {
        let manage = try OperatorClient(path)
        let request = try #require(try manage.requests().first)
        try manage.client.call(
            ManageInterface.Method.answer.rawValue,
            ["id": .integer(Int64(request.question.id)), "choice": .string(choice)],
            timeout: .seconds(60))
    }

    /// Reads updates until one has a position; nil where none of this number has.
    func position(_ app: AppClient, seconds: Double = Patience.daemon) throws -> JSON? {
        for _ in 0..<200 {
            guard let reply = try app.next(seconds: seconds) else { return nil }
            if let position = reply.parameters["update"]?["position"], position != .null { return position }
            if reply.error != nil { return nil }
        }
        return nil
    }

    func events(_ path: String, _ kind: JournalInterface.EventKind) throws -> [JournalEntry] {
        let read = JournalInterface.Read(kinds: [kind], limit: 100)
        return try OperatorClient(path).client.call(read, timeout: .seconds(60)).events
    }
}

extension AppClient {
    /// Reads what a daemon has written before its end: until the program has passed on all of it, and sleeps.
    func drain() throws {
        let isDrained = try eventually {
            while try next(seconds: 0) != nil {}
            return try isAsleep && next(seconds: 0) == nil
        }
        #expect(isDrained, "the program does not wait for more")
    }

    /// Whether the program waits for something, or has ended: proc(5) has its state after the name in parentheses.
    private var isAsleep: Bool {
        get throws {
            let bytes = try BoundedFile.bytes(of: "/proc/\(processID)/stat", limit: 4_096)
            let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ")
            return fields?.first == "S" || fields?.first == "Z"
        }
    }
}

extension RawConnection {
    /// Whether a stream sends a position, maybe after updates that there is none.
    func readsPosition() throws -> Bool {
        for _ in 0..<50 {
            guard let text = try read(messages: 1) else { return false }
            if text.contains("latitude") { return true }
        }
        return false
    }
}

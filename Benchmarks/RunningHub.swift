import Glibc
import Hub
import JSONText
import Platform
import Synchronization
import TestSupport
import Varlink

/// A hub on loopback without TLS, in a folder on the disk, of the records of 200 bytes that benchmarks save into it.
final class RunningHub {
    static let container = "/v1/production/org.example.benchmark"
    static let notes = "\(container)/zones/alice/notes"
    private static let text = String(repeating: "x", count: 200)

    let folder: TemporaryDirectory
    let port: LoopbackPort
    let process: ChildProcess

    /// - Parameter database: The connection string of a database of PostgreSQL; nil for a file of SQLite.
    init(database: String? = nil) throws {
        folder = try TemporaryDirectory()
        port = try LoopbackPort()
        let more = database.map { ["--database", $0] } ?? []
        process = try ChildProcess(
            ChildProcess.Launch(
                try Products.program("waymark-hub"),
                [
                    "serve", "--without-tls", "--folder", folder.file("hub"), "--listen", "127.0.0.1:\(port.number)",
                    "--connections", "60000",
                ] + more, isGuarded: true))
        _ = try eventually { try LoopbackPort.connection(to: port.number) != nil && administration() != nil }
    }

    func administration() -> Client? {
        attempt { try Client(path: folder.file("hub/control.sock"), timeout: .seconds(5)) }
    }

    /// Joins a device of alice, and returns its connection.
    func join(_ device: String) throws -> HubClient { try HubClient(port: port.number, token: token(of: device)) }

    /// Joins a device of alice, and returns its token.
    func token(of device: String) throws -> String {
        guard let client = administration() else { throw HubClient.Failure(description: "the hub does not run") }
        let invitation = try client.call(
            HubInterface.Invite(account: "alice", device: device, seconds: nil), timeout: .seconds(30))
        let code = invitation.code.prefix { $0 != "." }
        let open = try HubClient(port: port.number, token: "")
        // The hub admits a few devices a second.
        while true {
            do {
                let answer = try open.exchange("POST", "/v1/join", body: #"{"code":"\#(code)"}"#, status: 201)
                return try JSON.parse(answer)["token"]?.stringValue ?? ""
            } catch is HubClient.Failure {
                poll(nil, 0, 300)
            }
        }
    }

    var figures: ProcessFigures { get throws { try ProcessFigures(process.processID) } }

    /// Ends it, and waits for its end.
    func end() throws { try process.terminate() }

    /// A request that saves records with these names.
    static func body(_ names: [String]) -> String {
        let saves = names.map {
            #"{"policy":"allKeys","record":{"name":"\#($0)","type":"Note","fields":{"text":{"string":"\#(text)"}}}}"#
        }
        return #"{"save":[\#(saves.joined(separator: ","))]}"#
    }

    /// Sends as many requests with as many records each, distributed to clients that send one after another.
    static func save(_ requests: Int, batch: Int, from clients: [HubClient]) throws {
        try inParallel(clients.count) { worker in
            for number in 0..<requests / clients.count {
                let names = (0..<batch).map { "w\(worker)-\(number)-\($0)" }
                _ = try clients[worker].exchange(
                    "POST", "\(notes)/records", key: "\(worker)-\(number)", body: body(names))
            }
        }
    }

    private static func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let outcomes = Mutex<[Result<Void, any Error>]>([])
        for worker in 0..<count {
            try DetachedThread.start(name: "client") {
                let result = Result { try body(worker) }
                outcomes.withLock { $0.append(result) }
            }
        }
        while outcomes.withLock({ $0.count }) < count { poll(nil, 0, 1) }
        for outcome in outcomes.withLock({ $0 }) { try outcome.get() }
    }
}

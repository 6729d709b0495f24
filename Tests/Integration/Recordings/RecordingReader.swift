import Glibc
import Interfaces
import JSONText
import Location
import Platform
import Synchronization
import TestClients
import TestSupport
import Testing
import Varlink

/// An app that records, reads the recording, acknowledges some positions and rejects some, as fast as they arrive, on a
/// thread of its own, until the daemon has ended.
final class RecordingReader: Sendable {
    /// The daemon's replies.
    struct AuthorizationState {
        /// The recording's id; nil before the first reply.
        var id: RecordingID?
        /// The largest number that was read.
        var last: Int64 = 0
        /// The timestamps of the read positions, by number.
        var read: [Int64: Double] = [:]
        /// The cursor of the last reply, and that of the last request.
        var acknowledged: Int64 = 0
        var requestedToAcknowledge: Int64 = 0
        /// Dead letters by number: those that were confirmed, and those that were sent.
        var rejected: Set<Int64> = []
        var requestedToReject: Set<Int64> = []
        /// The number of confirmed cursors and dead letters.
        var settlements = 0
    }

    private static let identifier = "trip"
    private let state: Mutex<(status: AuthorizationState, ending: String?)>

    init(_ program: String, _ socketPath: String, seed: UInt64, after status: AuthorizationState) throws {
        state = Mutex((status, nil))
        try DetachedThread.start(name: "recording-reader") { [self] in
            var ending = "the connection ended"
            do { try run(program, socketPath, seed) } catch { ending = "\(error)" }
            state.withLock { $0.ending = ending }
        }
    }

    /// The daemon's replies so far.
    var status: AuthorizationState { state.withLock { $0.status } }
    /// Why it has ended; nil while it runs.
    var ending: String? { state.withLock { $0.ending } }

    /// Whether it ends in time.
    func waitForEnd() -> Bool { eventually { ending != nil } }

    private func run(_ program: String, _ socketPath: String, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let app = try AppClient(program, to: socketPath, as: geteuid())
        let started = try Self.call(app, .start, #"{"identifier":"\#(Self.identifier)"}"#)
        let recording = try #require(started["recording"].flatMap(KnownRecording.init))
        state.withLock { $0.status.id = recording.id }
        while true {
            let page = try Self.read(app, after: status.last, waits: true)
            state.withLock { state in
                for point in page.points { state.status.read[point.sequence] = point.position.timestamp }
                state.status.last = page.points.last?.sequence ?? state.status.last
            }
            guard let newest = page.points.last?.sequence else { continue }
            switch Int.random(in: 0..<6, using: &random) {
            case 0..<3: try acknowledge(app, Int64.random(in: status.acknowledged...newest, using: &random))
            case 3: try reject(app, newest)
            default: break
            }
        }
    }

    private func acknowledge(_ app: AppClient, _ number: Int64) throws {
        state.withLock { $0.status.requestedToAcknowledge = number }
        let reply = try Self.call(app, .acknowledge, #"{"identifier":"\#(Self.identifier)","upTo":\#(number)}"#)
        let cursor = try #require(reply["acknowledged"]?.integerValue)
        state.withLock {
            $0.status.acknowledged = cursor
            $0.status.settlements += 1
        }
    }

    private func reject(_ app: AppClient, _ number: Int64) throws {
        _ = state.withLock { $0.status.requestedToReject.insert(number) }
        _ = try Self.call(
            app, .reject,
            #"{"identifier":"\#(Self.identifier)","sequence":\#(number),"status":422,"message":"not wanted"}"#)
        state.withLock {
            $0.status.rejected.insert(number)
            $0.status.settlements += 1
        }
    }

    // The calls that checks make as well

    /// The positions after a number.
    static func read(_ app: AppClient, after number: Int64, waits: Bool) throws -> RecordingPage {
        let reply = try call(
            app, .read, #"{"identifier":"\#(identifier)","after":\#(number),"limit":1000,"wait":\#(waits)}"#)
        return try #require(RecordingPage(reply))
    }

    /// The numbers of the dead letters.
    static func deadLetters(_ app: AppClient) throws -> Set<Int64> {
        var letters: Set<Int64> = []
        while true {
            let reply = try call(
                app, .readRejected,
                #"{"identifier":"\#(identifier)","after":\#(letters.max() ?? 0),"limit":200}"#)
            let page = try #require(reply["deadLetters"]?.arrayValue).compactMap(KnownDeadLetter.init)
            if page.isEmpty { return letters }
            letters.formUnion(page.map(\.sequence))
        }
    }

    private static func call(_ app: AppClient, _ method: RecordingInterface.Method, _ parameters: String) throws -> JSON
    {
        try app.begin(method.rawValue, parameters)
        guard let reply = try app.next(seconds: 60) else { throw VarlinkError.timedOut }
        if let error = reply.error { throw VarlinkError.reply(name: error, parameters: reply.parameters) }
        return reply.parameters
    }
}

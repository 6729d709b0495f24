import Glibc
import Interfaces
import Location
import Platform
import Synchronization
import TestClients
import TestSupport
import Testing

/// An app that reads a recording while it grows, on a thread of its own: what it has read is durable.
final class PositionReader: Sendable {
    private let state = Mutex((positions: [Int64: Position](), isOver: false))

    init(_ program: String, _ socket: String) throws {
        try DetachedThread.start(name: "position-reader") { [self] in
            // It ends with the daemon.
            do { try read(program, socket) } catch {}
            state.withLock { $0.isOver = true }
        }
    }

    var positions: [Int64: Position] { state.withLock { $0.positions } }

    /// The positions so far, when the daemon has ended.
    func end() -> [Int64: Position] {
        #expect(eventually(within: 60) { state.withLock { $0.isOver } })
        return positions
    }

    private func read(_ program: String, _ socket: String) throws {
        let app = try AppClient(program, to: socket)
        // The program may end between a reply and the next call.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var last: Int64 = 0
        while true {
            try app.begin(
                RecordingInterface.Method.read.rawValue,
                #"{"identifier":"trip","after":\#(last),"limit":1000,"wait":true}"#)
            guard let reply = try app.next(seconds: 600), reply.error == nil,
                let page = RecordingPage(reply.parameters)
            else { return }
            last = page.points.last?.sequence ?? last
            state.withLock { state in for point in page.points { state.positions[point.sequence] = point.position } }
        }
    }
}

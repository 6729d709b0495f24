import Interfaces
import Location
import Platform
import Synchronization
import TestSupport
import Varlink

/// A well-behaved client: reads every update of one `Monitor` call as it comes, on a thread of its own.
final class PositionReader: Sendable {
    /// What it has read.
    struct Seen {
        /// The times of the positions, s since 1970.
        var timestamps: [Double] = []
        /// Positions that it was told it missed.
        var dropped = 0
        /// The last position.
        var last: Position?
        /// Why the stream has ended; nil while it goes on.
        var ending: String?
    }

    private let state = Mutex(Seen())
    private let stopped = WakeDescriptor()
    private let isOver = Mutex(false)

    /// Connects and calls.
    init(_ socketPath: String) throws {
        try DetachedThread.start(name: "position-reader") { [self] in
            do throws(VarlinkError) { try read(socketPath) } catch {
                state.withLock { $0.ending = "\(error)" }
            }
            isOver.withLock { $0 = true }
        }
    }

    /// What it has read so far.
    var seen: Seen { state.withLock { $0 } }

    /// How many positions it has read.
    var count: Int { state.withLock { $0.timestamps.count } }

    /// Whether so many more positions come in time.
    func receives(_ more: Int, within seconds: Double = 20) -> Bool {
        let goal = count + more
        return eventually(within: seconds) { count >= goal }
    }

    /// Ends the call and waits for the thread.
    func stop() {
        stopped.signal()
        _ = eventually(within: 10) { isOver.withLock { $0 } }
    }

    private func read(_ socketPath: String) throws(VarlinkError) {
        let client = try Client(path: socketPath, timeout: .seconds(10))
        let stream = try client.stream(LocationMethod.monitor.rawValue, timeout: .seconds(10))
        while try client.waitReadable(alsoWatching: [stopped.number]) == .reply {
            guard let reply = try stream.next() else { return }
            guard let update = reply.parameters["update"].flatMap(LocationUpdate.init) else {
                throw .protocolViolation("an update that is none")
            }
            state.withLock { seen in
                seen.dropped += update.dropped
                guard let position = update.position else { return }
                seen.timestamps.append(position.timestamp)
                seen.last = position
            }
        }
    }
}

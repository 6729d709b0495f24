import Synchronization

/// A state that one thread sets and any number of tasks observe.
final class StateBoard<State: Sendable>: Sendable {
    private struct Board {
        var state: State
        var isFinal = false
        var watchers: [Int: AsyncStream<State>.Continuation] = [:]
        var lastWatcher = 0
    }

    private let board: Mutex<Board>

    init(_ state: State) { board = Mutex(Board(state: state)) }

    /// The present state.
    var state: State { board.withLock { $0.state } }

    /// Sets the state. No other state follows a final one.
    func set(_ state: State, isFinal: Bool = false) {
        let finished = board.withLock { board in
            guard !board.isFinal else { return [] as [AsyncStream<State>.Continuation] }
            board.state = state
            board.isFinal = isFinal
            for watcher in board.watchers.values { watcher.yield(state) }
            guard isFinal else { return [] }
            defer { board.watchers = [:] }
            return Array(board.watchers.values)
        }
        // Not under the lock: `finish` calls the termination handler synchronously, which acquires the lock.
        for watcher in finished { watcher.finish() }
    }

    /// The present state and the following ones, up to the final one. Only the newest is buffered for a slow reader.
    func states() -> AsyncStream<State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { output in
            let number: Int? = board.withLock { board in
                output.yield(board.state)
                guard !board.isFinal else { return nil }
                board.lastWatcher += 1
                board.watchers[board.lastWatcher] = output
                return board.lastWatcher
            }
            guard let number else { return output.finish() }
            output.onTermination = { [weak self] _ in
                self?.board.withLock { $0.watchers[number] = nil }
            }
        }
    }
}

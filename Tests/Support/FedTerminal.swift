import Glibc
import Platform
import Replay
import Synchronization

/// A receiver without a gpsd: a recording that is sent into a pseudo-terminal, on a thread of its own, until `unplug`.
///
/// Readers may come and go; data sent without a reader are buffered, up to the size of the terminal's buffer.
public final class FedTerminal: Sendable {
    private struct State {
        var path: String?
        var failure: String?
        var isOver = false
    }

    /// The terminal could not be opened.
    public struct NotOpen: Error, CustomStringConvertible {
        /// Why.
        public let description: String
    }

    private let state = Mutex(State())
    private let started = WakeDescriptor()
    private let ended = WakeDescriptor()

    /// Opens the terminal; nothing is sent before `begin`.
    public convenience init(_ recordingPath: String, pace: Pace = .times(1), loops: Bool = false) throws {
        try self.init(RecordingFile(path: recordingPath), pace: pace, loops: loops)
    }

    /// Opens the terminal for a recording; nothing is sent before `begin`.
    public init(_ recording: RecordingFile, pace: Pace = .times(1), loops: Bool = false) throws {
        // The thread references the value, so no `deinit` could end it.
        try DetachedThread.start(name: "fed-terminal") { [self] in
            do throws(ReplayError) { try feed(Feeder(recording, pace: pace, loops: loops)) } catch {
                state.withLock { $0.failure = error.description }
            }
            state.withLock { $0.isOver = true }
        }
        guard eventually(within: 60, { state.withLock { $0.path != nil || $0.isOver } }), failure == nil else {
            unplug()
            throw NotOpen(description: failure ?? "it took too long")
        }
    }

    /// Opens the terminal for ten positions a second, as many as of `PlayedReceiver.tenHertz`.
    public static func tenHertz() throws -> FedTerminal {
        try FedTerminal(PlayedReceiver.tenHertzRecording.get())
    }

    /// The device that a gpsd opens.
    public var path: String { state.withLock { $0.path ?? "" } }
    /// Why it ended early; nil where it did not.
    public var failure: String? { state.withLock { $0.failure } }

    /// Begins to send.
    public func begin() { started.signal() }

    /// Hangs up as a receiver does whose cable is pulled, and waits for it.
    public func unplug() {
        started.signal()
        ended.signal()
        _ = eventually(within: 60) { state.withLock { $0.isOver } }
    }

    private func feed(_ feeder: Feeder) throws(ReplayError) {
        let terminal = try PseudoTerminal()
        state.withLock { $0.path = terminal.path }
        wait(for: [pollfd(fd: started.number, events: Int16(POLLIN), revents: 0)], milliseconds: -1)
        let clock = SystemClock()
        while !isEnded {
            let end = pollfd(fd: ended.number, events: Int16(POLLIN), revents: 0)
            let now = clock.monotonicNanoseconds
            switch try feeder.step(now: now, into: terminal) {
            case .finished: wait(for: [end], milliseconds: -1)
            case .writable:
                wait(
                    for: [end, pollfd(fd: terminal.descriptor, events: Int16(POLLOUT), revents: 0)], milliseconds: -1)
            case .until(let due):
                wait(for: [end], milliseconds: Int32(clamping: (due - min(due, now)) / 1_000_000 + 1))
            }
        }
    }

    private var isEnded: Bool {
        var request = pollfd(fd: ended.number, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }

    private func wait(for requests: [pollfd], milliseconds: Int32) {
        var requests = requests
        _ = poll(&requests, nfds_t(requests.count), milliseconds)
    }
}

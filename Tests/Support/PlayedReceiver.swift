import Glibc
import Platform
import Replay
import Synchronization

/// A recording played through a gpsd of a test's own, on a thread of its own, until `stop`.
public final class PlayedReceiver: Sendable {
    private struct State {
        var address: String?
        var failure: String?
        var isOver = false
    }

    /// The player did not get as far as to have a gpsd.
    public struct NotPlaying: Error, CustomStringConvertible {
        /// Why.
        public let description: String
    }

    private let state = Mutex(State())
    private let ended = WakeDescriptor()

    /// Starts to play the recording of a file and waits for its gpsd.
    public convenience init(_ path: String, pace: Pace = .times(1)) throws {
        try self.init(RecordingFile(path: path), pace: pace)
    }

    /// Starts to play a recording and waits for its gpsd.
    public init(_ recording: RecordingFile, pace: Pace = .times(1), seconds: Double = 60) throws {
        // The thread references the value, so no `deinit` could end it.
        try DetachedThread.start(name: "played-receiver") { [self] in play(recording, pace) }
        guard eventually(within: seconds, { state.withLock { $0.address != nil || $0.isOver } }), failure == nil else {
            stop()
            throw NotPlaying(description: failure ?? "gpsd took too long")
        }
    }

    /// Plays ten positions a second for longer than any test that waits for the next one, however slow the machine is;
    /// at a higher pace more a second, and for as much shorter.
    public static func tenHertz(pace: Pace = .times(1)) throws -> PlayedReceiver {
        try PlayedReceiver(tenHertzRecording.get(), pace: pace)
    }

    /// Created and read once: both take longer than many a test.
    static let tenHertzRecording = Result {
        let directory = try TemporaryDirectory()
        return try RecordingFile(path: Products.recording("ten-hertz", seconds: 300, in: directory))
    }

    /// Where its gpsd is: HOST:PORT.
    public var address: String { state.withLock { $0.address ?? "none" } }
    /// Why the player ended early; nil where it did not.
    public var failure: String? { state.withLock { $0.failure } }

    /// Ends the player and its gpsd, and waits until both have ended.
    public func stop() {
        ended.signal()
        _ = eventually(within: 60) { state.withLock { $0.isOver } }
    }

    private func play(_ recording: RecordingFile, _ pace: Pace) {
        do throws(ReplayError) {
            let session = try ReplaySession(recording, pace: pace)
            state.withLock { $0.address = session.gpsd.address }
            // After the recording's end gpsd keeps running, as with a receiver that has fallen silent.
            if try session.run(until: ended.number) { waitForEnd() }
            try session.stop()
        } catch {
            state.withLock { $0.failure = error.description }
        }
        state.withLock { $0.isOver = true }
    }

    private func waitForEnd() {
        var request = pollfd(fd: ended.number, events: Int16(POLLIN), revents: 0)
        while poll(&request, 1, -1) < 0, errno == EINTR {}
    }
}

import Platform

/// Sends a recording into a pseudo-terminal at its pace, in steps of the caller's poll loop.
public final class Feeder {
    /// How far it is.
    public struct Progress: Equatable, Sendable {
        /// Sentences sent in this pass.
        public let sentence: Int
        /// Sentences of the recording.
        public let sentences: Int
        /// Passes completed, where it loops.
        public let passes: Int
    }

    /// What the caller waits for before the next step.
    public enum Wait: Equatable, Sendable {
        /// Until this time, nanoseconds of CLOCK_MONOTONIC.
        case until(UInt64)
        /// Until the terminal's `descriptor` is writable.
        case writable
        /// For nothing: all was sent and read.
        case finished
    }

    private let recording: RecordingFile
    private var pacing: Pacing
    private var partWritten = 0

    private var lastSentAt: UInt64 = 0

    /// How long to wait until looking again whether the last bytes were read: the kernel does not notify. It also takes
    /// a short time to hand bytes over to the far end, during which they are counted at neither.
    private static let drainCheckNanoseconds: UInt64 = 10_000_000

    /// A feeder at the beginning of a recording.
    public init(_ recording: RecordingFile, pace: Pace, loops: Bool = false) {
        self.recording = recording
        pacing = Pacing(offsets: recording.parts.map(\.offsetNanoseconds), pace: pace, loops: loops)
    }

    /// How far it is.
    public var progress: Progress {
        Progress(sentence: pacing.next, sentences: recording.parts.count, passes: pacing.passes)
    }

    /// Writes what is due at this time, nanoseconds of CLOCK_MONOTONIC, and says what to wait for.
    ///
    /// A bounded number of parts is written in one step, so that the caller's other descriptors get their turn.
    public func step(now: UInt64, into terminal: borrowing PseudoTerminal) throws(ReplayError) -> Wait {
        for _ in 0..<64 {
            switch pacing.step(now: now) {
            case .finished:
                let isHandedOver = now >= lastSentAt + Self.drainCheckNanoseconds
                guard isHandedOver, try terminal.unreadBytes() == 0 else {
                    return .until(now + Self.drainCheckNanoseconds)
                }
                return .finished
            case .wait(let until):
                return .until(until)
            case .send(let number):
                let rest = recording.parts[number].range.dropFirst(partWritten)
                let count = try terminal.write(recording.bytes[rest])
                if count < rest.count {
                    partWritten += count
                    return .writable
                }
                partWritten = 0
                lastSentAt = now
                pacing.sent()
            }
        }
        return .writable
    }
}

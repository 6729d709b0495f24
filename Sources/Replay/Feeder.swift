import Platform

/// Writes a recording into a pseudo-terminal at its pace, in steps of the caller's poll loop.
public final class Feeder {
    /// The progress of the replay.
    public struct Progress: Equatable, Sendable {
        /// The number of sentences sent in this pass.
        public let sentence: Int
        /// The number of sentences in the recording.
        public let sentences: Int
        /// The number of completed passes, if it loops.
        public let passes: Int
    }

    /// What the caller has to wait for before the next step.
    public enum Wait: Equatable, Sendable {
        /// Until this time, nanoseconds of CLOCK_MONOTONIC.
        case until(UInt64)
        /// Until the terminal's `descriptor` is writable.
        case writable
        /// Nothing: all data was sent and read.
        case finished
    }

    private let recording: RecordingFile
    private var pacing: Pacing
    private var partWritten = 0

    private var lastSentAt: UInt64 = 0

    /// The interval of checks whether the last bytes were read, because the kernel does not report that. The kernel
    /// also needs a short time to move bytes to the other end, during which they are counted at neither end.
    private static let drainCheckNanoseconds: UInt64 = 10_000_000

    /// A feeder at the beginning of a recording.
    public init(_ recording: RecordingFile, pace: Pace, loops: Bool = false) {
        self.recording = recording
        pacing = Pacing(offsets: recording.parts.map(\.offsetNanoseconds), pace: pace, loops: loops)
    }

    /// The progress.
    public var progress: Progress {
        Progress(sentence: pacing.next, sentences: recording.parts.count, passes: pacing.passes)
    }

    /// Writes the data that is due at this time (nanoseconds of CLOCK_MONOTONIC), and returns what to wait for.
    ///
    /// The number of parts in one step is limited, so that the caller's other descriptors are served.
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

import Durations
import Location

extension Uploader {
    /// The shortest interval between two commands that are performed. Others are ignored and counted.
    static let commandInterval = Duration.seconds(10)

    /// Handles commands of the destination.
    public mutating func commanded(_ commands: RemoteCommands, at now: Instant) -> [UploadEffect] {
        report.ignoredCommands += UInt64(commands.ignored)
        if commands.reportsLocation {
            if commandedAt.map({ now.monotonicNanoseconds < $0.after(Self.commandInterval) }) ?? false {
                report.ignoredCommands += 1
            } else {
                commandedAt = now.monotonicNanoseconds
                report.commands += 1
                isReportRequested = configuration.acceptsCommands
            }
        }
        return conclude(at: now)
    }

    /// Whether the connection to a broker is needed only to receive messages: not on a path that should be spared.
    var isListening: Bool {
        (configuration.commandTopic != nil || configuration.birthTopic != nil) && cost == nil
    }

    /// Whether the requested report may be sent on this path.
    var isReportDue: Bool { isReportRequested && (cost == nil || isReleased) }

    /// The newest position of the recording, as the response to a command; nil if none is known, or not yet.
    ///
    /// The position is one that was read, so the app was allowed to have it; a recording that may no longer be read takes
    /// it away. It stays in the queue where it is, because the report settles nothing.
    mutating func requestedReport() -> Transfer? {
        guard isReportDue, let outbox else { return nil }
        if outbox.last > newestRead?.sequence ?? 0, outbox.mayTryLast {
            wanted = .last
            return nil
        }
        isReportRequested = false
        return newestRead.map { transfer(.requested, [$0]) }
    }

    /// Remembers the newest position of a page.
    mutating func noteNewest(of page: RecordedPage) {
        guard let last = page.positions.last, last.recording == outbox?.recording,
            last.sequence > newestRead?.sequence ?? 0
        else { return }
        newestRead = last
    }
}

import Configuration
import Interfaces
import Journal
import Platform

/// Owns the daemon's journal: opens and closes it, and has its status available without blocking on the disk.
@DaemonActor
final class JournalSupervisor {
    /// The journal, for its readers and writers.
    let journal: EventJournal
    /// The status that the journal last reported.
    private(set) var status = DaemonStatus.Journal()
    private let changes: Changes
    private let relay: Relay

    /// The time limit for a reply to a status query.
    private static let patience = Duration.milliseconds(250)

    /// Connects the journal's callbacks, created first, to this object.
    @DaemonActor
    private final class Relay: Sendable {
        weak var supervisor: JournalSupervisor?
    }

    init(
        settings: Settings.Journal, recording: Settings.Recording, changes: Changes, clock: any TimeSource
    ) throws(SystemError) {
        self.changes = changes
        let relay = Relay()
        self.relay = relay
        journal = try EventJournal(
            directory: settings.stateDirectory, options: Self.options(settings, recording), clock: clock,
            deliver: { work in DaemonActor.post { work() } },
            onStateChange: { state in DaemonActor.assumeIsolated { relay.supervisor?.apply(state) } },
            onLoad: { loaded, recordings in
                DaemonActor.assumeIsolated {
                    if let loss = loaded.loss {
                        Log.error(
                            "not all decisions about apps could be read; these apps count as undecided: \(loss)")
                    }
                    changes.report(.journalLoaded(loaded, recordings))
                }
            },
            onRecordings: { recordings in DaemonActor.assumeIsolated { changes.report(.recordingsStored(recordings)) }
            },
            onCommit: { events in DaemonActor.assumeIsolated { relay.supervisor?.apply(events) } })
        status.path = "\(settings.stateDirectory)/journal.db"
        relay.supervisor = self
    }

    /// Applies settings that need no restart.
    func apply(_ settings: Settings.Journal, _ recording: Settings.Recording) {
        let options = Self.options(settings, recording)
        journal.setRetention(options.retention)
        journal.setRecordingRetention(options.recordingRetention)
    }

    /// Queries the journal's status. Calls back after its reply, or after the time limit.
    func refresh(_ completion: @escaping @DaemonActor () -> Void) {
        let answer = Once(completion)
        journal.statistics { [weak self] result in
            DaemonActor.assumeIsolated {
                if case .success(let statistics) = result { self?.apply(statistics) }
                answer.run()
            }
        }
        do throws(SystemError) {
            answer.timer = try TimerSource(accuracy: .milliseconds(10)) { answer.run() }
            answer.timer?.arm(after: Self.patience)
        } catch {
            // Without a timer the completion waits for the journal's reply.
            Log.error("cannot set a time limit for the journal's status: \(error)")
        }
    }

    /// Writes pending events, closes the journal and calls back.
    func close(_ completion: @escaping @Sendable @DaemonActor () -> Void) {
        journal.close { result in
            DaemonActor.assumeIsolated {
                if case .failure(let error) = result { Log.error("the journal could not be closed: \(error)") }
                completion()
            }
        }
    }

    private func apply(_ state: JournalState) {
        switch state {
        case .opening: status.state = .opening
        case .running:
            if status.state != .opening { Log.notice("the journal records again") }
            status.state = .running
            status.reason = nil
        case .full(_, let reason):
            Log.error("the journal cannot be written at present: \(reason)")
            status.state = .full
            status.reason = reason
        case .failed(let error):
            Log.error("the journal does not record: \(error)")
            status.state = .failed
            status.reason = error.description
            if error.reason == .inUse { changes.report(.stateDirectoryInUse(error)) }
        }
        changes.report(.journalStateChanged)
    }

    private func apply(_ events: [StoredEvent]) {
        status.newest = events.last?.sequence ?? status.newest
        changes.report(.eventsCommitted(events))
    }

    private func apply(_ statistics: JournalStatistics) {
        status.events = statistics.events
        status.size = statistics.bytes
        status.oldest = statistics.events > 0 ? statistics.oldestRetained : nil
        status.newest = statistics.newest > 0 ? statistics.newest : nil
        status.dropped = statistics.dropped
    }

    private static func options(_ settings: Settings.Journal, _ recording: Settings.Recording) -> JournalOptions {
        var options = JournalOptions()
        options.commitInterval = settings.commitInterval
        options.retention = Retention(
            maximumAge: settings.maximumAge, maximumBytes: Int64(clamping: settings.maximumSize))
        options.retention.operatorMaximumAge = settings.operatorMaximumAge
        options.retention.operatorMaximumBytes = Int64(clamping: settings.operatorMaximumSize)
        options.recordingRetention = RecordingRetention(
            keepAcknowledged: recording.keepAcknowledged, maximumAge: recording.maximumAge,
            maximumBytes: Int64(clamping: recording.maximumSize))
        return options
    }
}

/// An action that is performed once, by the first of several callers.
@DaemonActor
private final class Once {
    var timer: TimerSource?
    private var operation: (@DaemonActor () -> Void)?

    init(_ operation: @escaping @DaemonActor () -> Void) {
        self.operation = operation
    }

    func run() {
        timer = nil
        guard let operation else { return }
        self.operation = nil
        operation()
    }
}

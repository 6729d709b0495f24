import Configuration
import Interfaces
import Journal
import Platform

/// Keeps the journal for the daemon: opens and closes it, and knows how it stands without waiting for the disk.
@DaemonActor
final class JournalSupervisor {
    /// The journal, for those who write and read it.
    let journal: EventJournal
    /// How the journal stands, as it said last.
    private(set) var status = DaemonStatus.Journal()
    private let changes: Changes
    private let relay: Relay

    /// How long a question about its state waits for an answer.
    private static let patience = Duration.milliseconds(250)

    /// Where callbacks of the journal, made before the keeper exists, find it.
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
                            "what was decided for apps is not fully known; what is not counts as undecided: \(loss)")
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

    /// Asks the journal how it stands, and calls back when it has said so or takes too long.
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
            // Without a timer the answer comes when the journal gives it.
            Log.error("waiting for the journal without a time limit: \(error)")
        }
    }

    /// Writes what waits and closes the journal, then calls back.
    func close(_ completion: @escaping @Sendable @DaemonActor () -> Void) {
        journal.close { result in
            DaemonActor.assumeIsolated {
                if case .failure(let error) = result { Log.error("the journal was not closed: \(error)") }
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
            Log.error("the journal cannot be written now: \(reason)")
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

/// Something to be done once, by whoever comes first.
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

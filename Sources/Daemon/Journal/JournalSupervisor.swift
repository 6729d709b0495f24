import Configuration
import Interfaces
import Journal
import Platform

/// Owns the journal for the daemon: opens and closes it, and provides its status without waiting for the disk.
@DaemonActor
final class JournalSupervisor {
    /// The journal, for its readers and writers.
    let journal: EventJournal
    /// The status that the journal last reported.
    private(set) var status = DaemonStatus.Journal()
    /// About how many rows were still to be sealed at the last refresh.
    private(set) var rowsToSeal: Int64 = 0
    private let changes: Changes

    /// How long a query of its statistics waits for the reply.
    private static let patience = Duration.milliseconds(250)

    /// Receives the journal's reports; made before the supervisor exists.
    @DaemonActor
    private final class Owner: JournalOwner {
        weak var supervisor: JournalSupervisor?

        nonisolated func deliver(_ work: @escaping @Sendable () -> Void) { DaemonActor.post { work() } }

        nonisolated func receive(_ report: JournalReport) { DaemonActor.assumeIsolated { supervisor?.receive(report) } }
    }

    init(
        settings: Settings.Journal, recording: Settings.Recording,
        machineSecret: MachineSecretSource = MachineSecretSource(), changes: Changes,
        clock: any TimeSource
    ) throws(SystemError) {
        self.changes = changes
        let owner = Owner()
        var options = Self.options(settings, recording)
        options.machineSecret = machineSecret
        journal = try EventJournal(
            directory: settings.stateDirectory, options: options, clock: clock, owner: owner)
        status.path = "\(settings.stateDirectory)/journal.db"
        owner.supervisor = self
    }

    /// Applies settings that need no restart.
    func apply(_ settings: Settings.Journal, _ recording: Settings.Recording) {
        let options = Self.options(settings, recording)
        journal.setRetention(options.retention)
        journal.setRecordingRetention(options.recordingRetention)
    }

    /// Queries the journal's statistics, and calls back when they have arrived or the time limit has passed.
    func refresh(within patience: Duration = patience, _ completion: @escaping @DaemonActor () -> Void) {
        let answer = Once(completion)
        journal.statistics { [weak self] result in
            DaemonActor.assumeIsolated {
                if case .success(let statistics) = result { self?.apply(statistics) }
                answer.run()
            }
        }
        do throws(SystemError) {
            answer.timer = try TimerSource(accuracy: .milliseconds(10)) { answer.run() }
            answer.timer?.arm(after: patience)
        } catch {
            // Without a timer the completion waits for the journal.
            Log.error("waiting for the journal without a time limit: \(error)")
        }
    }

    /// Writes what is pending and closes the journal, then calls back.
    func close(_ completion: @escaping @Sendable @DaemonActor () -> Void) {
        journal.close { result in
            DaemonActor.assumeIsolated {
                if case .failure(let error) = result { Log.error("the journal could not be closed: \(error)") }
                completion()
            }
        }
    }

    private func receive(_ report: JournalReport) {
        switch report {
        case .stateChanged(let state): stateChanged(to: state)
        case .loaded(let authorization, let recordings):
            if let loss = authorization.loss {
                Log.error("some decisions about apps could not be read and count as undecided: \(loss)")
            }
            changes.report(.journalLoaded(authorization, recordings))
        case .committed(let events):
            status.newest = events.last?.sequence ?? status.newest
            changes.report(.eventsCommitted(events))
        case .machineSecret(let secret): changes.report(.machineSecretFound(secret))
        case .recordingsChanged(let all): changes.report(.recordingsStored(all))
        }
    }

    private func stateChanged(to state: JournalState) {
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
            Log.error("the journal cannot be written: \(error)")
            status.state = .failed
            status.reason = error.description
            if error.reason == .inUse { changes.report(.stateDirectoryInUse(error)) }
        }
        changes.report(.journalStateChanged)
    }

    private func apply(_ statistics: JournalStatistics) {
        status.events = statistics.events
        status.size = statistics.bytes
        status.oldest = statistics.events > 0 ? statistics.oldestRetained : nil
        status.newest = statistics.newest > 0 ? statistics.newest : nil
        status.dropped = statistics.dropped
        rowsToSeal = statistics.rowsToSeal
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

import Configuration
import Journal
import Platform
import Storage

/// The source of the configuration, which is read at the start and at every reload.
public protocol ConfigurationSource: Sendable {
    /// Reads the configuration from its files.
    func load() -> Configuration
}

/// Reads the configuration again, and applies it to all parts if it has no errors.
@DaemonActor
final class ConfigurationReload {
    /// The result of a reload.
    enum Outcome {
        case applied(changed: [String], needsRestart: [String])
        case refused(problems: [String])
        case unrecorded(StorageError)
    }

    /// The configuration in effect.
    private(set) var configuration: Configuration
    private let source: any ConfigurationSource
    private let recorder: EventRecorder
    private let report: StatusReport
    private let changes: Changes

    /// `configuration` is what the source returned first, without problems.
    init(
        _ configuration: Configuration, from source: any ConfigurationSource, recorder: EventRecorder,
        report: StatusReport, changes: Changes
    ) {
        self.configuration = configuration
        self.source = source
        self.recorder = recorder
        self.report = report
        self.changes = changes
    }

    /// Reads and applies the configuration; completes once the journal has recorded that.
    func reload(_ completion: @escaping @Sendable @DaemonActor (Outcome) -> Void) {
        ServiceManager.notify(.reloading)
        defer { ServiceManager.notify(.ready(status: report.publicSummary)) }
        let new = source.load()
        guard new.problems.isEmpty else {
            let problems = new.problems.map(\.description)
            for problem in problems { Log.error("configuration not applied: \(problem)") }
            return completion(.refused(problems: problems))
        }
        let differences = new.settings.changes(from: configuration.settings)
        configuration = new
        changes.report(.configurationChanged(new))
        let changed = differences.map(\.name)
        let needsRestart = differences.filter(\.needsRestart).map(\.name)
        let event = Event(
            .configurationReloaded,
            details: [
                "changed": .text(changed.joined(separator: " ")),
                "needsRestart": .text(needsRestart.joined(separator: " ")),
            ])
        recorder.record(event) { result in
            switch result {
            case .success: completion(.applied(changed: changed, needsRestart: needsRestart))
            case .failure(let error): completion(.unrecorded(error))
            }
        }
    }
}

import Configuration
import Platform

@testable import Daemon

extension ClientParts {
    /// Monitors of regions in the state directory, without a receiver.
    func regions(_ readiness: Readiness, clock: any TimeSource) throws -> RegionRegistry {
        var settings = self.settings
        settings.receiver.gpsd = .none
        let directory = settings.journal.stateDirectory
        let protection = try DataProtection(
            directory: directory, journal: journal.journal, recorder: recorder, changes: changes, clock: clock)
        return try RegionRegistry(
            store: .init(stateDirectory: directory, clock: clock),
            key: RegionKey(directory: directory, protection: protection), authorizer: authorizer, prompts: prompts,
            readiness: readiness, recorder: clientRecorder,
            operators: OperatorUsers(OperatorPolicy(groupName: "waymark"), changes: changes),
            pipeline: Pipeline(settings: settings, changes: changes, recorder: recorder, clock: clock),
            changes: changes)
    }
}

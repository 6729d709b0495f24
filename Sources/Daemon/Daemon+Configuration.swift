import Authorization
import Configuration
import Platform

extension Daemon {
    /// Applies a configuration to all parts.
    func apply(_ configuration: Configuration) {
        let settings = configuration.settings
        Log.level = settings.log.level
        report.configuration = configuration.files
        pipeline.apply(settings.receiver)
        server.setMaximumConnections(
            settings.socket.maximumConnections, perUser: settings.socket.maximumConnectionsPerUser)
        journal.apply(settings.journal, settings.recording)
        network.apply(settings.reachability)
        // Looked up again, because its members may have changed even if its name has not.
        let operators = OperatorPolicy(groupName: settings.authorization.operatorGroup)
        reachability.operators = operators
        clients.apply(operators)
        operatorUsers.apply(operators)
        regions.apply(settings.regions)
        wakes.apply(settings.waking)
        userProtections.apply(settings.protection)
        seats.apply(examinesConsoles: settings.protection.lockWhenIdle > .zero)
        agents.programs = AgentPrograms(settings.authorization.agents)
        library.apply(settings.authorization)
        users.apply(settings.authorization.personalManifests)
        authorizer.apply(minimumAssurance: settings.authorization.minimumAssurance)
        changes.report(.everythingChanged)
        accountRetention.apply(retention: settings.authorization.removedUsersRetention)
    }
}

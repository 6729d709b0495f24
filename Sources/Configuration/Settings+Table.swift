extension Settings: SettingValues {
    /// Every setting of the daemon.
    public static let table = SettingTable<Settings>([
        Setting(
            "Receiver", "GPSD", \.receiver.gpsd, .gpsdAddress, .atReload,
            "Where gpsd listens; none for a daemon without a receiver."),
        Setting(
            "Receiver", "Simulated", \.receiver.isSimulated, .boolean, .atReload,
            "Whether every position is marked as simulated, for a replay or a simulator behind gpsd."),
        Setting(
            "Receiver", "StaleAfter", \.receiver.staleAfter, .duration(.seconds(1), to: .seconds(3_600)), .atReload,
            "How long after the receiver's last report the position is unknown."),
        Setting(
            "Receiver", "ReleaseAfter", \.receiver.releaseAfter, .duration(.zero, to: .seconds(86_400)), .atReload,
            "How long the connection to gpsd is kept after the last need, so that the receiver need not start anew."),
        Setting(
            "Receiver", "MaximumSpeed", \.receiver.maximumSpeed, .wholeNumber(1...10_000, of: "metres a second"),
            .atReload,
            "The speed over which a fix is not believed, whatever the receiver says of its speed."),
        Setting(
            "Receiver", "SystemTimestamps", \.receiver.systemTimestamps, .word("choice"), .atReload,
            "Whether positions of a receiver that never reports a date are delivered with the time of this machine's clock,"
                + " and marked so. synchronized: where that clock is known to be synchronized. always: also where it is"
                + " not. never: they are rejected."),

        Setting(
            "Socket", "Path", \.socket.path, .socketPath, .atRestart,
            "The Unix socket that clients connect to, unless systemd passes one."),
        Setting(
            "Socket", "Mode", \.socket.mode, .fileMode, .atRestart,
            "The permissions of the socket; who gets positions is decided by authorization, not by them."),
        Setting(
            "Socket", "MaximumConnections", \.socket.maximumConnections, .integer(1...65_536), .atReload,
            "How many connections there may be at once."),
        Setting(
            "Socket", "MaximumConnectionsPerUser", \.socket.maximumConnectionsPerUser, .integer(1...65_536), .atReload,
            "How many connections each user may have at once; root has no such limit."),

        Setting(
            "Journal", "StateDirectory", \.journal.stateDirectory, .absolutePath, .atRestart,
            "The folder of the database; systemd's StateDirectory= wins over this default."),
        Setting(
            "Journal", "CommitInterval", \.journal.commitInterval,
            .duration(.milliseconds(10), to: .seconds(60)), .atRestart,
            "How long an event may wait before it is on disk: longer is fewer writes, and more is lost with the power."),
        Setting(
            "Journal", "MaximumAge", \.journal.maximumAge, .duration(.seconds(3_600), to: .seconds(36_500 * 86_400)),
            .atReload, "How long events are kept."),
        Setting(
            "Journal", "MaximumSize", \.journal.maximumSize, .size((1 << 20)...(1 << 40)), .atReload,
            "How large the events in the database may become before the oldest of them are removed."),
        Setting(
            "Journal", "OperatorMaximumAge", \.journal.operatorMaximumAge,
            .duration(.seconds(3_600), to: .seconds(36_500 * 86_400)), .atReload,
            "How long events that report what operators did are kept, where that is longer than MaximumAge=. Nothing that users'"
                + " programs do removes them earlier."),
        Setting(
            "Journal", "OperatorMaximumSize", \.journal.operatorMaximumSize, .size((1 << 20)...(1 << 40)), .atReload,
            "How large the events of operators may become, beside MaximumSize=, before the oldest of them are removed."),

        Setting(
            "Recording", "KeepAcknowledged", \.recording.keepAcknowledged,
            .duration(.zero, to: .seconds(36_500 * 86_400)), .atReload,
            "How long a recorded position is kept after its app has acknowledged it; 0 erases it at once."),
        Setting(
            "Recording", "MaximumAge", \.recording.maximumAge,
            .duration(.seconds(3_600), to: .seconds(36_500 * 86_400)), .atReload,
            "How long a recorded position is kept, also where nobody has acknowledged it."),
        Setting(
            "Recording", "MaximumSize", \.recording.maximumSize, .size((1 << 20)...(1 << 40)), .atReload,
            "How large all recordings together may become: above that go first what is acknowledged, then what no"
                + " destination takes, then what is oldest."),

        Setting(
            "Authorization", "OperatorGroup", \.authorization.operatorGroup, .groupName, .atReload,
            "The group whose members may authorize apps and read the whole journal, as root may."),
        Setting(
            "Authorization", "MinimumAssurance", \.authorization.minimumAssurance, .word("assurance"), .atReload,
            "How well it has to be proved which app a program is: by its executable, by its user's unit, by its system"
                + " service, or by a socket of its own."),
        Setting(
            "Authorization", "Manifests", \.authorization.manifests, .absolutePaths, .atReload,
            "The folders of the machine's manifests; of an app in more than one, the last counts."),
        Setting(
            "Authorization", "PersonalManifests", \.authorization.personalManifests, .word("mode"), .atReload,
            "Whether the manifests in a user's own ~/.config/waymark/apps count, for the programs of that user, and who"
                + " decides for them. present: the user by an agent, while in an active session at a seat of this"
                + " machine, otherwise an operator; where there is no logind, always an operator. ask-operator: always an"
                + " operator. no: they do not count."),
        Setting(
            "Authorization", "RemovedUsersRetention", \.authorization.removedUsersRetention,
            .duration(.zero, to: .seconds(3_650 * 86_400)), .atReload,
            "How long grants, questions and recordings of an account are kept after the user database has lost it. Nothing of"
                + " it is delivered, recorded or readable meanwhile. Only time counts in which the account was seen to be"
                + " missing."),
        Setting(
            "Authorization", "Restrictions", \.authorization.restrictions, .absolutePath, .atReload,
            "The folder of the files *.conf that say what nobody may have, whatever was granted."),
        Setting(
            "Authorization", "Agents", \.authorization.agents, .agentPaths, .atReload,
            "The programs that may show a user the questions of apps; own is the waymark-agent beside the running waymarkd or"
                + " in ../libexec/waymark."),

        Setting(
            "Reachability", "Settle", \.reachability.settle, .duration(.zero, to: .seconds(60)), .atReload,
            "How long the network has to be back, or another, until it is told, where it was lost soon after it came back."
                + " A loss is told at once, and the first return after calm. 0 tells everything at once."),
        Setting(
            "Reachability", "MaximumSettle", \.reachability.maximumSettle, .duration(.zero, to: .seconds(3_600)),
            .atReload, "How long at most: each change soon after another doubles the time."),
        Setting(
            "Reachability", "GatewayPatience", \.reachability.gatewayPatience, .duration(.zero, to: .seconds(3_600)),
            .atReload, "How long a router that did not answer counts as lost, until it may be tried again."),
        Setting(
            "Reachability", "Expensive", \.reachability.expensive, .interfacePatterns, .atReload,
            "The interfaces over which sending costs money, whatever else is known of them."),
        Setting(
            "Reachability", "Constrained", \.reachability.constrained, .interfacePatterns, .atReload,
            "The interfaces over which as little as possible is to be sent."),
        Setting(
            "Reachability", "UltraConstrained", \.reachability.ultraConstrained, .interfacePatterns, .atReload,
            "The interfaces that carry next to nothing, such as a satellite's messages."),
        Setting(
            "Reachability", "NetworkManager", \.reachability.queriesNetworkManager, .boolean, .atReload,
            "Whether NetworkManager, where it runs, is asked which connections are metered."),
        Setting(
            "Reachability", "Resolver", \.reachability.resolver, .resolverProgram, .atReload,
            "The program that looks names up, or a Unix socket behind which one does; own is the waymark-resolver beside"
                + " the running waymarkd or in ../libexec/waymark, none leaves names alone."),

        Setting(
            "Log", "Level", \.log.level, .logLevel, .atReload,
            "The least important messages that are logged."),
    ])
}

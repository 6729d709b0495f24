extension Settings: SettingValues {
    /// Every setting of the daemon.
    public static let table = SettingTable<Settings>([
        Setting(
            "Receiver", "GPSD", \.receiver.gpsd, .gpsdAddress, .atReload,
            "The address of gpsd; none for a daemon without a receiver."),
        Setting(
            "Receiver", "Simulated", \.receiver.isSimulated, .boolean, .atReload,
            "Whether every position is marked as simulated, for a replay or a simulator behind gpsd."),
        Setting(
            "Receiver", "StaleAfter", \.receiver.staleAfter, .duration(.seconds(1), to: .seconds(3_600)), .atReload,
            "How long after the last fix the position becomes unknown, or three intervals of a slower receiver."),
        Setting(
            "Receiver", "ReleaseAfter", \.receiver.releaseAfter, .duration(.zero, to: .seconds(86_400)), .atReload,
            "How long the connection to gpsd stays open after the last client has ended, so that the receiver does not"
                + " have to restart."),
        Setting(
            "Receiver", "MaximumSpeed", \.receiver.maximumSpeed, .wholeNumber(1...10_000, of: "metres a second"),
            .atReload,
            "The speed above which a fix is rejected, whatever speed the receiver reports."),
        Setting(
            "Receiver", "SystemTimestamps", \.receiver.systemTimestamps, .word("choice"), .atReload,
            "Whether positions of a receiver that never reports a date are delivered with the time of this machine's"
                + " clock, and marked. synchronized: if that clock is known to be synchronized. always: even if it is"
                + " not. never: they are rejected."),
        Setting(
            "Receiver", "Power", \.receiver.power, .word("choice"), .atReload,
            "Whether the receiver sleeps where only regions and significant changes need positions. adaptive: gpsd is"
                + " connected only around the times at which a position can be needed, so that it can power the receiver"
                + " down. continuous: always, for a receiver whose power does not matter, as in a vehicle."),

        Setting(
            "Socket", "Path", \.socket.path, .socketPath, .atRestart,
            "The Unix socket that clients connect to, unless systemd passes one."),
        Setting(
            "Socket", "Mode", \.socket.mode, .fileMode, .atRestart,
            "The permissions of the socket. They do not decide who gets positions; authorization does."),
        Setting(
            "Socket", "MaximumConnections", \.socket.maximumConnections, .integer(1...65_536), .atReload,
            "The limit of simultaneous connections."),
        Setting(
            "Socket", "MaximumConnectionsPerUser", \.socket.maximumConnectionsPerUser, .integer(1...65_536), .atReload,
            "The limit of simultaneous connections of each user; root has no such limit."),

        Setting(
            "Journal", "StateDirectory", \.journal.stateDirectory, .absolutePath, .atRestart,
            "The folder of the database; systemd's StateDirectory= overrides this default."),
        Setting(
            "Journal", "CommitInterval", \.journal.commitInterval,
            .duration(.milliseconds(10), to: .seconds(60)), .atRestart,
            "How long an event may wait until it is on disk: a longer time means fewer writes, and a larger loss at a"
                + " power failure."),
        Setting(
            "Journal", "MaximumAge", \.journal.maximumAge, .duration(.seconds(3_600), to: .seconds(36_500 * 86_400)),
            .atReload, "How long events are retained."),
        Setting(
            "Journal", "MaximumSize", \.journal.maximumSize, .size((1 << 20)...(1 << 40)), .atReload,
            "The size of the events in the database above which the oldest of them are removed."),
        Setting(
            "Journal", "OperatorMaximumAge", \.journal.operatorMaximumAge,
            .duration(.seconds(3_600), to: .seconds(36_500 * 86_400)), .atReload,
            "How long events about actions of operators are retained, if that is longer than MaximumAge=. No action of"
                + " a user's program removes them earlier."),
        Setting(
            "Journal", "OperatorMaximumSize", \.journal.operatorMaximumSize, .size((1 << 20)...(1 << 40)), .atReload,
            "The size of operators' events, in addition to MaximumSize=, above which the oldest of them are removed."),

        Setting(
            "Recording", "KeepAcknowledged", \.recording.keepAcknowledged,
            .duration(.zero, to: .seconds(36_500 * 86_400)), .atReload,
            "How long a recorded position is retained after its app has acknowledged it; 0 erases it at once."),
        Setting(
            "Recording", "MaximumAge", \.recording.maximumAge,
            .duration(.seconds(3_600), to: .seconds(36_500 * 86_400)), .atReload,
            "How long a recorded position is retained, even if it is not acknowledged."),
        Setting(
            "Recording", "MaximumSize", \.recording.maximumSize, .size((1 << 20)...(1 << 40)), .atReload,
            "The size of all recordings together above which positions are removed: first acknowledged ones, then dead"
                + " letters, then the oldest."),

        Setting(
            "Protection", "MachineSecret", \.protection.machineSecret, .optional(.absolutePath), .atRestart,
            "The file with the machine's secret, 32 bytes. Without this setting it is the credential"
                + " waymark.machine-secret of the service manager, or else the file machine.secret in the state directory,"
                + " which is made and does not protect a copy of that directory."),
        Setting(
            "Protection", "LockAfter", \.protection.lockAfter, .duration(.zero, to: .seconds(30 * 86_400)), .atReload,
            "How long after it was unlocked the data is locked again; 0 is never."),
        Setting(
            "Protection", "LockWhenIdle", \.protection.lockWhenIdle, .duration(.zero, to: .seconds(30 * 86_400)),
            .atReload,
            "How long after all sessions at a seat became idle, as logind reports it, or the last of them ended, the data is"
                + " locked; 0 is never."),
        Setting(
            "Protection", "LockAtLogout", \.protection.locksAtLogout, .boolean, .atReload,
            "Whether the data of a user with a passphrase of its own is locked when the last login session of that user has"
                + " ended. It does not apply to the machine's data."),
        Setting(
            "Protection", "LockWithScreen", \.protection.locksWithScreen, .boolean, .atReload,
            "Whether the data is locked with a user's screen: when logind reports or requests that, or a program with"
                + " `waymark screen lock`. Unlocking a screen does not unlock the data."),

        Setting(
            "Regions", "PendingEvents", \.regions.pendingEvents, .integer(1...1_000_000), .atReload,
            "The number of events of a monitor that are stored until they are acknowledged; beyond it the oldest are"
                + " dropped, and an event says how many."),
        Setting(
            "Regions", "UndecidedAfter", \.regions.undecidedAfter, .duration(.seconds(10), to: .seconds(86_400)),
            .atReload,
            "The time without a decision, while fixes arrive that are too inaccurate for one, after which it is unknown"
                + " whether the machine is in a region."),

        Setting(
            "Waking", "WakesPerHour", \.waking.perHour, .integer(1...100_000), .atReload,
            "How often an app that does not run may be started within an hour because something happened."),
        Setting(
            "Waking", "WakesAtOnce", \.waking.burst, .integer(1...100), .atReload,
            "How often an app may be started in quick succession; each wake is available again after an hour divided by"
                + " WakesPerHour=."),
        Setting(
            "Waking", "AttachWithin", \.waking.attachWithin, .duration(.seconds(1), to: .seconds(3_600)), .atReload,
            "How long an app that was started may take until its first call. After three failures in a row it is no"
                + " longer started."),

        Setting(
            "Authorization", "OperatorGroup", \.authorization.operatorGroup, .groupName, .atReload,
            "The group whose members may authorize apps and read the whole journal, as root may."),
        Setting(
            "Authorization", "MinimumAssurance", \.authorization.minimumAssurance, .word("assurance"), .atReload,
            "How strongly a program's app has to be proved: by its executable, by its user's unit, by its system"
                + " service, or by a socket of its own."),
        Setting(
            "Authorization", "Manifests", \.authorization.manifests, .absolutePaths, .atReload,
            "The folders of the machine's manifests; if several have a manifest of the same app, the last counts."),
        Setting(
            "Authorization", "PersonalManifests", \.authorization.personalManifests, .word("mode"), .atReload,
            "Whether the manifests in a user's own ~/.config/waymark/apps count, for the programs of that user, and who"
                + " decides for them. present: the user by an agent, while in an active session at a seat of this"
                + " machine, otherwise an operator; without logind, always an operator. ask-operator: always an"
                + " operator. no: they do not count."),
        Setting(
            "Authorization", "RemovedUsersRetention", \.authorization.removedUsersRetention,
            .duration(.zero, to: .seconds(3_650 * 86_400)), .atReload,
            "How long grants, prompts and recordings of an account are retained after the account was removed from the"
                + " user database. During that time none of it is delivered, recorded or readable. Only time in which"
                + " the account was seen to be missing counts."),
        Setting(
            "Authorization", "Restrictions", \.authorization.restrictions, .absolutePath, .atReload,
            "The folder of the files *.conf with the restrictions that apply regardless of all grants."),
        Setting(
            "Authorization", "Agents", \.authorization.agents, .agentPaths, .atReload,
            "The programs that may show prompts to a user; own is the waymark-agent beside the running waymarkd or in"
                + " ../libexec/waymark."),

        Setting(
            "Reachability", "Settle", \.reachability.settle, .duration(.zero, to: .seconds(60)), .atReload,
            "How long a recovered or different network has to last before it is reported, if it was lost again soon"
                + " after the last recovery. A loss is reported at once, and so is the first recovery after a calm"
                + " period. 0 reports every change at once."),
        Setting(
            "Reachability", "MaximumSettle", \.reachability.maximumSettle, .duration(.zero, to: .seconds(3_600)),
            .atReload, "The limit of that time, which doubles with each change soon after another."),
        Setting(
            "Reachability", "GatewayPatience", \.reachability.gatewayPatience, .duration(.zero, to: .seconds(3_600)),
            .atReload, "How long a router that did not respond counts as lost, until it may be tried again."),
        Setting(
            "Reachability", "Expensive", \.reachability.expensive, .interfacePatterns, .atReload,
            "The interfaces over which sending costs money, whatever else is known about them."),
        Setting(
            "Reachability", "Constrained", \.reachability.constrained, .interfacePatterns, .atReload,
            "The interfaces over which as little as possible should be sent."),
        Setting(
            "Reachability", "UltraConstrained", \.reachability.ultraConstrained, .interfacePatterns, .atReload,
            "The interfaces with very little capacity, such as a satellite messenger."),
        Setting(
            "Reachability", "NetworkManager", \.reachability.queriesNetworkManager, .boolean, .atReload,
            "Whether NetworkManager, where it runs, is queried for metered connections."),
        Setting(
            "Reachability", "Resolver", \.reachability.resolver, .resolverProgram, .atReload,
            "The program that resolves names, or a Unix socket behind which one runs; own is the waymark-resolver"
                + " beside the running waymarkd or in ../libexec/waymark, none disables the resolution of names."),

        Setting(
            "Log", "Level", \.log.level, .logLevel, .atReload,
            "The lowest level of messages that are logged."),
    ])
}

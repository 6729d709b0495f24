import Location
import Platform

/// What the daemon does, where it can be told. The values here are those of a machine with no configuration at all.
public struct Settings: Equatable, Sendable {
    /// `[Receiver]`: where positions come from.
    public struct Receiver: Equatable, Sendable {
        /// Where gpsd listens.
        public var gpsd = GPSDAddress.tcp(host: "localhost", port: 2947)
        /// Whether every position is marked as simulated.
        public var isSimulated = false
        /// How long without a report until the position is unknown.
        public var staleAfter = Duration.seconds(5)
        /// How long the connection to gpsd is kept after the last need.
        public var releaseAfter = Duration.seconds(10)
        /// Metres a second; a fix that implies more is not believed.
        public var maximumSpeed = 1_200.0
        /// When positions of a receiver that reports no date are stamped with the system's clock.
        public var systemTimestamps = SystemTimestamps.synchronized
    }

    /// `[Socket]`: where clients connect.
    public struct Socket: Equatable, Sendable {
        /// The Unix socket.
        public var path = "/run/waymark/waymark.sock"
        /// Its permissions, chmod(2).
        public var mode: UInt32 = 0o666
        /// How many connections there may be.
        public var maximumConnections = 16_384
        /// How many connections each user may have, the superuser excepted.
        public var maximumConnectionsPerUser = 64
    }

    /// `[Journal]`: what is kept.
    public struct Journal: Equatable, Sendable {
        /// The folder of the database.
        public var stateDirectory = "/var/lib/waymark"
        /// How long an event may wait until it is on disk.
        public var commitInterval = Duration.seconds(1)
        /// How long events are kept.
        public var maximumAge = Duration.seconds(90 * 86_400)
        /// Bytes that the database may take.
        public var maximumSize: UInt64 = 256 << 20
        /// How long operators' events are kept.
        public var operatorMaximumAge = Duration.seconds(365 * 86_400)
        /// Bytes that operators' events may take beside the others.
        public var operatorMaximumSize: UInt64 = 16 << 20
    }

    /// `[Recording]`: what is kept of apps' recordings.
    public struct Recording: Equatable, Sendable {
        /// How long a position is kept that its app has acknowledged.
        public var keepAcknowledged = Duration.zero
        /// How long a position is kept at most.
        public var maximumAge = Duration.seconds(365 * 86_400)
        /// Bytes that all recordings may take.
        public var maximumSize: UInt64 = 1 << 30
    }

    /// `[Authorization]`: who decides.
    public struct Authorization: Equatable, Sendable {
        /// The group whose members may manage the daemon.
        public var operatorGroup = "waymark"
        /// How well it has to be proved which app a program is.
        public var minimumAssurance = Assurance.program
        /// The folders of the machine's manifests; a later one wins.
        public var manifests = ["/usr/share/waymark/apps", "/etc/waymark/apps"]
        /// Whether users' own manifests count, for themselves, and who decides for the apps that they name.
        public var personalManifests = PersonalManifestsMode.present
        /// For how long what is stored of an account is kept after the account was removed.
        public var removedUsersRetention = Duration.seconds(7 * 86_400)
        /// The folder of what root forbids.
        public var restrictions = "/etc/waymark/restrictions.d"
        /// The programs that may be agents; `AgentPath.own` stands for the `waymark-agent` that belongs to the daemon.
        public var agents = [AgentPath.own]
    }

    /// `[Reachability]`: how the network is judged.
    public struct Reachability: Equatable, Sendable {
        /// How long a gain has to hold until it is told, where there was no calm; zero tells everything at once.
        public var settle = Duration.milliseconds(250)
        /// How long at most, after many changes in a row; where it is shorter than `settle`, that counts.
        public var maximumSettle = Duration.seconds(30)
        /// How long a router that did not answer counts as lost.
        public var gatewayPatience = Duration.seconds(30)
        /// The interfaces over which sending costs money.
        public var expensive = [InterfacePattern]()
        /// The interfaces over which the person asks to send little.
        public var constrained = [InterfacePattern]()
        /// The interfaces that carry next to nothing.
        public var ultraConstrained = [InterfacePattern]()
        /// Whether NetworkManager is asked which connections are metered.
        public var queriesNetworkManager = true
        /// The program that looks names up.
        public var resolver = ResolverProgram.own
    }

    /// `[Log]`: what is told.
    public struct Log: Equatable, Sendable {
        /// The least important level that is written.
        public var level = Platform.Log.Level.info
    }

    /// Where positions come from.
    public var receiver = Receiver()
    /// Where clients connect.
    public var socket = Socket()
    /// What is kept.
    public var journal = Journal()
    /// What is kept of apps' recordings.
    public var recording = Recording()
    /// Who decides.
    public var authorization = Authorization()
    /// How the network is judged.
    public var reachability = Reachability()
    /// What is told.
    public var log = Log()

    /// The defaults.
    public init() {}

    /// What differs from earlier settings, in the order of the documentation.
    public func changes(from old: Settings) -> [SettingChange] {
        Self.table.rows.filter { !$0.isEqual(self, old) }.map {
            SettingChange(name: $0.name, needsRestart: $0.takesEffect == .atRestart)
        }
    }
}

/// A setting that a reload found changed.
public struct SettingChange: Equatable, Sendable {
    /// Its section and key: `Receiver.StaleAfter`.
    public let name: String
    /// Whether only a restart makes the new value hold.
    public let needsRestart: Bool
}

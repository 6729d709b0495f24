import Location
import Platform

/// The settings of the daemon. The values here are the defaults, for a machine without any configuration.
public struct Settings: Equatable, Sendable {
    /// `[Receiver]`: the source of positions.
    public struct Receiver: Equatable, Sendable {
        /// The address of gpsd.
        public var gpsd = GPSDAddress.tcp(host: "localhost", port: 2947)
        /// Whether every position is marked as simulated.
        public var isSimulated = false
        /// The time without a report after which the position is unknown.
        public var staleAfter = Duration.seconds(5)
        /// The time for which the connection to gpsd stays open after the last client has ended.
        public var releaseAfter = Duration.seconds(10)
        /// The limit of a fix's speed in metres per second; a fix that implies more is rejected.
        public var maximumSpeed = 1_200.0
        /// When positions of a receiver that reports no date are stamped with the system's clock.
        public var systemTimestamps = SystemTimestamps.synchronized
        /// Whether the receiver sleeps while no position can be needed.
        public var power = ReceiverPower.adaptive
    }

    /// `[Socket]`: the socket for clients.
    public struct Socket: Equatable, Sendable {
        /// The Unix socket.
        public var path = "/run/waymark/waymark.sock"
        /// Its permissions, chmod(2).
        public var mode: UInt32 = 0o666
        /// The limit of connections.
        public var maximumConnections = 16_384
        /// The limit of connections of each user, except the superuser.
        public var maximumConnectionsPerUser = 64
    }

    /// `[Journal]`: the retention of events.
    public struct Journal: Equatable, Sendable {
        /// The folder of the database.
        public var stateDirectory = "/var/lib/waymark"
        /// The longest time until an event is on disk.
        public var commitInterval = Duration.seconds(1)
        /// The time for which events are retained.
        public var maximumAge = Duration.seconds(90 * 86_400)
        /// The limit of the database's size, in bytes.
        public var maximumSize: UInt64 = 256 << 20
        /// The time for which operators' events are retained.
        public var operatorMaximumAge = Duration.seconds(365 * 86_400)
        /// The limit of the size of operators' events, in addition to the others', in bytes.
        public var operatorMaximumSize: UInt64 = 16 << 20
    }

    /// `[Recording]`: the retention of apps' recordings.
    public struct Recording: Equatable, Sendable {
        /// The time for which an acknowledged position is retained.
        public var keepAcknowledged = Duration.zero
        /// The longest time for which a position is retained.
        public var maximumAge = Duration.seconds(365 * 86_400)
        /// The limit of the size of all recordings, in bytes.
        public var maximumSize: UInt64 = 1 << 30
    }

    /// `[Protection]`: data protection at rest.
    public struct Protection: Equatable, Sendable {
        /// The file with the machine's secret; nil for the service manager's credential, or else a file in the state directory.
        public var machineSecret: String?
        /// The time after an unlock at which the data is locked again; zero for never.
        public var lockAfter = Duration.zero
        /// The time without use of the machine after which the data is locked; zero for never.
        public var lockWhenIdle = Duration.zero
        /// Whether the data is locked when a user's screen is reported as locked.
        public var locksWithScreen = false
        /// Whether the data of a user is locked when the user's last login session has ended.
        public var locksAtLogout = true
    }

    /// `[Regions]`: the monitoring of regions.
    public struct Regions: Equatable, Sendable {
        /// The limit of stored events of each monitor that are not acknowledged.
        public var pendingEvents = 10_000
        /// The time without a decision, while fixes arrive, after which the state of a region is unknown.
        public var undecidedAfter = Duration.seconds(600)
    }

    /// `[Waking]`: the starting of apps that do not run.
    public struct Waking: Equatable, Sendable {
        /// How often an app may be woken within an hour.
        public var perHour = 20
        /// How often an app may be woken at once.
        public var burst = 5
        /// How long a woken app may take until it attaches.
        public var attachWithin = Duration.seconds(30)
    }

    /// `[Authorization]`: the rules for decisions.
    public struct Authorization: Equatable, Sendable {
        /// The group whose members may manage the daemon.
        public var operatorGroup = "waymark"
        /// The proof that is required of a program's app.
        public var minimumAssurance = Assurance.program
        /// The folders of the machine's manifests; a later one overrides an earlier one.
        public var manifests = ["/usr/share/waymark/apps", "/etc/waymark/apps"]
        /// Whether users' own manifests count, for themselves, and who decides for the apps that they name.
        public var personalManifests = PersonalManifestsMode.present
        /// The time for which an account's data is retained after the account was removed.
        public var removedUsersRetention = Duration.seconds(7 * 86_400)
        /// The folder of root's restrictions.
        public var restrictions = "/etc/waymark/restrictions.d"
        /// The programs that may be agents; `AgentPath.own` means the `waymark-agent` that belongs to the daemon.
        public var agents = [AgentPath.own]
    }

    /// `[Reachability]`: the evaluation of the network.
    public struct Reachability: Equatable, Sendable {
        /// How long a recovery has to last before it is reported, outside a calm period; zero reports every change at
        /// once.
        public var settle = Duration.milliseconds(250)
        /// The limit of that time after many changes in a row; if it is shorter than `settle`, it applies instead.
        public var maximumSettle = Duration.seconds(30)
        /// How long a router that did not respond counts as lost.
        public var gatewayPatience = Duration.seconds(30)
        /// The interfaces over which sending costs money.
        public var expensive = [InterfacePattern]()
        /// The interfaces over which little should be sent.
        public var constrained = [InterfacePattern]()
        /// The interfaces with very little capacity.
        public var ultraConstrained = [InterfacePattern]()
        /// Whether NetworkManager is queried for metered connections.
        public var queriesNetworkManager = true
        /// The program that resolves names.
        public var resolver = ResolverProgram.own
    }

    /// `[Log]`: the messages that are logged.
    public struct Log: Equatable, Sendable {
        /// The lowest level that is logged.
        public var level = Platform.Log.Level.info
    }

    /// The source of positions.
    public var receiver = Receiver()
    /// The socket for clients.
    public var socket = Socket()
    /// The retention of events.
    public var journal = Journal()
    /// The retention of apps' recordings.
    public var recording = Recording()
    /// Data protection at rest.
    public var protection = Protection()
    /// The monitoring of regions.
    public var regions = Regions()
    /// The starting of apps that do not run.
    public var waking = Waking()
    /// The rules for decisions.
    public var authorization = Authorization()
    /// The evaluation of the network.
    public var reachability = Reachability()
    /// The messages that are logged.
    public var log = Log()

    /// The defaults.
    public init() {}

    /// The settings that differ from earlier ones, in the order of the documentation.
    public func changes(from old: Settings) -> [SettingChange] {
        Self.table.rows.filter { !$0.isEqual(self, old) }.map {
            SettingChange(name: $0.name, needsRestart: $0.takesEffect == .atRestart)
        }
    }
}

/// A setting whose value a reload has found changed.
public struct SettingChange: Equatable, Sendable {
    /// Its section and key: `Receiver.StaleAfter`.
    public let name: String
    /// Whether the new value comes into force only after a restart.
    public let needsRestart: Bool
}

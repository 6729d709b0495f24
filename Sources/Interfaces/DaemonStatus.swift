import Location
import Varlink

/// How the daemon stands: the `Status` of `io.waymark.Manage`. It says how good the fix is, never where.
public struct DaemonStatus: Equatable, Sendable {
    /// Where gpsd's reports come from and how that goes.
    public struct Receiver: Equatable, Sendable {
        /// The life of the connection to gpsd.
        public enum State: String, CaseIterable, Sendable {
            case unconfigured, idle, connecting, waiting, watching
        }

        /// Where gpsd is.
        public var gpsd = "none"
        /// How it stands.
        public var state = State.unconfigured
        /// Why it is not as it should be, for a person.
        public var reason: String?
        /// gpsd's, or the daemon's, version.
        public var version: String?
        /// The receivers gpsd knows.
        public var devices: [Device] = []
        /// Reports since the daemon started, by class.
        public var reports: [Count] = []
        /// How many there are, or have been since the daemon started.
        public var connections = 0
        /// Lines that could not be read.
        public var malformed = 0
        /// Seconds since gpsd sent anything; nil where it is not watched.
        public var silence: Double?
        /// Whether gpsd was asked because it is silent, and has not answered yet: the connection may stand still.
        public var awaitsAnswer = false
        /// Times that the connection was made anew because gpsd was silent and did not answer.
        public var reconnectsAfterSilence = 0
        /// What becomes of positions of a receiver that reports no date.
        public var undated = UndatedState.none

        /// Nothing known.
        public init() {}
    }

    /// A receiver of gpsd's.
    public struct Device: Equatable, Sendable {
        /// Its path.
        public var path: String
        /// gpsd's name for its protocol.
        public var driver: String?
        /// Whether gpsd has it open.
        public var isActive: Bool
        /// Whether it has said nothing for too long.
        public var isStale: Bool
        /// Whether it has reported positions or their absence; one that has not may be a receiver of something else.
        public var hasReportedPositions: Bool

        /// A device of these parts.
        public init(
            path: String, driver: String? = nil, isActive: Bool, isStale: Bool, hasReportedPositions: Bool = true
        ) {
            self.hasReportedPositions = hasReportedPositions
            self.path = path
            self.driver = driver
            self.isActive = isActive
            self.isStale = isStale
        }
    }

    /// How good the newest fix is.
    public struct Fix: Equatable, Sendable {
        /// Seconds.
        public var age: Double
        /// Metres, 68 %.
        public var horizontalAccuracy: Double
        /// Whether it has an altitude.
        public var hasAltitude: Bool
        /// Whether it comes from a replay or a simulator.
        public var isSimulated: Bool
        /// How the receiver came by it.
        public var quality: String?
        /// The receiver, as gpsd names its device.
        public var receiver: String

        /// A fix of these parts.
        public init(
            age: Double, horizontalAccuracy: Double, hasAltitude: Bool, isSimulated: Bool, quality: String?,
            receiver: String
        ) {
            self.age = age
            self.horizontalAccuracy = horizontalAccuracy
            self.hasAltitude = hasAltitude
            self.isSimulated = isSimulated
            self.quality = quality
            self.receiver = receiver
        }
    }

    /// How the journal stands.
    public struct Journal: Equatable, Sendable {
        /// The life of the database.
        public enum State: String, CaseIterable, Sendable {
            case opening, running, full, failed
        }

        /// How it stands.
        public var state = State.opening
        /// Why it is not as it should be, for a person.
        public var reason: String?
        /// Its path.
        public var path = ""
        /// How many events are kept.
        public var events: Int64 = 0
        /// Bytes.
        public var size: Int64 = 0
        /// The first sequence kept.
        public var oldest: Int64?
        /// The last sequence.
        public var newest: Int64?
        /// What was lost because it could not be stored or was not read in time.
        public var dropped: Int64 = 0

        /// Not open yet.
        public init() {}
    }

    /// Who is connected.
    public struct Clients: Equatable, Sendable {
        /// How many there are, or have been since the daemon started.
        public var connections = 0
        /// Streams of positions or satellites.
        public var streams = 0
        /// Calls and connections refused.
        public var refused = 0
        /// Clients disconnected because they did not read.
        public var lagging = 0
        /// What was lost because it could not be stored or was not read in time.
        public var dropped = 0

        /// Nobody.
        public init() {}
    }

    /// What is decided for apps, and what waits to be.
    public struct Authorization: Equatable, Sendable {
        /// Whether location services are on.
        public var areServicesEnabled = true
        /// Apps there are: with a manifest, or with something stored.
        public var apps = 0
        /// Of those, in use now.
        public var inUse = 0
        /// Questions that nobody has answered.
        public var requests = 0
        /// Agents, which show them.
        public var agents = 0
        /// Mistakes in manifests and restrictions.
        public var problems = 0
        /// Why not all that was decided before the start could be read, for a person.
        public var loss: String?
        /// Why changes of manifests or restrictions are not noticed, for a person.
        public var problem: String?
        /// The user ids of which nothing that is stored is used, as their accounts were removed or changed; ascending.
        public var suspendedUsers: [UInt32] = []

        /// Nothing decided.
        public init() {}
    }

    /// What is recorded for apps.
    public struct Recordings: Equatable, Sendable {
        /// How many recordings there are.
        public var count = 0
        /// Of those, started and not stopped.
        public var started = 0
        /// Of those, recording at present as far as authorization goes.
        public var recording = 0
        /// Positions that are neither acknowledged nor dead letters.
        public var waiting: Int64 = 0
        /// When the oldest of these was, seconds since 1970.
        public var oldestWaiting: Double?
        /// Positions that wait as dead letters.
        public var deadLetters: Int64 = 0
        /// Positions that were dropped before they were acknowledged.
        public var dropped: Int64 = 0
        /// Why not all is recorded that should be, for a person.
        public var problem: String?

        /// None.
        public init() {}
    }

    /// How what carries recordings to their destinations stands.
    public struct Uploads: Equatable, Sendable {
        /// Uploads that are known.
        public var count = 0
        /// Of those, whose uploader runs.
        public var running = 0
        /// Of those that are known, paused by an operator.
        public var paused = 0
        /// Of those that run, whose destination does not take what it is sent.
        public var failing = 0
        /// Positions that wait for an uploader that does not run.
        public var abandoned: Int64 = 0

        /// None.
        public init() {}
    }

    /// A number of things of one name.
    public struct Count: Equatable, Sendable {
        /// The name.
        public var name: String
        /// The number.
        public var count: Int

        /// So many of that name.
        public init(_ name: String, _ count: Int) {
            self.name = name
            self.count = count
        }
    }

    /// The daemon's release.
    public var version = ""
    /// Which protocol it speaks: 1 where it does not say.
    public var protocolNumber = 1
    /// The daemon's process.
    public var processID: Int32 = 0
    /// Seconds since 1970.
    public var startedAt = 0.0
    /// `ok`, or what is wrong in a word.
    public var health = ""
    /// The same as a sentence.
    public var summary = ""
    /// The receiver, as gpsd names its device.
    public var receiver = Receiver()
    /// The newest fix, where there is one.
    public var fix: Fix?
    /// Satellites in use.
    public var satellitesUsed: Int?
    /// Satellites seen.
    public var satellitesVisible: Int?
    /// Reports that were no fix, by reason.
    public var rejected: [Count] = []
    /// Fixes accepted.
    public var accepted = 0
    /// The journal.
    public var journal = Journal()
    /// The clients.
    public var clients = Clients()
    /// What is decided for apps.
    public var authorization = Authorization()
    /// What is recorded for apps.
    public var recordings = Recordings()
    /// What carries recordings to their destinations.
    public var uploads = Uploads()
    /// The network; nil where the daemon does not watch it.
    public var network: Network?
    /// The configuration files read, in order.
    public var configuration: [String] = []

    /// Nothing known.
    public init() {}
}

// Made from io.waymark.Manage.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// Running the daemon: only for operators (root, the daemon's own user, members of the operators' group). An operator's
/// program that is an app may not call these methods, unless it is identified by Exec= alone.
public enum ManageInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Manage"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.operators
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = []
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = []
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = ["Monitor"]
    /// How calls in progress are repeated after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = [
        "Status": .unlessSame,
        "Monitor": .unlessSame,
        "Reload": .unlessSame,
        "Metrics": .unlessSame,
        "ListApps": .unlessSame,
        "ListIdentifiers": .unlessSame,
        "ListRequests": .unlessSame,
        "SetLocked": .unlessSame,
        "ListUsers": .unlessSame,
    ]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case status = "io.waymark.Manage.Status"
        case monitor = "io.waymark.Manage.Monitor"
        case reload = "io.waymark.Manage.Reload"
        case metrics = "io.waymark.Manage.Metrics"
        case listApps = "io.waymark.Manage.ListApps"
        case authorize = "io.waymark.Manage.Authorize"
        case authorizeTracking = "io.waymark.Manage.AuthorizeTracking"
        case reset = "io.waymark.Manage.Reset"
        case resetAll = "io.waymark.Manage.ResetAll"
        case listIdentifiers = "io.waymark.Manage.ListIdentifiers"
        case resetIdentifiers = "io.waymark.Manage.ResetIdentifiers"
        case setServicesEnabled = "io.waymark.Manage.SetServicesEnabled"
        case listRequests = "io.waymark.Manage.ListRequests"
        case answer = "io.waymark.Manage.Answer"
        case setLocked = "io.waymark.Manage.SetLocked"
        case listUsers = "io.waymark.Manage.ListUsers"
        case eraseUser = "io.waymark.Manage.EraseUser"
        case restoreUser = "io.waymark.Manage.RestoreUser"
        case rotateReduced = "io.waymark.Manage.RotateReduced"
    }

    /// The source of the receiver's data and its state.
    public struct Receiver: VarlinkValue, VarlinkMembers, Equatable {
        /// The values of `state`.
        public enum State: String, VarlinkValue, CaseIterable {
            case unconfigured, idle, connecting, waiting, watching
        }

        /// Gpsd's address: HOST:PORT, unix:PATH or none.
        public var gpsd: String
        /// unconfigured: none is configured; idle: no client needs positions, so gpsd is not connected; connecting;
        /// waiting: until the next attempt; watching.
        public var state: State
        /// Where it is idle although clients need positions, because none can be needed earlier: until when, in seconds
        /// since 1970-01-01T00:00:00Z.
        public var asleepUntil: Double?
        /// Times the receiver was put to sleep so since the daemon started.
        public var sleeps: Int64
        /// Why it is not watching, for a person.
        public var reason: String?
        /// Gpsd's version.
        public var version: String?
        /// `devices`.
        public var devices: [Device]
        /// Reports received since the daemon started, by class.
        public var reports: VarlinkMap<Int64>
        /// Times gpsd was connected since the daemon started.
        public var connections: Int64
        /// Lines that could not be read.
        public var malformed: Int64
        /// Seconds since gpsd sent anything, while it is watched.
        public var silence: Double?
        /// Whether gpsd was polled after a silence and has not replied yet: the connection may be stalled.
        public var awaitsAnswer: Bool
        /// Times the connection was made anew since the daemon started, because a silent gpsd did not reply to a poll.
        public var reconnectsAfterSilence: Int64
        /// What happens to positions of a receiver that reports no date. none: there are none; waiting: it may still
        /// report one; stamped: they get the time of this machine's clock; clockUnsynchronized: they are rejected,
        /// because that clock is not known to be synchronized; disabled: they are rejected, because of
        /// SystemTimestamps=never.
        public var undated: UndatedState

        /// A value of these members.
        public init(
            gpsd: String,
            state: State,
            asleepUntil: Double? = nil,
            sleeps: Int64 = 0,
            reason: String? = nil,
            version: String? = nil,
            devices: [Device] = [],
            reports: VarlinkMap<Int64> = [:],
            connections: Int64 = 0,
            malformed: Int64 = 0,
            silence: Double? = nil,
            awaitsAnswer: Bool = false,
            reconnectsAfterSilence: Int64 = 0,
            undated: UndatedState
        ) {
            self.gpsd = gpsd
            self.state = state
            self.asleepUntil = asleepUntil
            self.sleeps = sleeps
            self.reason = reason
            self.version = version
            self.devices = devices
            self.reports = reports
            self.connections = connections
            self.malformed = malformed
            self.silence = silence
            self.awaitsAnswer = awaitsAnswer
            self.reconnectsAfterSilence = reconnectsAfterSilence
            self.undated = undated
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            gpsd = try json.value("gpsd")
            state = try json.value("state")
            asleepUntil = try json.optional("asleepUntil")
            sleeps = try json.optional("sleeps") ?? 0
            reason = try json.optional("reason")
            version = try json.optional("version")
            devices = try json.optional("devices") ?? []
            reports = try json.optional("reports") ?? [:]
            connections = try json.optional("connections") ?? 0
            malformed = try json.optional("malformed") ?? 0
            silence = try json.optional("silence")
            awaitsAnswer = try json.optional("awaitsAnswer") ?? false
            reconnectsAfterSilence = try json.optional("reconnectsAfterSilence") ?? 0
            undated = try json.value("undated")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("gpsd", of: gpsd)
            writer.member("state", of: state)
            writer.member("asleepUntil", of: asleepUntil)
            writer.member("sleeps", of: sleeps)
            writer.member("reason", of: reason)
            writer.member("version", of: version)
            writer.member("devices", of: devices)
            writer.member("reports", of: reports)
            writer.member("connections", of: connections)
            writer.member("malformed", of: malformed)
            writer.member("silence", of: silence)
            writer.member("awaitsAnswer", of: awaitsAnswer)
            writer.member("reconnectsAfterSilence", of: reconnectsAfterSilence)
            writer.member("undated", of: undated)
        }
    }

    /// `Device` of `io.waymark.Manage`.
    public struct Device: VarlinkValue, VarlinkMembers, Equatable {
        /// `path`.
        public var path: String
        /// `driver`.
        public var driver: String?
        /// Whether gpsd has it open.
        public var isActive: Bool
        /// Whether it has been silent for longer than its own interval explains.
        public var isStale: Bool
        /// Whether it has reported positions, or the lack of a fix; false for a receiver of something else, such as
        /// AIS.
        public var hasReportedPositions: Bool

        /// A value of these members.
        public init(
            path: String,
            driver: String? = nil,
            isActive: Bool = false,
            isStale: Bool = false,
            hasReportedPositions: Bool = false
        ) {
            self.path = path
            self.driver = driver
            self.isActive = isActive
            self.isStale = isStale
            self.hasReportedPositions = hasReportedPositions
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            path = try json.value("path")
            driver = try json.optional("driver")
            isActive = try json.optional("isActive") ?? false
            isStale = try json.optional("isStale") ?? false
            hasReportedPositions = try json.optional("hasReportedPositions") ?? false
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("path", of: path)
            writer.member("driver", of: driver)
            writer.member("isActive", of: isActive)
            writer.member("isStale", of: isStale)
            writer.member("hasReportedPositions", of: hasReportedPositions)
        }
    }

    /// The quality of the present fix; its position is available from io.waymark.Location only.
    public struct Fix: VarlinkValue, VarlinkMembers, Equatable {
        /// Seconds since the newest fix arrived.
        public var age: Double
        /// m, 68 %.
        public var horizontalAccuracy: Double
        /// `hasAltitude`.
        public var hasAltitude: Bool
        /// `isSimulated`.
        public var isSimulated: Bool
        /// `quality`.
        public var quality: String?
        /// `receiver`.
        public var receiver: String

        /// A value of these members.
        public init(
            age: Double,
            horizontalAccuracy: Double,
            hasAltitude: Bool = false,
            isSimulated: Bool = false,
            quality: String? = nil,
            receiver: String
        ) {
            self.age = age
            self.horizontalAccuracy = horizontalAccuracy
            self.hasAltitude = hasAltitude
            self.isSimulated = isSimulated
            self.quality = quality
            self.receiver = receiver
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            age = try json.value("age")
            horizontalAccuracy = try json.value("horizontalAccuracy")
            hasAltitude = try json.optional("hasAltitude") ?? false
            isSimulated = try json.optional("isSimulated") ?? false
            quality = try json.optional("quality")
            receiver = try json.value("receiver")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("age", of: age)
            writer.member("horizontalAccuracy", of: horizontalAccuracy)
            writer.member("hasAltitude", of: hasAltitude)
            writer.member("isSimulated", of: isSimulated)
            writer.member("quality", of: quality)
            writer.member("receiver", of: receiver)
        }
    }

    /// `Journal` of `io.waymark.Manage`.
    public struct Journal: VarlinkValue, VarlinkMembers, Equatable {
        /// The values of `state`.
        public enum State: String, VarlinkValue, CaseIterable {
            case opening, running, full, failed
        }

        /// opening, running, full or failed.
        public var state: State
        /// The cause, where it is full or failed.
        public var reason: String?
        /// `path`.
        public var path: String
        /// `events`.
        public var events: Int64
        /// Bytes on disk.
        public var size: Int64
        /// `oldest`.
        public var oldest: Int64?
        /// `newest`.
        public var newest: Int64?
        /// Events lost since the daemon started, because they could not be stored.
        public var dropped: Int64

        /// A value of these members.
        public init(
            state: State,
            reason: String? = nil,
            path: String,
            events: Int64 = 0,
            size: Int64 = 0,
            oldest: Int64? = nil,
            newest: Int64? = nil,
            dropped: Int64 = 0
        ) {
            self.state = state
            self.reason = reason
            self.path = path
            self.events = events
            self.size = size
            self.oldest = oldest
            self.newest = newest
            self.dropped = dropped
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            state = try json.value("state")
            reason = try json.optional("reason")
            path = try json.value("path")
            events = try json.optional("events") ?? 0
            size = try json.optional("size") ?? 0
            oldest = try json.optional("oldest")
            newest = try json.optional("newest")
            dropped = try json.optional("dropped") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("state", of: state)
            writer.member("reason", of: reason)
            writer.member("path", of: path)
            writer.member("events", of: events)
            writer.member("size", of: size)
            writer.member("oldest", of: oldest)
            writer.member("newest", of: newest)
            writer.member("dropped", of: dropped)
        }
    }

    /// `Clients` of `io.waymark.Manage`.
    public struct Clients: VarlinkValue, VarlinkMembers, Equatable {
        /// `connections`.
        public var connections: Int64
        /// Streams of positions or satellites.
        public var streams: Int64
        /// Refused since the daemon started, for any reason.
        public var refused: Int64
        /// Disconnected since the daemon started because they did not read.
        public var lagging: Int64
        /// Positions not delivered since the daemon started because a client did not read in time.
        public var dropped: Int64

        /// A value of these members.
        public init(
            connections: Int64 = 0,
            streams: Int64 = 0,
            refused: Int64 = 0,
            lagging: Int64 = 0,
            dropped: Int64 = 0
        ) {
            self.connections = connections
            self.streams = streams
            self.refused = refused
            self.lagging = lagging
            self.dropped = dropped
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            connections = try json.optional("connections") ?? 0
            streams = try json.optional("streams") ?? 0
            refused = try json.optional("refused") ?? 0
            lagging = try json.optional("lagging") ?? 0
            dropped = try json.optional("dropped") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("connections", of: connections)
            writer.member("streams", of: streams)
            writer.member("refused", of: refused)
            writer.member("lagging", of: lagging)
            writer.member("dropped", of: dropped)
        }
    }

    /// Decisions for apps, and pending requests.
    public struct Authorization: VarlinkValue, VarlinkMembers, Equatable {
        /// Whether location services are on.
        public var servicesEnabled: Bool
        /// Known apps: with a manifest, or with stored data.
        public var apps: Int64
        /// Of those, in use now.
        public var inUse: Int64
        /// Unanswered prompts.
        public var requests: Int64
        /// Registered agents, which show the prompts.
        public var agents: Int64
        /// Mistakes in manifests and restrictions; ListApps lists them.
        public var problems: Int64
        /// Why some decisions from before the start could not be read; an unreadable decision allows nothing.
        public var loss: String?
        /// Why changes of manifests or restrictions are not noticed, for a person.
        public var problem: String?
        /// User ids whose stored data is not used, because their accounts were removed or changed; ListUsers lists
        /// them.
        public var suspendedUsers: [UInt32]

        /// A value of these members.
        public init(
            servicesEnabled: Bool = false,
            apps: Int64 = 0,
            inUse: Int64 = 0,
            requests: Int64 = 0,
            agents: Int64 = 0,
            problems: Int64 = 0,
            loss: String? = nil,
            problem: String? = nil,
            suspendedUsers: [UInt32] = []
        ) {
            self.servicesEnabled = servicesEnabled
            self.apps = apps
            self.inUse = inUse
            self.requests = requests
            self.agents = agents
            self.problems = problems
            self.loss = loss
            self.problem = problem
            self.suspendedUsers = suspendedUsers
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            servicesEnabled = try json.optional("servicesEnabled") ?? false
            apps = try json.optional("apps") ?? 0
            inUse = try json.optional("inUse") ?? 0
            requests = try json.optional("requests") ?? 0
            agents = try json.optional("agents") ?? 0
            problems = try json.optional("problems") ?? 0
            loss = try json.optional("loss")
            problem = try json.optional("problem")
            suspendedUsers = try json.optional("suspendedUsers") ?? []
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("servicesEnabled", of: servicesEnabled)
            writer.member("apps", of: apps)
            writer.member("inUse", of: inUse)
            writer.member("requests", of: requests)
            writer.member("agents", of: agents)
            writer.member("problems", of: problems)
            writer.member("loss", of: loss)
            writer.member("problem", of: problem)
            writer.member("suspendedUsers", of: suspendedUsers)
        }
    }

    /// The amount of recorded data, never the positions.
    public struct Recordings: VarlinkValue, VarlinkMembers, Equatable {
        /// `count`.
        public var count: Int64
        /// Started and not stopped.
        public var started: Int64
        /// Of those, the number whose apps may have positions now.
        public var recording: Int64
        /// Positions that are neither acknowledged nor dead letters.
        public var waiting: Int64
        /// s since 1970-01-01T00:00:00Z: the time of the oldest of these.
        public var oldestWaiting: Double?
        /// `deadLetters`.
        public var deadLetters: Int64
        /// Positions dropped before they were acknowledged, because of age or size or a disk that was full.
        public var dropped: Int64
        /// Why not everything is recorded that should be, for a person.
        public var problem: String?

        /// A value of these members.
        public init(
            count: Int64 = 0,
            started: Int64 = 0,
            recording: Int64 = 0,
            waiting: Int64 = 0,
            oldestWaiting: Double? = nil,
            deadLetters: Int64 = 0,
            dropped: Int64 = 0,
            problem: String? = nil
        ) {
            self.count = count
            self.started = started
            self.recording = recording
            self.waiting = waiting
            self.oldestWaiting = oldestWaiting
            self.deadLetters = deadLetters
            self.dropped = dropped
            self.problem = problem
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            count = try json.optional("count") ?? 0
            started = try json.optional("started") ?? 0
            recording = try json.optional("recording") ?? 0
            waiting = try json.optional("waiting") ?? 0
            oldestWaiting = try json.optional("oldestWaiting")
            deadLetters = try json.optional("deadLetters") ?? 0
            dropped = try json.optional("dropped") ?? 0
            problem = try json.optional("problem")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("count", of: count)
            writer.member("started", of: started)
            writer.member("recording", of: recording)
            writer.member("waiting", of: waiting)
            writer.member("oldestWaiting", of: oldestWaiting)
            writer.member("deadLetters", of: deadLetters)
            writer.member("dropped", of: dropped)
            writer.member("problem", of: problem)
        }
    }

    /// The number of regions and their events, never where they are.
    public struct Regions: VarlinkValue, VarlinkMembers, Equatable {
        /// `monitors`.
        public var monitors: Int64
        /// `regions`.
        public var regions: Int64
        /// Monitors whose regions are evaluated at present.
        public var monitoring: Int64
        /// Open calls of io.waymark.Regions.Monitor.
        public var streams: Int64
        /// Events that were not acknowledged.
        public var pending: Int64
        /// Events since the start of the daemon.
        public var events: Int64
        /// Looks at the stored regions around the machine since the start of the daemon.
        public var passes: Int64
        /// Positions since the start of the daemon that were not evaluated because the disk was too slow.
        public var dropped: Int64
        /// Why regions are not monitored as they should be, for a person.
        public var problem: String?

        /// A value of these members.
        public init(
            monitors: Int64 = 0,
            regions: Int64 = 0,
            monitoring: Int64 = 0,
            streams: Int64 = 0,
            pending: Int64 = 0,
            events: Int64 = 0,
            passes: Int64 = 0,
            dropped: Int64 = 0,
            problem: String? = nil
        ) {
            self.monitors = monitors
            self.regions = regions
            self.monitoring = monitoring
            self.streams = streams
            self.pending = pending
            self.events = events
            self.passes = passes
            self.dropped = dropped
            self.problem = problem
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            monitors = try json.optional("monitors") ?? 0
            regions = try json.optional("regions") ?? 0
            monitoring = try json.optional("monitoring") ?? 0
            streams = try json.optional("streams") ?? 0
            pending = try json.optional("pending") ?? 0
            events = try json.optional("events") ?? 0
            passes = try json.optional("passes") ?? 0
            dropped = try json.optional("dropped") ?? 0
            problem = try json.optional("problem")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("monitors", of: monitors)
            writer.member("regions", of: regions)
            writer.member("monitoring", of: monitoring)
            writer.member("streams", of: streams)
            writer.member("pending", of: pending)
            writer.member("events", of: events)
            writer.member("passes", of: passes)
            writer.member("dropped", of: dropped)
            writer.member("problem", of: problem)
        }
    }

    /// The state of the network, and the cost of observing it.
    public struct Network: VarlinkValue, VarlinkMembers, Equatable {
        /// satisfied, unsatisfied, requiresConnection: as in io.waymark.Reachability; absent where the kernel cannot be
        /// queried.
        public var status: NetworkPath.Status?
        /// `reason`.
        public var reason: String?
        /// The names of the interfaces with a route to the rest of the world, the one in use first.
        public var interfaces: [String]
        /// `supportsIPv4`.
        public var supportsIPv4: Bool
        /// `supportsIPv6`.
        public var supportsIPv6: Bool
        /// `supportsDNS`.
        public var supportsDNS: Bool
        /// How often the path has changed since the daemon started.
        public var generation: Int64
        /// Streams of paths and of targets.
        public var monitors: Int64
        /// Hosts that are watched.
        public var targets: Int64
        /// Since the daemon started: complete queries of the kernel, the kernel's notifications, and how often there
        /// were more notifications than the socket could hold.
        public var evaluations: Int64
        /// `messages`.
        public var messages: Int64
        /// `overruns`.
        public var overruns: Int64
        /// Reports of whether a host responds that were dropped, because there were too many.
        public var droppedReports: Int64
        /// Names looked up since the daemon started, by outcome: found, notFound, notAnswering, refused.
        public var lookups: VarlinkMap<Int64>
        /// Why the kernel or the name servers cannot be queried, or why a change of name servers is not noticed, for a
        /// person.
        public var problem: String?

        /// A value of these members.
        public init(
            status: NetworkPath.Status? = nil,
            reason: String? = nil,
            interfaces: [String] = [],
            supportsIPv4: Bool = false,
            supportsIPv6: Bool = false,
            supportsDNS: Bool = false,
            generation: Int64 = 0,
            monitors: Int64 = 0,
            targets: Int64 = 0,
            evaluations: Int64 = 0,
            messages: Int64 = 0,
            overruns: Int64 = 0,
            droppedReports: Int64 = 0,
            lookups: VarlinkMap<Int64> = [:],
            problem: String? = nil
        ) {
            self.status = status
            self.reason = reason
            self.interfaces = interfaces
            self.supportsIPv4 = supportsIPv4
            self.supportsIPv6 = supportsIPv6
            self.supportsDNS = supportsDNS
            self.generation = generation
            self.monitors = monitors
            self.targets = targets
            self.evaluations = evaluations
            self.messages = messages
            self.overruns = overruns
            self.droppedReports = droppedReports
            self.lookups = lookups
            self.problem = problem
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            status = try json.optional("status")
            reason = try json.optional("reason")
            interfaces = try json.optional("interfaces") ?? []
            supportsIPv4 = try json.optional("supportsIPv4") ?? false
            supportsIPv6 = try json.optional("supportsIPv6") ?? false
            supportsDNS = try json.optional("supportsDNS") ?? false
            generation = try json.optional("generation") ?? 0
            monitors = try json.optional("monitors") ?? 0
            targets = try json.optional("targets") ?? 0
            evaluations = try json.optional("evaluations") ?? 0
            messages = try json.optional("messages") ?? 0
            overruns = try json.optional("overruns") ?? 0
            droppedReports = try json.optional("droppedReports") ?? 0
            lookups = try json.optional("lookups") ?? [:]
            problem = try json.optional("problem")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("status", of: status)
            writer.member("reason", of: reason)
            writer.member("interfaces", of: interfaces)
            writer.member("supportsIPv4", of: supportsIPv4)
            writer.member("supportsIPv6", of: supportsIPv6)
            writer.member("supportsDNS", of: supportsDNS)
            writer.member("generation", of: generation)
            writer.member("monitors", of: monitors)
            writer.member("targets", of: targets)
            writer.member("evaluations", of: evaluations)
            writer.member("messages", of: messages)
            writer.member("overruns", of: overruns)
            writer.member("droppedReports", of: droppedReports)
            writer.member("lookups", of: lookups)
            writer.member("problem", of: problem)
        }
    }

    /// The uploaders of recordings; io.waymark.Uploads has the state of each.
    public struct Uploads: VarlinkValue, VarlinkMembers, Equatable {
        /// `count`.
        public var count: Int64
        /// Of those, the number whose uploader runs.
        public var running: Int64
        /// Paused by an operator.
        public var paused: Int64
        /// Of those that run, the number whose destination does not accept the data.
        public var failing: Int64
        /// Positions pending for an uploader that does not run.
        public var abandoned: Int64

        /// A value of these members.
        public init(count: Int64 = 0, running: Int64 = 0, paused: Int64 = 0, failing: Int64 = 0, abandoned: Int64 = 0) {
            self.count = count
            self.running = running
            self.paused = paused
            self.failing = failing
            self.abandoned = abandoned
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            count = try json.optional("count") ?? 0
            running = try json.optional("running") ?? 0
            paused = try json.optional("paused") ?? 0
            failing = try json.optional("failing") ?? 0
            abandoned = try json.optional("abandoned") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("count", of: count)
            writer.member("running", of: running)
            writer.member("paused", of: paused)
            writer.member("failing", of: failing)
            writer.member("abandoned", of: abandoned)
        }
    }

    /// `DaemonStatus` of `io.waymark.Manage`.
    public struct DaemonStatus: VarlinkValue, VarlinkMembers, Equatable {
        /// `version`.
        public var version: String
        /// As in the reply of GetInfo.
        public var `protocol`: Int64
        /// `processID`.
        public var processID: Int64
        /// Seconds since 1970-01-01T00:00:00Z.
        public var startedAt: Double
        /// ok, or the fault in a word: noReceiver, receiverLost, noFix, noTime, stale, journalFull, journalFailed,
        /// reducedAccuracy, authorizationLost.
        public var health: String
        /// The same as a sentence.
        public var summary: String
        /// `receiver`.
        public var receiver: Receiver
        /// Absent without a fix.
        public var fix: Fix?
        /// `satellitesUsed`.
        public var satellitesUsed: Int64?
        /// `satellitesVisible`.
        public var satellitesVisible: Int64?
        /// Reports that were no fix, by reason, since the daemon started.
        public var rejected: VarlinkMap<Int64>
        /// Fixes accepted since the daemon started.
        public var accepted: Int64
        /// `journal`.
        public var journal: Journal
        /// `clients`.
        public var clients: Clients
        /// `authorization`.
        public var authorization: Authorization
        /// `recordings`.
        public var recordings: Recordings
        /// `uploads`.
        public var uploads: Uploads
        /// `regions`.
        public var regions: Regions
        /// Absent where the daemon does not watch the network.
        public var network: Network?
        /// The configuration files read, in order.
        public var configuration: [String]

        /// A value of these members.
        public init(
            version: String,
            `protocol`: Int64 = 0,
            processID: Int64 = 0,
            startedAt: Double,
            health: String,
            summary: String,
            receiver: Receiver,
            fix: Fix? = nil,
            satellitesUsed: Int64? = nil,
            satellitesVisible: Int64? = nil,
            rejected: VarlinkMap<Int64> = [:],
            accepted: Int64 = 0,
            journal: Journal,
            clients: Clients,
            authorization: Authorization,
            recordings: Recordings,
            uploads: Uploads,
            regions: Regions,
            network: Network? = nil,
            configuration: [String] = []
        ) {
            self.version = version
            self.`protocol` = `protocol`
            self.processID = processID
            self.startedAt = startedAt
            self.health = health
            self.summary = summary
            self.receiver = receiver
            self.fix = fix
            self.satellitesUsed = satellitesUsed
            self.satellitesVisible = satellitesVisible
            self.rejected = rejected
            self.accepted = accepted
            self.journal = journal
            self.clients = clients
            self.authorization = authorization
            self.recordings = recordings
            self.uploads = uploads
            self.regions = regions
            self.network = network
            self.configuration = configuration
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            version = try json.value("version")
            `protocol` = try json.optional("protocol") ?? 0
            processID = try json.optional("processID") ?? 0
            startedAt = try json.value("startedAt")
            health = try json.value("health")
            summary = try json.value("summary")
            receiver = try json.value("receiver")
            fix = try json.optional("fix")
            satellitesUsed = try json.optional("satellitesUsed")
            satellitesVisible = try json.optional("satellitesVisible")
            rejected = try json.optional("rejected") ?? [:]
            accepted = try json.optional("accepted") ?? 0
            journal = try json.value("journal")
            clients = try json.value("clients")
            authorization = try json.value("authorization")
            recordings = try json.value("recordings")
            uploads = try json.value("uploads")
            regions = try json.value("regions")
            network = try json.optional("network")
            configuration = try json.optional("configuration") ?? []
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("version", of: version)
            writer.member("protocol", of: `protocol`)
            writer.member("processID", of: processID)
            writer.member("startedAt", of: startedAt)
            writer.member("health", of: health)
            writer.member("summary", of: summary)
            writer.member("receiver", of: receiver)
            writer.member("fix", of: fix)
            writer.member("satellitesUsed", of: satellitesUsed)
            writer.member("satellitesVisible", of: satellitesVisible)
            writer.member("rejected", of: rejected)
            writer.member("accepted", of: accepted)
            writer.member("journal", of: journal)
            writer.member("clients", of: clients)
            writer.member("authorization", of: authorization)
            writer.member("recordings", of: recordings)
            writer.member("uploads", of: uploads)
            writer.member("regions", of: regions)
            writer.member("network", of: network)
            writer.member("configuration", of: configuration)
        }
    }

    /// The state of an app: a program of one user, or a program of the system, with uid 0, where its manifest names a
    /// system unit or a socket.
    public struct App: VarlinkValue, VarlinkMembers, Equatable {
        /// The name of its manifest without .app.
        public var id: String
        /// Absent for a manifest that no user has used yet.
        public var uid: UInt32?
        /// For a person.
        public var name: String?
        /// The manifest's path; absent where the file was removed.
        public var manifest: String?
        /// The status in force.
        public var status: AuthorizationStatus
        /// `accuracy`.
        public var accuracy: AccuracyAuthorization
        /// `diagnostics`.
        public var diagnostics: [LocationInterface.Diagnostic]
        /// The stored decision: notDetermined, denied, once, whenInUse, provisionalAlways, always.
        public var permission: Permission
        /// Whether the person was already asked about Always.
        public var wasAskedAlways: Bool
        /// Seconds since 1970-01-01T00:00:00Z.
        public var decidedAt: Double?
        /// person, operator or rule.
        public var decidedBy: String?
        /// `decidedByUid`.
        public var decidedByUid: UInt32?
        /// `isInUse`.
        public var isInUse: Bool
        /// Its processes that are known now.
        public var processes: Int64
        /// The weakest proof among them: socket, unit, user or program.
        public var assurance: String?
        /// Background activity sessions.
        public var holds: Int64
        /// What wakes it; absent where its manifest names nothing.
        public var waking: Waking?
        /// Whether it may track the person, see io.waymark.Identity: the status in force; absent where nothing was
        /// decided or forbidden.
        public var tracking: TrackingAuthorizationStatus?
        /// When and by whom the stored decision about tracking was made: seconds since 1970-01-01T00:00:00Z; person,
        /// operator or rule.
        public var trackingDecidedAt: Double?
        /// `trackingDecidedBy`.
        public var trackingDecidedBy: String?
        /// `trackingDecidedByUid`.
        public var trackingDecidedByUid: UInt32?

        /// A value of these members.
        public init(
            id: String,
            uid: UInt32? = nil,
            name: String? = nil,
            manifest: String? = nil,
            status: AuthorizationStatus,
            accuracy: AccuracyAuthorization,
            diagnostics: [LocationInterface.Diagnostic] = [],
            permission: Permission,
            wasAskedAlways: Bool = false,
            decidedAt: Double? = nil,
            decidedBy: String? = nil,
            decidedByUid: UInt32? = nil,
            isInUse: Bool = false,
            processes: Int64 = 0,
            assurance: String? = nil,
            holds: Int64 = 0,
            waking: Waking? = nil,
            tracking: TrackingAuthorizationStatus? = nil,
            trackingDecidedAt: Double? = nil,
            trackingDecidedBy: String? = nil,
            trackingDecidedByUid: UInt32? = nil
        ) {
            self.id = id
            self.uid = uid
            self.name = name
            self.manifest = manifest
            self.status = status
            self.accuracy = accuracy
            self.diagnostics = diagnostics
            self.permission = permission
            self.wasAskedAlways = wasAskedAlways
            self.decidedAt = decidedAt
            self.decidedBy = decidedBy
            self.decidedByUid = decidedByUid
            self.isInUse = isInUse
            self.processes = processes
            self.assurance = assurance
            self.holds = holds
            self.waking = waking
            self.tracking = tracking
            self.trackingDecidedAt = trackingDecidedAt
            self.trackingDecidedBy = trackingDecidedBy
            self.trackingDecidedByUid = trackingDecidedByUid
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            id = try json.value("id")
            uid = try json.optional("uid")
            name = try json.optional("name")
            manifest = try json.optional("manifest")
            status = try json.value("status")
            accuracy = try json.value("accuracy")
            diagnostics = try json.optional("diagnostics") ?? []
            permission = try json.value("permission")
            wasAskedAlways = try json.optional("wasAskedAlways") ?? false
            decidedAt = try json.optional("decidedAt")
            decidedBy = try json.optional("decidedBy")
            decidedByUid = try json.optional("decidedByUid")
            isInUse = try json.optional("isInUse") ?? false
            processes = try json.optional("processes") ?? 0
            assurance = try json.optional("assurance")
            holds = try json.optional("holds") ?? 0
            waking = try json.optional("waking")
            tracking = try json.optional("tracking")
            trackingDecidedAt = try json.optional("trackingDecidedAt")
            trackingDecidedBy = try json.optional("trackingDecidedBy")
            trackingDecidedByUid = try json.optional("trackingDecidedByUid")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("id", of: id)
            writer.member("uid", of: uid)
            writer.member("name", of: name)
            writer.member("manifest", of: manifest)
            writer.member("status", of: status)
            writer.member("accuracy", of: accuracy)
            writer.member("diagnostics", of: diagnostics)
            writer.member("permission", of: permission)
            writer.member("wasAskedAlways", of: wasAskedAlways)
            writer.member("decidedAt", of: decidedAt)
            writer.member("decidedBy", of: decidedBy)
            writer.member("decidedByUid", of: decidedByUid)
            writer.member("isInUse", of: isInUse)
            writer.member("processes", of: processes)
            writer.member("assurance", of: assurance)
            writer.member("holds", of: holds)
            writer.member("waking", of: waking)
            writer.member("tracking", of: tracking)
            writer.member("trackingDecidedAt", of: trackingDecidedAt)
            writer.member("trackingDecidedBy", of: trackingDecidedBy)
            writer.member("trackingDecidedByUid", of: trackingDecidedByUid)
        }
    }

    /// What wakes an app that does not run, and why not.
    public struct Waking: VarlinkValue, VarlinkMembers, Equatable {
        /// The service that is started.
        public var unit: String
        /// The events that its manifest names.
        public var causes: [WakingInterface.Cause]
        /// Of push: the containers whose changes on other machines wake it, as the manifest names them.
        public var containers: [String]?
        /// Events that are pending.
        public var pending: Int64
        /// Why it is not woken; absent where it is, or would be. New words may come.
        public var obstacle: WakingObstacle?
        /// Wakes that are left at once.
        public var left: Int64
        /// When one is left, where none is.
        public var nextAt: Double?
        /// When it was last woken, and what for.
        public var lastWoken: Double?
        /// `lastCause`.
        public var lastCause: WakingInterface.Cause?
        /// Wakes in a row without success.
        public var failures: Int64

        /// A value of these members.
        public init(
            unit: String,
            causes: [WakingInterface.Cause] = [],
            containers: [String]? = nil,
            pending: Int64 = 0,
            obstacle: WakingObstacle? = nil,
            left: Int64 = 0,
            nextAt: Double? = nil,
            lastWoken: Double? = nil,
            lastCause: WakingInterface.Cause? = nil,
            failures: Int64 = 0
        ) {
            self.unit = unit
            self.causes = causes
            self.containers = containers
            self.pending = pending
            self.obstacle = obstacle
            self.left = left
            self.nextAt = nextAt
            self.lastWoken = lastWoken
            self.lastCause = lastCause
            self.failures = failures
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            unit = try json.value("unit")
            causes = try json.optional("causes") ?? []
            containers = try json.optional("containers")
            pending = try json.optional("pending") ?? 0
            obstacle = try json.optional("obstacle")
            left = try json.optional("left") ?? 0
            nextAt = try json.optional("nextAt")
            lastWoken = try json.optional("lastWoken")
            lastCause = try json.optional("lastCause")
            failures = try json.optional("failures") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("unit", of: unit)
            writer.member("causes", of: causes)
            writer.member("containers", of: containers)
            writer.member("pending", of: pending)
            writer.member("obstacle", of: obstacle)
            writer.member("left", of: left)
            writer.member("nextAt", of: nextAt)
            writer.member("lastWoken", of: lastWoken)
            writer.member("lastCause", of: lastCause)
            writer.member("failures", of: failures)
        }
    }

    /// A prompt that nobody has answered yet.
    public struct Request: VarlinkValue, VarlinkMembers, Equatable {
        /// `id`.
        public var id: Int64
        /// `app`.
        public var app: String
        /// `uid`.
        public var uid: UInt32
        /// whenInUse, always, changeToAlways, confirmAlways, temporaryFullAccuracy, tracking.
        public var kind: PromptKind
        /// `purposeKey`.
        public var purposeKey: String?
        /// The app's name and reason, for a person, with translations by locale.
        public var name: String
        /// `names`.
        public var names: VarlinkMap<String>
        /// `purpose`.
        public var purpose: String
        /// `purposes`.
        public var purposes: VarlinkMap<String>
        /// `assurance`.
        public var assurance: String?
        /// allowOnce, allowWhileUsing, deny, keepWhileUsing, changeToAlways, allow.
        public var choices: [PromptChoice]
        /// `proposesFullAccuracy`.
        public var proposesFullAccuracy: Bool
        /// Whether an agent shows it now.
        public var isShown: Bool
        /// Seconds since 1970-01-01T00:00:00Z.
        public var raisedAt: Double

        /// A value of these members.
        public init(
            id: Int64 = 0,
            app: String,
            uid: UInt32,
            kind: PromptKind,
            purposeKey: String? = nil,
            name: String,
            names: VarlinkMap<String> = [:],
            purpose: String,
            purposes: VarlinkMap<String> = [:],
            assurance: String? = nil,
            choices: [PromptChoice] = [],
            proposesFullAccuracy: Bool = false,
            isShown: Bool = false,
            raisedAt: Double
        ) {
            self.id = id
            self.app = app
            self.uid = uid
            self.kind = kind
            self.purposeKey = purposeKey
            self.name = name
            self.names = names
            self.purpose = purpose
            self.purposes = purposes
            self.assurance = assurance
            self.choices = choices
            self.proposesFullAccuracy = proposesFullAccuracy
            self.isShown = isShown
            self.raisedAt = raisedAt
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            id = try json.optional("id") ?? 0
            app = try json.value("app")
            uid = try json.value("uid")
            kind = try json.value("kind")
            purposeKey = try json.optional("purposeKey")
            name = try json.value("name")
            names = try json.optional("names") ?? [:]
            purpose = try json.value("purpose")
            purposes = try json.optional("purposes") ?? [:]
            assurance = try json.optional("assurance")
            choices = try json.optional("choices") ?? []
            proposesFullAccuracy = try json.optional("proposesFullAccuracy") ?? false
            isShown = try json.optional("isShown") ?? false
            raisedAt = try json.value("raisedAt")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("id", of: id)
            writer.member("app", of: app)
            writer.member("uid", of: uid)
            writer.member("kind", of: kind)
            writer.member("purposeKey", of: purposeKey)
            writer.member("name", of: name)
            writer.member("names", of: names)
            writer.member("purpose", of: purpose)
            writer.member("purposes", of: purposes)
            writer.member("assurance", of: assurance)
            writer.member("choices", of: choices)
            writer.member("proposesFullAccuracy", of: proposesFullAccuracy)
            writer.member("isShown", of: isShown)
            writer.member("raisedAt", of: raisedAt)
        }
    }

    /// A user id with stored data.
    public struct User: VarlinkValue, VarlinkMembers, Equatable {
        /// `uid`.
        public var uid: UInt32
        /// The account that the data belongs to; absent where no account had the number when it was stored.
        public var name: String?
        /// present: the data is used; noAccount: the data is used, and no account has the number; in all other states
        /// the data is not used. removed: no account has the number; returned: an account of the same name has it
        /// again, or has a home that was created anew; renamed: an account of another name has it, and it was never
        /// seen without an account; replaced: another account has it after it was seen without one; erased: removed,
        /// and nothing is stored.
        public var state: String
        /// The name that the number has now, where it is a different one.
        public var otherName: String?
        /// When the change was noticed, in seconds since 1970-01-01T00:00:00Z.
        public var since: Double?
        /// Seconds until everything is erased; absent where an operator has to decide.
        public var erasedAfter: Double?
        /// decisions, unanswered prompts, recordings and the positions in them.
        public var grants: Int64
        /// `requests`.
        public var requests: Int64
        /// `recordings`.
        public var recordings: Int64
        /// `positions`.
        public var positions: Int64

        /// A value of these members.
        public init(
            uid: UInt32,
            name: String? = nil,
            state: String,
            otherName: String? = nil,
            since: Double? = nil,
            erasedAfter: Double? = nil,
            grants: Int64 = 0,
            requests: Int64 = 0,
            recordings: Int64 = 0,
            positions: Int64 = 0
        ) {
            self.uid = uid
            self.name = name
            self.state = state
            self.otherName = otherName
            self.since = since
            self.erasedAfter = erasedAfter
            self.grants = grants
            self.requests = requests
            self.recordings = recordings
            self.positions = positions
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            uid = try json.value("uid")
            name = try json.optional("name")
            state = try json.value("state")
            otherName = try json.optional("otherName")
            since = try json.optional("since")
            erasedAfter = try json.optional("erasedAfter")
            grants = try json.optional("grants") ?? 0
            requests = try json.optional("requests") ?? 0
            recordings = try json.optional("recordings") ?? 0
            positions = try json.optional("positions") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("uid", of: uid)
            writer.member("name", of: name)
            writer.member("state", of: state)
            writer.member("otherName", of: otherName)
            writer.member("since", of: since)
            writer.member("erasedAfter", of: erasedAfter)
            writer.member("grants", of: grants)
            writer.member("requests", of: requests)
            writer.member("recordings", of: recordings)
            writer.member("positions", of: positions)
        }
    }

    /// That an app has queried an identifier, see io.waymark.Identity; never the identifier itself.
    public struct IdentifierQuery: VarlinkValue, VarlinkMembers, Equatable {
        /// `app`.
        public var app: String
        /// `uid`.
        public var uid: UInt32
        /// Which identifier. New words may come.
        public var kind: IdentifierKind
        /// Of identifierForVendor: the vendor's name.
        public var vendor: String?
        /// Whether the vendor is one of a user's own manifest, which never is a vendor of the system's.
        public var isPersonal: Bool
        /// Seconds since 1970-01-01T00:00:00Z; the last query is accurate to an hour.
        public var first: Double
        /// `last`.
        public var last: Double

        /// A value of these members.
        public init(
            app: String,
            uid: UInt32,
            kind: IdentifierKind,
            vendor: String? = nil,
            isPersonal: Bool = false,
            first: Double,
            last: Double
        ) {
            self.app = app
            self.uid = uid
            self.kind = kind
            self.vendor = vendor
            self.isPersonal = isPersonal
            self.first = first
            self.last = last
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            app = try json.value("app")
            uid = try json.value("uid")
            kind = try json.value("kind")
            vendor = try json.optional("vendor")
            isPersonal = try json.optional("isPersonal") ?? false
            first = try json.value("first")
            last = try json.value("last")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("app", of: app)
            writer.member("uid", of: uid)
            writer.member("kind", of: kind)
            writer.member("vendor", of: vendor)
            writer.member("isPersonal", of: isPersonal)
            writer.member("first", of: first)
            writer.member("last", of: last)
        }
    }

    /// The state of the daemon.
    public struct Status: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.Status"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Status`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: DaemonStatus

            /// A value of these members.
            public init(status: DaemonStatus) {
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("status", of: status)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// The same at once and whenever a member other than a counter changes, at most once a second, and once every 10 s
    /// while a client receives positions. Needs `more`.
    public struct Monitor: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.Monitor"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `Monitor`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: DaemonStatus

            /// A value of these members.
            public init(status: DaemonStatus) {
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("status", of: status)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Reads the configuration again. The reply names the settings that changed, and those that need a restart.
    public struct Reload: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.Reload"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Reload`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `changed`.
            public var changed: [String]
            /// `needsRestart`.
            public var needsRestart: [String]

            /// A value of these members.
            public init(changed: [String], needsRestart: [String]) {
                self.changed = changed
                self.needsRestart = needsRestart
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                changed = try json.value("changed")
                needsRestart = try json.value("needsRestart")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("changed", of: changed)
                writer.member("needsRestart", of: needsRestart)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Counters and gauges as OpenMetrics text.
    public struct Metrics: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.Metrics"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Metrics`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `text`.
            public var text: String

            /// A value of these members.
            public init(text: String) {
                self.text = text
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                text = try json.value("text")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("text", of: text)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// The known apps: those with a manifest and those with stored data; all, or those of this name or user. `problems`
    /// are mistakes in manifests and restrictions, each with its file and line.
    public struct ListApps: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.ListApps"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ListApps`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `apps`.
            public var apps: [App]
            /// `servicesEnabled`.
            public var servicesEnabled: Bool
            /// `problems`.
            public var problems: [String]

            /// A value of these members.
            public init(apps: [App], servicesEnabled: Bool, problems: [String]) {
                self.apps = apps
                self.servicesEnabled = servicesEnabled
                self.problems = problems
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                apps = try json.value("apps")
                servicesEnabled = try json.value("servicesEnabled")
                problems = try json.value("problems")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("apps", of: apps)
                writer.member("servicesEnabled", of: servicesEnabled)
                writer.member("problems", of: problems)
            }
        }

        /// `app`.
        public var app: String?
        /// `uid`.
        public var uid: UInt32?

        /// A value of these members.
        public init(app: String? = nil, uid: UInt32? = nil) {
            self.app = app
            self.uid = uid
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            app = try json.optional("app")
            uid = try json.optional("uid")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("app", of: app)
            writer.member("uid", of: uid)
        }
    }

    /// Decides for an app, as the person would. Without a uid: the system's where the manifest names a system unit or
    /// socket, else the only user who has the app. Returns when the decision is durable.
    public struct Authorize: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.Authorize"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Authorize`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `app`.
            public var app: App

            /// A value of these members.
            public init(app: App) {
                self.app = app
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                app = try json.value("app")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("app", of: app)
            }
        }

        /// The values of `status`.
        public enum Status: String, VarlinkValue, CaseIterable {
            case always, whileUsing, deny
        }

        /// `app`.
        public var app: String
        /// `uid`.
        public var uid: UInt32?
        /// `status`.
        public var status: Status
        /// `accuracy`.
        public var accuracy: AccuracyAuthorization?

        /// A value of these members.
        public init(app: String, uid: UInt32? = nil, status: Status, accuracy: AccuracyAuthorization? = nil) {
            self.app = app
            self.uid = uid
            self.status = status
            self.accuracy = accuracy
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            app = try json.value("app")
            uid = try json.optional("uid")
            status = try json.value("status")
            accuracy = try json.optional("accuracy")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("app", of: app)
            writer.member("uid", of: uid)
            writer.member("status", of: status)
            writer.member("accuracy", of: accuracy)
        }
    }

    /// Decides whether an app may track the person, or with `undecided` removes the decision. The app is chosen as by
    /// Authorize. Returns when the decision is durable; a denial is in effect at once.
    public struct AuthorizeTracking: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.AuthorizeTracking"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `AuthorizeTracking`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `app`.
            public var app: App

            /// A value of these members.
            public init(app: App) {
                self.app = app
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                app = try json.value("app")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("app", of: app)
            }
        }

        /// The values of `status`.
        public enum Status: String, VarlinkValue, CaseIterable {
            case allow, deny, undecided
        }

        /// `app`.
        public var app: String
        /// `uid`.
        public var uid: UInt32?
        /// `status`.
        public var status: Status

        /// A value of these members.
        public init(app: String, uid: UInt32? = nil, status: Status) {
            self.app = app
            self.uid = uid
            self.status = status
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            app = try json.value("app")
            uid = try json.optional("uid")
            status = try json.value("status")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("app", of: app)
            writer.member("uid", of: uid)
            writer.member("status", of: status)
        }
    }

    /// Erases the decisions for an app, also about tracking, and the record of its requests.
    public struct Reset: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.Reset"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Reset`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `app`.
            public var app: App

            /// A value of these members.
            public init(app: App) {
                self.app = app
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                app = try json.value("app")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("app", of: app)
            }
        }

        /// `app`.
        public var app: String
        /// `uid`.
        public var uid: UInt32?

        /// A value of these members.
        public init(app: String, uid: UInt32? = nil) {
            self.app = app
            self.uid = uid
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            app = try json.value("app")
            uid = try json.optional("uid")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("app", of: app)
            writer.member("uid", of: uid)
        }
    }

    /// The same for every app. Returns the number of apps that had stored data.
    public struct ResetAll: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.ResetAll"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ResetAll`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `count`.
            public var count: Int64

            /// A value of these members.
            public init(count: Int64) {
                self.count = count
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                count = try json.value("count")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("count", of: count)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Which apps have queried the identifiers that exist now: all, or those of this name or user.
    public struct ListIdentifiers: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.ListIdentifiers"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ListIdentifiers`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `identifiers`.
            public var identifiers: [IdentifierQuery]

            /// A value of these members.
            public init(identifiers: [IdentifierQuery]) {
                self.identifiers = identifiers
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                identifiers = try json.value("identifiers")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("identifiers", of: identifiers)
            }
        }

        /// `app`.
        public var app: String?
        /// `uid`.
        public var uid: UInt32?

        /// A value of these members.
        public init(app: String? = nil, uid: UInt32? = nil) {
            self.app = app
            self.uid = uid
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            app = try json.optional("app")
            uid = try json.optional("uid")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("app", of: app)
            writer.member("uid", of: uid)
        }
    }

    /// Removes the identifiers of a user, or of all users; all, or those of this kind: apps get new ones at their next
    /// query. Returns how many there were, when the removal is durable.
    public struct ResetIdentifiers: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.ResetIdentifiers"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ResetIdentifiers`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `count`.
            public var count: Int64

            /// A value of these members.
            public init(count: Int64) {
                self.count = count
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                count = try json.value("count")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("count", of: count)
            }
        }

        /// `uid`.
        public var uid: UInt32?
        /// `kind`.
        public var kind: IdentifierKind?

        /// A value of these members.
        public init(uid: UInt32? = nil, kind: IdentifierKind? = nil) {
            self.uid = uid
            self.kind = kind
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            uid = try json.optional("uid")
            kind = try json.optional("kind")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("uid", of: uid)
            writer.member("kind", of: kind)
        }
    }

    /// Turns location services on or off for everybody but operators.
    public struct SetServicesEnabled: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.SetServicesEnabled"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `enabled`.
        public var enabled: Bool

        /// A value of these members.
        public init(enabled: Bool) {
            self.enabled = enabled
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            enabled = try json.value("enabled")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("enabled", of: enabled)
        }
    }

    /// The unanswered prompts, the oldest first.
    public struct ListRequests: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.ListRequests"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ListRequests`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `requests`.
            public var requests: [Request]

            /// A value of these members.
            public init(requests: [Request]) {
                self.requests = requests
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                requests = try json.value("requests")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("requests", of: requests)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Answers a prompt, for any user. Without `precise`, the accuracy that the prompt proposes applies. `kind` is that
    /// of the prompt.
    public struct Answer: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.Answer"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Answer`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `app`.
            public var app: App
            /// `kind`.
            public var kind: PromptKind?

            /// A value of these members.
            public init(app: App, kind: PromptKind? = nil) {
                self.app = app
                self.kind = kind
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                app = try json.value("app")
                kind = try json.optional("kind")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("app", of: app)
                writer.member("kind", of: kind)
            }
        }

        /// `id`.
        public var id: Int64
        /// `choice`.
        public var choice: PromptChoice
        /// `precise`.
        public var precise: Bool?

        /// A value of these members.
        public init(id: Int64, choice: PromptChoice, precise: Bool? = nil) {
            self.id = id
            self.choice = choice
            self.precise = precise
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            id = try json.value("id", in: 1...Int64.max)
            choice = try json.value("choice")
            precise = try json.optional("precise")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("id", of: id)
            writer.member("choice", of: choice)
            writer.member("precise", of: precise)
        }
    }

    /// Reports whether the screen of a user is locked. While it is locked, an app of the user counts as in use only
    /// with a background activity session.
    public struct SetLocked: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.SetLocked"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `uid`.
        public var uid: UInt32
        /// `locked`.
        public var locked: Bool

        /// A value of these members.
        public init(uid: UInt32, locked: Bool) {
            self.uid = uid
            self.locked = locked
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            uid = try json.value("uid")
            locked = try json.value("locked")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("uid", of: uid)
            writer.member("locked", of: locked)
        }
    }

    /// The user ids with stored data, and the accounts that the data belongs to.
    public struct ListUsers: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.ListUsers"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ListUsers`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `users`.
            public var users: [User]

            /// A value of these members.
            public init(users: [User]) {
                self.users = users
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                users = try json.value("users")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("users", of: users)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Erases what is stored of a user id: decisions, prompts, recordings, visits, regions, identifiers, requests to be
    /// woken, counts and keys. The key of the user's copy of records remains if the user is not suspended. For root and
    /// the daemon's user only. Returns when everything is erased durably. If a part could not be erased, it fails with
    /// JournalUnavailable: call it again.
    public struct EraseUser: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.EraseUser"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `uid`.
        public var uid: UInt32

        /// A value of these members.
        public init(uid: UInt32) {
            self.uid = uid
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            uid = try json.value("uid")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("uid", of: uid)
        }
    }

    /// Uses the stored data of a user id again, for the account that has the number now. For root and the daemon's user
    /// only.
    public struct RestoreUser: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.RestoreUser"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `RestoreUser`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `user`.
            public var user: User

            /// A value of these members.
            public init(user: User) {
                self.user = user
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                user = try json.value("user")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("user", of: user)
            }
        }

        /// `uid`.
        public var uid: UInt32

        /// A value of these members.
        public init(uid: UInt32) {
            self.uid = uid
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            uid = try json.value("uid")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("uid", of: uid)
        }
    }

    /// Generates a new secret offset for reduced positions.
    public struct RotateReduced: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ManageInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Manage.RotateReduced"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Why it is not woken; absent where it is, or would be. New words may come.
    public struct WakingObstacle: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It is not authorized always for what is pending.
        public static var notAuthorized: Self { Self(rawValue: "notAuthorized") }
        /// a person has stopped its service, and it has not started by itself since.
        public static var stopped: Self { Self(rawValue: "stopped") }
        /// a person has disabled its service, and it has not started by itself since.
        public static var disabled: Self { Self(rawValue: "disabled") }
        /// a person has masked its service, and it has not started by itself since.
        public static var masked: Self { Self(rawValue: "masked") }
        /// a person has decided so, and it has not started by itself since.
        public static var decision: Self { Self(rawValue: "decision") }
        /// It was woken three times in a row and never attached.
        public static var neverAttached: Self { Self(rawValue: "neverAttached") }
        /// It was woken three times in a row and ended without having acknowledged an event, or failed.
        public static var ended: Self { Self(rawValue: "ended") }
        /// Its service could not be started three times in a row.
        public static var notStarted: Self { Self(rawValue: "notStarted") }
        /// Three times in a row there was no such service.
        public static var noService: Self { Self(rawValue: "noService") }
        /// The program that starts services does not run.
        public static var noHelper: Self { Self(rawValue: "noHelper") }
        /// The service manager could not start its service within the last minute, and the app is ordered again.
        public static var unavailable: Self { Self(rawValue: "unavailable") }
        /// Its budget is used up.
        public static var budget: Self { Self(rawValue: "budget") }

        /// The words of this release.
        public static let known: [Self] = [
            .notAuthorized,
            .stopped,
            .disabled,
            .masked,
            .decision,
            .neverAttached,
            .ended,
            .notStarted,
            .noService,
            .noHelper,
            .unavailable,
            .budget,
        ]
    }

    /// Which identifier. New words may come.
    public struct IdentifierKind: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The one that all apps of a vendor share.
        public static var identifierForVendor: Self { Self(rawValue: "identifierForVendor") }
        /// The one that all apps share that may track the user.
        public static var advertisingIdentifier: Self { Self(rawValue: "advertisingIdentifier") }

        /// The words of this release.
        public static let known: [Self] = [
            .identifierForVendor,
            .advertisingIdentifier,
        ]
    }

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// The caller is no operator.
        case notOperator(message: String)
        /// The configuration has errors; the old settings stay in force.
        case configurationInvalid(problems: [String], message: String)
        /// The event that records the change could not be stored, or not everything could be erased.
        case journalUnavailable(message: String)
        /// There is no such app: neither a manifest nor stored data.
        case noSuchApp(app: String, message: String)
        /// Several users have the app, or no user has used it yet: the call needs a uid. Or the app is a system service
        /// and belongs to no user: then `uids` contains only 0, and the call needs that uid or none.
        case userNeeded(app: String, uids: [UInt32], message: String)
        /// There is no such prompt, or it is already answered.
        case noSuchRequest(id: Int64, message: String)
        /// The prompt does not offer that choice.
        case notOffered(choices: [String], message: String)
        /// Only root and the daemon's own user may do this.
        case notRoot(message: String)
        /// No data is stored of this user id.
        case noSuchUser(uid: UInt32, message: String)
        /// The stored data of this user id is in use already, or is being erased or restored; or no account has the
        /// number, or it is not known whether one has it.
        case notRestorable(uid: UInt32, message: String)
        /// A restriction of this machine forbids it: see the restrictions' folder.
        case restricted(message: String)
        /// Reduced positions are not available, so there is nothing to rotate.
        case reducedUnavailable(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Manage.NotOperator":
                    self = try .notOperator(message: json.value("message"))
                case "io.waymark.Manage.ConfigurationInvalid":
                    self = try .configurationInvalid(problems: json.value("problems"), message: json.value("message"))
                case "io.waymark.Manage.JournalUnavailable":
                    self = try .journalUnavailable(message: json.value("message"))
                case "io.waymark.Manage.NoSuchApp":
                    self = try .noSuchApp(app: json.value("app"), message: json.value("message"))
                case "io.waymark.Manage.UserNeeded":
                    self = try .userNeeded(
                        app: json.value("app"), uids: json.value("uids"), message: json.value("message"))
                case "io.waymark.Manage.NoSuchRequest":
                    self = try .noSuchRequest(id: json.value("id"), message: json.value("message"))
                case "io.waymark.Manage.NotOffered":
                    self = try .notOffered(choices: json.value("choices"), message: json.value("message"))
                case "io.waymark.Manage.NotRoot":
                    self = try .notRoot(message: json.value("message"))
                case "io.waymark.Manage.NoSuchUser":
                    self = try .noSuchUser(uid: json.value("uid"), message: json.value("message"))
                case "io.waymark.Manage.NotRestorable":
                    self = try .notRestorable(uid: json.value("uid"), message: json.value("message"))
                case "io.waymark.Manage.Restricted":
                    self = try .restricted(message: json.value("message"))
                case "io.waymark.Manage.ReducedUnavailable":
                    self = try .reducedUnavailable(message: json.value("message"))
                default: return nil
                }
            } catch {
                return nil
            }
        }

        /// The full name.
        public var name: String {
            switch self {
            case .notOperator: "io.waymark.Manage.NotOperator"
            case .configurationInvalid: "io.waymark.Manage.ConfigurationInvalid"
            case .journalUnavailable: "io.waymark.Manage.JournalUnavailable"
            case .noSuchApp: "io.waymark.Manage.NoSuchApp"
            case .userNeeded: "io.waymark.Manage.UserNeeded"
            case .noSuchRequest: "io.waymark.Manage.NoSuchRequest"
            case .notOffered: "io.waymark.Manage.NotOffered"
            case .notRoot: "io.waymark.Manage.NotRoot"
            case .noSuchUser: "io.waymark.Manage.NoSuchUser"
            case .notRestorable: "io.waymark.Manage.NotRestorable"
            case .restricted: "io.waymark.Manage.Restricted"
            case .reducedUnavailable: "io.waymark.Manage.ReducedUnavailable"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .notOperator(let message): message
            case .configurationInvalid(_, let message): message
            case .journalUnavailable(let message): message
            case .noSuchApp(_, let message): message
            case .userNeeded(_, _, let message): message
            case .noSuchRequest(_, let message): message
            case .notOffered(_, let message): message
            case .notRoot(let message): message
            case .noSuchUser(_, let message): message
            case .notRestorable(_, let message): message
            case .restricted(let message): message
            case .reducedUnavailable(let message): message
            }
        }

        /// Whether it means that the caller is not allowed.
        public var isRefusal: Bool {
            switch self {
            case .notOperator: true
            case .notRoot: true
            default: false
            }
        }

        /// Writes the parameters.
        public func writeMembers(to writer: inout JSONWriter) {
            switch self {
            case .notOperator(let message):
                writer.member("message", of: message)
            case .configurationInvalid(let problems, let message):
                writer.member("problems", of: problems)
                writer.member("message", of: message)
            case .journalUnavailable(let message):
                writer.member("message", of: message)
            case .noSuchApp(let app, let message):
                writer.member("app", of: app)
                writer.member("message", of: message)
            case .userNeeded(let app, let uids, let message):
                writer.member("app", of: app)
                writer.member("uids", of: uids)
                writer.member("message", of: message)
            case .noSuchRequest(let id, let message):
                writer.member("id", of: id)
                writer.member("message", of: message)
            case .notOffered(let choices, let message):
                writer.member("choices", of: choices)
                writer.member("message", of: message)
            case .notRoot(let message):
                writer.member("message", of: message)
            case .noSuchUser(let uid, let message):
                writer.member("uid", of: uid)
                writer.member("message", of: message)
            case .notRestorable(let uid, let message):
                writer.member("uid", of: uid)
                writer.member("message", of: message)
            case .restricted(let message):
                writer.member("message", of: message)
            case .reducedUnavailable(let message):
                writer.member("message", of: message)
            }
        }
    }

    /// Implements the methods; a reply may come at once or later. A thrown error ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Handles `Status`.
        func status(_ call: MethodCall<Status>) throws(Failure)
        /// Handles `Monitor`.
        func monitor(_ call: MethodCall<Monitor>) throws(Failure)
        /// Handles `Reload`.
        func reload(_ call: MethodCall<Reload>) throws(Failure)
        /// Handles `Metrics`.
        func metrics(_ call: MethodCall<Metrics>) throws(Failure)
        /// Handles `ListApps`.
        func listApps(_ call: MethodCall<ListApps>) throws(Failure)
        /// Handles `Authorize`.
        func authorize(_ call: MethodCall<Authorize>) throws(Failure)
        /// Handles `AuthorizeTracking`.
        func authorizeTracking(_ call: MethodCall<AuthorizeTracking>) throws(Failure)
        /// Handles `Reset`.
        func reset(_ call: MethodCall<Reset>) throws(Failure)
        /// Handles `ResetAll`.
        func resetAll(_ call: MethodCall<ResetAll>) throws(Failure)
        /// Handles `ListIdentifiers`.
        func listIdentifiers(_ call: MethodCall<ListIdentifiers>) throws(Failure)
        /// Handles `ResetIdentifiers`.
        func resetIdentifiers(_ call: MethodCall<ResetIdentifiers>) throws(Failure)
        /// Handles `SetServicesEnabled`.
        func setServicesEnabled(_ call: MethodCall<SetServicesEnabled>) throws(Failure)
        /// Handles `ListRequests`.
        func listRequests(_ call: MethodCall<ListRequests>) throws(Failure)
        /// Handles `Answer`.
        func answer(_ call: MethodCall<Answer>) throws(Failure)
        /// Handles `SetLocked`.
        func setLocked(_ call: MethodCall<SetLocked>) throws(Failure)
        /// Handles `ListUsers`.
        func listUsers(_ call: MethodCall<ListUsers>) throws(Failure)
        /// Handles `EraseUser`.
        func eraseUser(_ call: MethodCall<EraseUser>) throws(Failure)
        /// Handles `RestoreUser`.
        func restoreUser(_ call: MethodCall<RestoreUser>) throws(Failure)
        /// Handles `RotateReduced`.
        func rotateReduced(_ call: MethodCall<RotateReduced>) throws(Failure)
    }

    /// Passes a call to the handler's method of its name.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "Status":
            call.perform(Status.self) { (call) throws(Failure) in
                try handler.status(call)
            }
        case "Monitor":
            call.perform(Monitor.self) { (call) throws(Failure) in
                try handler.monitor(call)
            }
        case "Reload":
            call.perform(Reload.self) { (call) throws(Failure) in
                try handler.reload(call)
            }
        case "Metrics":
            call.perform(Metrics.self) { (call) throws(Failure) in
                try handler.metrics(call)
            }
        case "ListApps":
            call.perform(ListApps.self) { (call) throws(Failure) in
                try handler.listApps(call)
            }
        case "Authorize":
            call.perform(Authorize.self) { (call) throws(Failure) in
                try handler.authorize(call)
            }
        case "AuthorizeTracking":
            call.perform(AuthorizeTracking.self) { (call) throws(Failure) in
                try handler.authorizeTracking(call)
            }
        case "Reset":
            call.perform(Reset.self) { (call) throws(Failure) in
                try handler.reset(call)
            }
        case "ResetAll":
            call.perform(ResetAll.self) { (call) throws(Failure) in
                try handler.resetAll(call)
            }
        case "ListIdentifiers":
            call.perform(ListIdentifiers.self) { (call) throws(Failure) in
                try handler.listIdentifiers(call)
            }
        case "ResetIdentifiers":
            call.perform(ResetIdentifiers.self) { (call) throws(Failure) in
                try handler.resetIdentifiers(call)
            }
        case "SetServicesEnabled":
            call.perform(SetServicesEnabled.self) { (call) throws(Failure) in
                try handler.setServicesEnabled(call)
            }
        case "ListRequests":
            call.perform(ListRequests.self) { (call) throws(Failure) in
                try handler.listRequests(call)
            }
        case "Answer":
            call.perform(Answer.self) { (call) throws(Failure) in
                try handler.answer(call)
            }
        case "SetLocked":
            call.perform(SetLocked.self) { (call) throws(Failure) in
                try handler.setLocked(call)
            }
        case "ListUsers":
            call.perform(ListUsers.self) { (call) throws(Failure) in
                try handler.listUsers(call)
            }
        case "EraseUser":
            call.perform(EraseUser.self) { (call) throws(Failure) in
                try handler.eraseUser(call)
            }
        case "RestoreUser":
            call.perform(RestoreUser.self) { (call) throws(Failure) in
                try handler.restoreUser(call)
            }
        case "RotateReduced":
            call.perform(RotateReduced.self) { (call) throws(Failure) in
                try handler.rotateReduced(call)
            }
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}

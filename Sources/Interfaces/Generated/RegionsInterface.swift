// Made from io.waymark.Regions.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// Regions: parts of the Earth's surface, and events when this machine enters and leaves them.
///
/// A monitor is a named set of regions of one app of a user, or of an operator's program that is no app. Monitors,
/// their regions, what is known about each region, and events that were not acknowledged yet are stored: they survive
/// restarts of the program, the daemon and the machine. Regions are monitored whether or not the program runs, as long
/// as it may have positions of full accuracy. Lengths are metres, times are seconds since 1970-01-01T00:00:00Z,
/// durations are seconds.
public enum RegionsInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Regions"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.identified
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = []
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = [
        "Add",
        "Commit",
        "Remove",
        "Acknowledge",
    ]
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = ["Monitor"]
    /// How calls in progress are repeated after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = [
        "Remove": .unlessSame,
        "List": .unlessSame,
        "Show": .unlessSame,
        "Monitor": .unlessSame,
        "Acknowledge": .unlessSame,
    ]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case add = "io.waymark.Regions.Add"
        case commit = "io.waymark.Regions.Commit"
        case remove = "io.waymark.Regions.Remove"
        case list = "io.waymark.Regions.List"
        case show = "io.waymark.Regions.Show"
        case monitor = "io.waymark.Regions.Monitor"
        case acknowledge = "io.waymark.Regions.Acknowledge"
    }

    /// Degrees north and east, WGS 84.
    public struct Point: VarlinkValue, VarlinkMembers, Equatable {
        /// `latitude`.
        public var latitude: Double
        /// `longitude`.
        public var longitude: Double

        /// A value of these members.
        public init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            latitude = try json.value("latitude")
            longitude = try json.value("longitude")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("latitude", of: latitude)
            writer.member("longitude", of: longitude)
        }
    }

    /// All within the radius of a point: 1 m to 5,000 km.
    public struct Circle: VarlinkValue, VarlinkMembers, Equatable {
        /// `latitude`.
        public var latitude: Double
        /// `longitude`.
        public var longitude: Double
        /// `radius`.
        public var radius: Double

        /// A value of these members.
        public init(latitude: Double, longitude: Double, radius: Double) {
            self.latitude = latitude
            self.longitude = longitude
            self.radius = radius
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            latitude = try json.value("latitude")
            longitude = try json.value("longitude")
            radius = try json.value("radius")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("latitude", of: latitude)
            writer.member("longitude", of: longitude)
            writer.member("radius", of: radius)
        }
    }

    /// A closed line. The last point may repeat the first one.
    public struct Ring: VarlinkValue, VarlinkMembers, Equatable {
        /// `points`.
        public var points: [Point]

        /// A value of these members.
        public init(points: [Point] = []) {
            self.points = points
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            points = try json.optional("points") ?? []
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("points", of: points)
        }
    }

    /// All within the first ring, and within none of the others.
    public struct Polygon: VarlinkValue, VarlinkMembers, Equatable {
        /// `rings`.
        public var rings: [Ring]

        /// A value of these members.
        public init(rings: [Ring] = []) {
            self.rings = rings
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            rings = try json.optional("rings") ?? []
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("rings", of: rings)
        }
    }

    /// All within half of a width, 1 m to 1,000 km, of a line.
    public struct Corridor: VarlinkValue, VarlinkMembers, Equatable {
        /// `points`.
        public var points: [Point]
        /// `halfWidth`.
        public var halfWidth: Double

        /// A value of these members.
        public init(points: [Point] = [], halfWidth: Double) {
            self.points = points
            self.halfWidth = halfWidth
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            points = try json.optional("points") ?? []
            halfWidth = try json.value("halfWidth")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("points", of: points)
            writer.member("halfWidth", of: halfWidth)
        }
    }

    /// Exactly one of circle, polygon and corridor is present in a region that is added. Lines between points are the
    /// shortest ones on the ellipsoid. A polygon and a corridor have at most 10,000 points.
    public struct Region: VarlinkValue, VarlinkMembers, Equatable {
        /// 1 to 128 bytes of UTF-8 without control characters; unique in its monitor.
        public var identifier: String
        /// `circle`.
        public var circle: Circle?
        /// `polygon`.
        public var polygon: Polygon?
        /// `corridor`.
        public var corridor: Corridor?
        /// s that a stay has to last before entered is reported; absent for at once.
        public var dwell: Double?
        /// s of a stay after which loitered is reported; absent for never.
        public var loitering: Double?

        /// A value of these members.
        public init(
            identifier: String,
            circle: Circle? = nil,
            polygon: Polygon? = nil,
            corridor: Corridor? = nil,
            dwell: Double? = nil,
            loitering: Double? = nil
        ) {
            self.identifier = identifier
            self.circle = circle
            self.polygon = polygon
            self.corridor = corridor
            self.dwell = dwell
            self.loitering = loitering
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            identifier = try json.value("identifier")
            circle = try json.optional("circle")
            polygon = try json.optional("polygon")
            corridor = try json.optional("corridor")
            dwell = try json.optional("dwell", in: 0...604_800)
            loitering = try json.optional("loitering", in: 0...604_800)
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("identifier", of: identifier)
            writer.member("circle", of: circle)
            writer.member("polygon", of: polygon)
            writer.member("corridor", of: corridor)
            writer.member("dwell", of: dwell)
            writer.member("loitering", of: loitering)
        }
    }

    /// `KnownRegion` of `io.waymark.Regions`.
    public struct KnownRegion: VarlinkReadable, Equatable {
        /// Without a shape where an operator did not ask for the coordinates of another's region.
        public var region: Region
        /// circle, polygon or corridor.
        public var shape: String
        /// Whether the machine is in the region. New words may come.
        public var state: State
        /// Why the state is unknown. New words may come.
        public var reason: Doubt?
        /// The time of the fix that decided, or when the state became unknown.
        public var since: Double?

        /// A value of these members.
        public init(region: Region, shape: String, state: State, reason: Doubt? = nil, since: Double? = nil) {
            self.region = region
            self.shape = shape
            self.state = state
            self.reason = reason
            self.since = since
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            region = try json.value("region")
            shape = try json.value("shape")
            state = try json.value("state")
            reason = try json.optional("reason")
            since = try json.optional("since")
        }
    }

    /// `Event` of `io.waymark.Regions`.
    public struct Event: VarlinkReadable, Equatable {
        /// 1, 2, 3 … in its monitor.
        public var sequence: Int64
        /// The identifier of the region; absent for overflowed.
        public var region: String?
        /// New words may come.
        public var kind: Kind
        /// Of determined: inside or outside.
        public var state: State?
        /// Of unknown.
        public var reason: Doubt?
        /// The time of the fix that decided, or when the state became unknown.
        public var time: Double
        /// When the border was crossed, interpolated between the fixes before and after it.
        public var crossed: Double?
        /// Whether the machine passed through the region, or across a gap in it, between two fixes.
        public var passedThrough: Bool
        /// From a replay or a simulator.
        public var isSimulated: Bool
        /// The position of the fix that decided. Absent for unknown and overflowed, which no fix decides, and for
        /// events that were stored by a daemon without these members.
        public var latitude: Double?
        /// `longitude`.
        public var longitude: Double?
        /// m.
        public var horizontalAccuracy: Double?
        /// Of overflowed: how many events were dropped.
        public var lost: Int64?

        /// A value of these members.
        public init(
            sequence: Int64,
            region: String? = nil,
            kind: Kind,
            state: State? = nil,
            reason: Doubt? = nil,
            time: Double,
            crossed: Double? = nil,
            passedThrough: Bool,
            isSimulated: Bool,
            latitude: Double? = nil,
            longitude: Double? = nil,
            horizontalAccuracy: Double? = nil,
            lost: Int64? = nil
        ) {
            self.sequence = sequence
            self.region = region
            self.kind = kind
            self.state = state
            self.reason = reason
            self.time = time
            self.crossed = crossed
            self.passedThrough = passedThrough
            self.isSimulated = isSimulated
            self.latitude = latitude
            self.longitude = longitude
            self.horizontalAccuracy = horizontalAccuracy
            self.lost = lost
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            sequence = try json.value("sequence")
            region = try json.optional("region")
            kind = try json.value("kind")
            state = try json.optional("state")
            reason = try json.optional("reason")
            time = try json.value("time")
            crossed = try json.optional("crossed")
            passedThrough = try json.value("passedThrough")
            isSimulated = try json.value("isSimulated")
            latitude = try json.optional("latitude")
            longitude = try json.optional("longitude")
            horizontalAccuracy = try json.optional("horizontalAccuracy")
            lost = try json.optional("lost")
        }
    }

    /// `MonitorSummary` of `io.waymark.Regions`.
    public struct MonitorSummary: VarlinkValue, VarlinkMembers, Equatable {
        /// `name`.
        public var name: String
        /// `uid`.
        public var uid: UInt32
        /// Absent for the monitor of an operator's program that is no app.
        public var app: String?
        /// `regions`.
        public var regions: Int64
        /// The number of the latest event, 0 for none.
        public var last: Int64
        /// Everything up to this number is acknowledged.
        public var acknowledged: Int64
        /// Stored events that are not acknowledged.
        public var pending: Int64
        /// Whether regions are monitored, or why not at present. New words may come.
        public var state: MonitoringState

        /// A value of these members.
        public init(
            name: String,
            uid: UInt32,
            app: String? = nil,
            regions: Int64 = 0,
            last: Int64 = 0,
            acknowledged: Int64 = 0,
            pending: Int64 = 0,
            state: MonitoringState
        ) {
            self.name = name
            self.uid = uid
            self.app = app
            self.regions = regions
            self.last = last
            self.acknowledged = acknowledged
            self.pending = pending
            self.state = state
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            name = try json.value("name")
            uid = try json.value("uid")
            app = try json.optional("app")
            regions = try json.optional("regions") ?? 0
            last = try json.optional("last") ?? 0
            acknowledged = try json.optional("acknowledged") ?? 0
            pending = try json.optional("pending") ?? 0
            state = try json.value("state")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("name", of: name)
            writer.member("uid", of: uid)
            writer.member("app", of: app)
            writer.member("regions", of: regions)
            writer.member("last", of: last)
            writer.member("acknowledged", of: acknowledged)
            writer.member("pending", of: pending)
            writer.member("state", of: state)
        }
    }

    /// Adds regions to a monitor, which is made if it does not exist: at most 1,000 in one call. A region replaces the
    /// one with its identifier, whose state is then unknown until the next decision. All or none of them are added,
    /// durably before the reply. Regions may be added before the caller may have positions. With staged they are
    /// collected for this connection and take effect with Commit.
    public struct Add: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RegionsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Regions.Add"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Add`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `added`.
            public var added: Int64
            /// `replaced`.
            public var replaced: Int64

            /// A value of these members.
            public init(added: Int64, replaced: Int64) {
                self.added = added
                self.replaced = replaced
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                added = try json.value("added")
                replaced = try json.value("replaced")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("added", of: added)
                writer.member("replaced", of: replaced)
            }
        }

        /// 1 to 128 letters, digits and . _ -, not beginning with a dot.
        public var monitor: String
        /// `regions`.
        public var regions: [Region]
        /// `staged`.
        public var staged: Bool?

        /// A value of these members.
        public init(monitor: String, regions: [Region], staged: Bool? = nil) {
            self.monitor = monitor
            self.regions = regions
            self.staged = staged
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            monitor = try json.value("monitor")
            regions = try json.value("regions")
            staged = try json.optional("staged")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("monitor", of: monitor)
            writer.member("regions", of: regions)
            writer.member("staged", of: staged)
        }
    }

    /// Adds the regions that this connection has staged for a monitor, all at once, durably before the reply. They are
    /// dropped when the connection ends before, or the daemon.
    public struct Commit: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RegionsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Regions.Commit"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Commit`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `added`.
            public var added: Int64
            /// `replaced`.
            public var replaced: Int64

            /// A value of these members.
            public init(added: Int64, replaced: Int64) {
                self.added = added
                self.replaced = replaced
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                added = try json.value("added")
                replaced = try json.value("replaced")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("added", of: added)
                writer.member("replaced", of: replaced)
            }
        }

        /// `monitor`.
        public var monitor: String

        /// A value of these members.
        public init(monitor: String) {
            self.monitor = monitor
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            monitor = try json.value("monitor")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("monitor", of: monitor)
        }
    }

    /// Removes regions of a monitor, or the monitor with all its regions and events where no identifiers are given.
    /// Regions that do not exist are ignored. Durable before the reply.
    public struct Remove: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RegionsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Regions.Remove"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Remove`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `removed`.
            public var removed: Int64

            /// A value of these members.
            public init(removed: Int64) {
                self.removed = removed
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                removed = try json.value("removed")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("removed", of: removed)
            }
        }

        /// `monitor`.
        public var monitor: String
        /// `identifiers`.
        public var identifiers: [String]?

        /// A value of these members.
        public init(monitor: String, identifiers: [String]? = nil) {
            self.monitor = monitor
            self.identifiers = identifiers
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            monitor = try json.value("monitor")
            identifiers = try json.optional("identifiers")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("monitor", of: monitor)
            writer.member("identifiers", of: identifiers)
        }
    }

    /// The caller's monitors; an operator's program that is no app gets those of everybody. Never a coordinate or a
    /// state of a region.
    public struct List: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RegionsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Regions.List"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `List`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `monitors`.
            public var monitors: [MonitorSummary]

            /// A value of these members.
            public init(monitors: [MonitorSummary]) {
                self.monitors = monitors
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                monitors = try json.value("monitors")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("monitors", of: monitors)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// The regions of a monitor in the order of their identifiers, beginning after one, or those with these
    /// identifiers; at most limit (default 200). The reply may contain fewer because a message is bounded; isComplete
    /// says whether there is none after the last one. An operator's program that is no app may name another's monitor
    /// by app and uid: it gets the coordinates and states only if it asks for them, and is then counted as having seen
    /// positions.
    public struct Show: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RegionsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Regions.Show"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Show`.
        public struct Reply: VarlinkReadable, Equatable {
            /// `regions`.
            public var regions: [KnownRegion]
            /// `isComplete`.
            public var isComplete: Bool

            /// A value of these members.
            public init(regions: [KnownRegion], isComplete: Bool) {
                self.regions = regions
                self.isComplete = isComplete
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                regions = try json.value("regions")
                isComplete = try json.value("isComplete")
            }
        }

        /// `monitor`.
        public var monitor: String
        /// `after`.
        public var after: String?
        /// `limit`.
        public var limit: Int64?
        /// `identifiers`.
        public var identifiers: [String]?
        /// `app`.
        public var app: String?
        /// `uid`.
        public var uid: UInt32?
        /// `coordinates`.
        public var coordinates: Bool?

        /// A value of these members.
        public init(
            monitor: String,
            after: String? = nil,
            limit: Int64? = nil,
            identifiers: [String]? = nil,
            app: String? = nil,
            uid: UInt32? = nil,
            coordinates: Bool? = nil
        ) {
            self.monitor = monitor
            self.after = after
            self.limit = limit
            self.identifiers = identifiers
            self.app = app
            self.uid = uid
            self.coordinates = coordinates
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            monitor = try json.value("monitor")
            after = try json.optional("after")
            limit = try json.optional("limit", in: 1...1_000)
            identifiers = try json.optional("identifiers")
            app = try json.optional("app")
            uid = try json.optional("uid")
            coordinates = try json.optional("coordinates")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("monitor", of: monitor)
            writer.member("after", of: after)
            writer.member("limit", of: limit)
            writer.member("identifiers", of: identifiers)
            writer.member("app", of: app)
            writer.member("uid", of: uid)
            writer.member("coordinates", of: coordinates)
        }
    }

    /// Every event of a monitor with a number larger than after, in order, and every later one as soon as it is stored.
    /// Where the data is locked since the daemon started, the call continues by itself when it is unlocked. Without
    /// after: every event that is not acknowledged. Needs `more`. Nothing is sent while the caller may not have
    /// positions because it is not in use; events of that time are not made. Full accuracy only. The call ends with the
    /// error of io.waymark.Location that says why when the caller loses its authorization. Where that was withdrawn,
    /// which includes a reduction of its accuracy, or location services were turned off, its stored events are erased
    /// and the states of its regions unknown; where a restriction forbids it or the manifest is missing, they are
    /// withheld meanwhile.
    public struct Monitor: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RegionsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Regions.Monitor"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `Monitor`.
        public struct Reply: VarlinkReadable, Equatable {
            /// `event`.
            public var event: Event

            /// A value of these members.
            public init(event: Event) {
                self.event = event
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                event = try json.value("event")
            }
        }

        /// `monitor`.
        public var monitor: String
        /// `after`.
        public var after: Int64?

        /// A value of these members.
        public init(monitor: String, after: Int64? = nil) {
            self.monitor = monitor
            self.after = after
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            monitor = try json.value("monitor")
            after = try json.optional("after", in: 0...Int64.max)
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("monitor", of: monitor)
            writer.member("after", of: after)
        }
    }

    /// Confirms every event up to this number, which is then erased. Durable before the reply.
    public struct Acknowledge: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = RegionsInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Regions.Acknowledge"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `Acknowledge`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `acknowledged`.
            public var acknowledged: Int64

            /// A value of these members.
            public init(acknowledged: Int64) {
                self.acknowledged = acknowledged
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                acknowledged = try json.value("acknowledged")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("acknowledged", of: acknowledged)
            }
        }

        /// `monitor`.
        public var monitor: String
        /// `upTo`.
        public var upTo: Int64

        /// A value of these members.
        public init(monitor: String, upTo: Int64) {
            self.monitor = monitor
            self.upTo = upTo
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            monitor = try json.value("monitor")
            upTo = try json.value("upTo", in: 0...Int64.max)
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("monitor", of: monitor)
            writer.member("upTo", of: upTo)
        }
    }

    /// Whether the machine is in the region. New words may come.
    public struct State: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It is.
        public static var inside: Self { Self(rawValue: "inside") }
        /// It is not.
        public static var outside: Self { Self(rawValue: "outside") }
        /// This is not known; the reason says why.
        public static var unknown: Self { Self(rawValue: "unknown") }

        /// The words of this release.
        public static let known: [Self] = [
            .inside,
            .outside,
            .unknown,
        ]
    }

    /// Why the state is unknown. New words may come.
    public struct Doubt: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No fix has decided since the region was added.
        public static var undetermined: Self { Self(rawValue: "undetermined") }
        /// For a long time no fix was accurate enough to decide.
        public static var insufficientAccuracy: Self { Self(rawValue: "insufficientAccuracy") }
        /// The receiver has no fix.
        public static var fixLost: Self { Self(rawValue: "fixLost") }
        /// There is no receiver, or gpsd cannot be reached.
        public static var receiverLost: Self { Self(rawValue: "receiverLost") }
        /// The caller may not know it at present.
        public static var unauthorized: Self { Self(rawValue: "unauthorized") }

        /// The words of this release.
        public static let known: [Self] = [
            .undetermined,
            .insufficientAccuracy,
            .fixLost,
            .receiverLost,
            .unauthorized,
        ]
    }

    /// New words may come.
    public struct Kind: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The state is known for the first time since it was unknown.
        public static var determined: Self { Self(rawValue: "determined") }
        /// The machine has come in.
        public static var entered: Self { Self(rawValue: "entered") }
        /// The machine is outside again.
        public static var left: Self { Self(rawValue: "left") }
        /// The machine has been inside for the loitering time of the region.
        public static var loitered: Self { Self(rawValue: "loitered") }
        /// It is not known any more whether the machine is in the region.
        public static var unknown: Self { Self(rawValue: "unknown") }
        /// Too many events were not acknowledged; the oldest ones were dropped.
        public static var overflowed: Self { Self(rawValue: "overflowed") }

        /// The words of this release.
        public static let known: [Self] = [
            .determined,
            .entered,
            .left,
            .loitered,
            .unknown,
            .overflowed,
        ]
    }

    /// Whether regions are monitored, or why not at present. New words may come.
    public struct MonitoringState: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Every fix is evaluated.
        public static var monitoring: Self { Self(rawValue: "monitoring") }
        /// The app was denied positions.
        public static var denied: Self { Self(rawValue: "denied") }
        /// Location services are off.
        public static var deniedGlobally: Self { Self(rawValue: "deniedGlobally") }
        /// a restriction of the machine forbids regions or positions.
        public static var restricted: Self { Self(rawValue: "restricted") }
        /// Nobody has decided about the app.
        public static var notDetermined: Self { Self(rawValue: "notDetermined") }
        /// The app may have positions only while it is in use.
        public static var notInUse: Self { Self(rawValue: "notInUse") }
        /// The app may have positions of reduced accuracy only.
        public static var accuracyReduced: Self { Self(rawValue: "accuracyReduced") }
        /// No manifest matches the app.
        public static var manifestMissing: Self { Self(rawValue: "manifestMissing") }
        /// The user of an operator's monitor is no operator any more.
        public static var notOperator: Self { Self(rawValue: "notOperator") }
        /// There is no position.
        public static var locationUnavailable: Self { Self(rawValue: "locationUnavailable") }

        /// The words of this release.
        public static let known: [Self] = [
            .monitoring,
            .denied,
            .deniedGlobally,
            .restricted,
            .notDetermined,
            .notInUse,
            .accuracyReduced,
            .manifestMissing,
            .notOperator,
            .locationUnavailable,
        ]
    }

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// The caller is no app, and no operator's program either: the message says what to do.
        case notAllowed(message: String)
        /// Not an operator.
        case notOperator(message: String)
        /// The caller has no monitor of this name.
        case noSuchMonitor(monitor: String, message: String)
        /// More than one app or user has a monitor of this name: the call needs app or uid.
        case appNeeded(message: String)
        /// The name of the monitor, or the identifier of the region at this index of the call, from 0, is not valid.
        case invalidIdentifier(index: Int64?, message: String)
        /// The region at this index of the call, from 0, is none; the message names the ring and the point, never a
        /// coordinate.
        case invalidRegion(index: Int64, identifier: String, message: String)
        /// The caller has as many monitors as it may have.
        case tooManyMonitors(message: String)
        /// The monitor, the caller or its user has as many regions as it may have.
        case tooManyRegions(message: String)
        /// This connection has staged no regions for the monitor, or the daemon has restarted since: add them again.
        case nothingStaged(monitor: String, message: String)
        /// The monitor has no event with such a number.
        case noSuchEvent(sequence: Int64, message: String)
        /// The regions could not be stored or read: the disk is full or broken. Nothing was changed.
        case regionsUnavailable(message: String)
        /// The regions are sealed, and the data was not unlocked since the daemon started. They are retained; nothing
        /// was changed.
        case protectedDataUnavailable(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Regions.NotAllowed":
                    self = try .notAllowed(message: json.value("message"))
                case "io.waymark.Regions.NotOperator":
                    self = try .notOperator(message: json.value("message"))
                case "io.waymark.Regions.NoSuchMonitor":
                    self = try .noSuchMonitor(monitor: json.value("monitor"), message: json.value("message"))
                case "io.waymark.Regions.AppNeeded":
                    self = try .appNeeded(message: json.value("message"))
                case "io.waymark.Regions.InvalidIdentifier":
                    self = try .invalidIdentifier(index: json.optional("index"), message: json.value("message"))
                case "io.waymark.Regions.InvalidRegion":
                    self = try .invalidRegion(
                        index: json.value("index"), identifier: json.value("identifier"),
                        message: json.value("message"))
                case "io.waymark.Regions.TooManyMonitors":
                    self = try .tooManyMonitors(message: json.value("message"))
                case "io.waymark.Regions.TooManyRegions":
                    self = try .tooManyRegions(message: json.value("message"))
                case "io.waymark.Regions.NothingStaged":
                    self = try .nothingStaged(monitor: json.value("monitor"), message: json.value("message"))
                case "io.waymark.Regions.NoSuchEvent":
                    self = try .noSuchEvent(sequence: json.value("sequence"), message: json.value("message"))
                case "io.waymark.Regions.RegionsUnavailable":
                    self = try .regionsUnavailable(message: json.value("message"))
                case "io.waymark.Regions.ProtectedDataUnavailable":
                    self = try .protectedDataUnavailable(message: json.value("message"))
                default: return nil
                }
            } catch {
                return nil
            }
        }

        /// The full name.
        public var name: String {
            switch self {
            case .notAllowed: "io.waymark.Regions.NotAllowed"
            case .notOperator: "io.waymark.Regions.NotOperator"
            case .noSuchMonitor: "io.waymark.Regions.NoSuchMonitor"
            case .appNeeded: "io.waymark.Regions.AppNeeded"
            case .invalidIdentifier: "io.waymark.Regions.InvalidIdentifier"
            case .invalidRegion: "io.waymark.Regions.InvalidRegion"
            case .tooManyMonitors: "io.waymark.Regions.TooManyMonitors"
            case .tooManyRegions: "io.waymark.Regions.TooManyRegions"
            case .nothingStaged: "io.waymark.Regions.NothingStaged"
            case .noSuchEvent: "io.waymark.Regions.NoSuchEvent"
            case .regionsUnavailable: "io.waymark.Regions.RegionsUnavailable"
            case .protectedDataUnavailable: "io.waymark.Regions.ProtectedDataUnavailable"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .notAllowed(let message): message
            case .notOperator(let message): message
            case .noSuchMonitor(_, let message): message
            case .appNeeded(let message): message
            case .invalidIdentifier(_, let message): message
            case .invalidRegion(_, _, let message): message
            case .tooManyMonitors(let message): message
            case .tooManyRegions(let message): message
            case .nothingStaged(_, let message): message
            case .noSuchEvent(_, let message): message
            case .regionsUnavailable(let message): message
            case .protectedDataUnavailable(let message): message
            }
        }

        /// Whether it means that the caller is not allowed.
        public var isRefusal: Bool {
            switch self {
            case .notAllowed: true
            case .notOperator: true
            default: false
            }
        }

        /// Writes the parameters.
        public func writeMembers(to writer: inout JSONWriter) {
            switch self {
            case .notAllowed(let message):
                writer.member("message", of: message)
            case .notOperator(let message):
                writer.member("message", of: message)
            case .noSuchMonitor(let monitor, let message):
                writer.member("monitor", of: monitor)
                writer.member("message", of: message)
            case .appNeeded(let message):
                writer.member("message", of: message)
            case .invalidIdentifier(let index, let message):
                writer.member("index", of: index)
                writer.member("message", of: message)
            case .invalidRegion(let index, let identifier, let message):
                writer.member("index", of: index)
                writer.member("identifier", of: identifier)
                writer.member("message", of: message)
            case .tooManyMonitors(let message):
                writer.member("message", of: message)
            case .tooManyRegions(let message):
                writer.member("message", of: message)
            case .nothingStaged(let monitor, let message):
                writer.member("monitor", of: monitor)
                writer.member("message", of: message)
            case .noSuchEvent(let sequence, let message):
                writer.member("sequence", of: sequence)
                writer.member("message", of: message)
            case .regionsUnavailable(let message):
                writer.member("message", of: message)
            case .protectedDataUnavailable(let message):
                writer.member("message", of: message)
            }
        }
    }

    /// Implements the methods; a reply may come at once or later. A thrown error ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Handles `Add`.
        func add(_ call: MethodCall<Add>) throws(Failure)
        /// Handles `Commit`.
        func commit(_ call: MethodCall<Commit>) throws(Failure)
        /// Handles `Remove`.
        func remove(_ call: MethodCall<Remove>) throws(Failure)
        /// Handles `List`.
        func list(_ call: MethodCall<List>) throws(Failure)
        /// Handles `Show`.
        func show(_ call: MethodCall<Show>) throws(Failure)
        /// Handles `Monitor`.
        func monitor(_ call: MethodCall<Monitor>) throws(Failure)
        /// Handles `Acknowledge`.
        func acknowledge(_ call: MethodCall<Acknowledge>) throws(Failure)
    }

    /// Passes a call to the handler's method of its name.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "Add":
            call.perform(Add.self) { (call) throws(Failure) in
                try handler.add(call)
            }
        case "Commit":
            call.perform(Commit.self) { (call) throws(Failure) in
                try handler.commit(call)
            }
        case "Remove":
            call.perform(Remove.self) { (call) throws(Failure) in
                try handler.remove(call)
            }
        case "List":
            call.perform(List.self) { (call) throws(Failure) in
                try handler.list(call)
            }
        case "Show":
            call.perform(Show.self) { (call) throws(Failure) in
                try handler.show(call)
            }
        case "Monitor":
            call.perform(Monitor.self) { (call) throws(Failure) in
                try handler.monitor(call)
            }
        case "Acknowledge":
            call.perform(Acknowledge.self) { (call) throws(Failure) in
                try handler.acknowledge(call)
            }
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}

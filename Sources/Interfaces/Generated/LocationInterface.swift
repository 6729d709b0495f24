// Made from io.waymark.Location.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// Positions of this machine, for every program that the person in charge allows to have them.
///
/// Positions are degrees of WGS 84, metres, metres per second and degrees from true north; times are seconds since
/// 1970-01-01T00:00:00Z; accuracies are the radius of 68 % confidence. Unknown values are absent.
public enum LocationInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Location"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.identified
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = []
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = []
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = [
        "MonitorAuthorization",
        "HoldInUse",
        "Monitor",
        "MonitorSatellites",
        "MonitorVisits",
        "MonitorHeading",
    ]
    /// How calls in progress are repeated after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = [
        "GetAuthorization": .unlessSame,
        "MonitorAuthorization": .unlessSame,
        "RequestWhenInUse": .unlessSame,
        "RequestAlways": .unlessSame,
        "RequestTemporaryFullAccuracy": .unlessSame,
        "SetActivity": .unlessSame,
        "HoldInUse": .withoutFirstReply,
        "GetPosition": .unlessSame,
        "Monitor": .unlessSame,
        "GetSatellites": .unlessSame,
        "MonitorSatellites": .unlessSame,
        "MonitorHeading": .unlessSame,
    ]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case getAuthorization = "io.waymark.Location.GetAuthorization"
        case monitorAuthorization = "io.waymark.Location.MonitorAuthorization"
        case requestWhenInUse = "io.waymark.Location.RequestWhenInUse"
        case requestAlways = "io.waymark.Location.RequestAlways"
        case requestTemporaryFullAccuracy = "io.waymark.Location.RequestTemporaryFullAccuracy"
        case setActivity = "io.waymark.Location.SetActivity"
        case holdInUse = "io.waymark.Location.HoldInUse"
        case getPosition = "io.waymark.Location.GetPosition"
        case monitor = "io.waymark.Location.Monitor"
        case getSatellites = "io.waymark.Location.GetSatellites"
        case monitorSatellites = "io.waymark.Location.MonitorSatellites"
        case monitorVisits = "io.waymark.Location.MonitorVisits"
        case monitorHeading = "io.waymark.Location.MonitorHeading"
    }

    /// `Authorization` of `io.waymark.Location`.
    public struct Authorization: VarlinkValue, VarlinkMembers, Equatable {
        /// `status`.
        public var status: AuthorizationStatus
        /// `accuracy`.
        public var accuracy: AccuracyAuthorization
        /// Why there are no positions, or not the best ones. New words may come.
        public var diagnostics: [Diagnostic]
        /// The caller's app, by the name of its manifest; absent where no manifest matches the caller.
        public var app: String?
        /// How strongly the app's identity is proved: socket, unit, user or program.
        public var assurance: String?
        /// Whether the app is in use.
        public var isInUse: Bool

        /// A value of these members.
        public init(
            status: AuthorizationStatus,
            accuracy: AccuracyAuthorization,
            diagnostics: [Diagnostic] = [],
            app: String? = nil,
            assurance: String? = nil,
            isInUse: Bool = false
        ) {
            self.status = status
            self.accuracy = accuracy
            self.diagnostics = diagnostics
            self.app = app
            self.assurance = assurance
            self.isInUse = isInUse
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            status = try json.value("status")
            accuracy = try json.value("accuracy")
            diagnostics = try json.optional("diagnostics") ?? []
            app = try json.optional("app")
            assurance = try json.optional("assurance")
            isInUse = try json.optional("isInUse") ?? false
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("status", of: status)
            writer.member("accuracy", of: accuracy)
            writer.member("diagnostics", of: diagnostics)
            writer.member("app", of: app)
            writer.member("assurance", of: assurance)
            writer.member("isInUse", of: isInUse)
        }
    }

    /// `Update` of `io.waymark.Location`.
    public struct Update: VarlinkReadable, Equatable {
        /// Absent while there is no position to deliver; the diagnostics say why.
        public var position: Position?
        /// `authorizationStatus`.
        public var authorizationStatus: AuthorizationStatus
        /// `accuracyAuthorization`.
        public var accuracyAuthorization: AccuracyAuthorization
        /// `diagnostics`.
        public var diagnostics: [Diagnostic]
        /// Whether the machine does not move. False without a position, and with reduced accuracy.
        public var stationary: Bool
        /// Positions skipped directly before this one because the caller did not read in time.
        public var dropped: Int64

        /// A value of these members.
        public init(
            position: Position? = nil,
            authorizationStatus: AuthorizationStatus,
            accuracyAuthorization: AccuracyAuthorization,
            diagnostics: [Diagnostic],
            stationary: Bool,
            dropped: Int64
        ) {
            self.position = position
            self.authorizationStatus = authorizationStatus
            self.accuracyAuthorization = accuracyAuthorization
            self.diagnostics = diagnostics
            self.stationary = stationary
            self.dropped = dropped
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            position = try json.optional("position")
            authorizationStatus = try json.value("authorizationStatus")
            accuracyAuthorization = try json.value("accuracyAuthorization")
            diagnostics = try json.value("diagnostics")
            stationary = try json.value("stationary")
            dropped = try json.value("dropped")
        }
    }

    /// The caller's kind of movement: how long the machine has to be stationary before positions pause.
    public enum ActivityType: String, VarlinkValue, CaseIterable {
        case other, automotiveNavigation, fitness, otherNavigation, airborne
    }

    /// Whether the caller may have positions now. Never shows a prompt. An operator's program that is no app always
    /// may.
    public struct GetAuthorization: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = LocationInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Location.GetAuthorization"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetAuthorization`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `authorization`.
            public var authorization: Authorization

            /// A value of these members.
            public init(authorization: Authorization) {
                self.authorization = authorization
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                authorization = try json.value("authorization")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("authorization", of: authorization)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// The same at once and after every change. Needs `more`.
    public struct MonitorAuthorization: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = LocationInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Location.MonitorAuthorization"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `MonitorAuthorization`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `authorization`.
            public var authorization: Authorization

            /// A value of these members.
            public init(authorization: Authorization) {
                self.authorization = authorization
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                authorization = try json.value("authorization")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("authorization", of: authorization)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Asks the person to allow positions while the app is in use. The reply comes when the person has answered, or at
    /// once where no prompt is shown: because a decision exists, the app is not in use, or no agent is registered.
    /// Another process of the app, for example after the app's restart, waits for the same prompt. Needs
    /// WhenInUseUsageDescription in the manifest.
    public struct RequestWhenInUse: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = LocationInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Location.RequestWhenInUse"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `RequestWhenInUse`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `authorization`.
            public var authorization: Authorization

            /// A value of these members.
            public init(authorization: Authorization) {
                self.authorization = authorization
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                authorization = try json.value("authorization")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("authorization", of: authorization)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// The same for positions also while the app is not in use. Needs AlwaysAndWhenInUseUsageDescription, too.
    public struct RequestAlways: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = LocationInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Location.RequestAlways"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `RequestAlways`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `authorization`.
            public var authorization: Authorization

            /// A value of these members.
            public init(authorization: Authorization) {
                self.authorization = authorization
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                authorization = try json.value("authorization")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("authorization", of: authorization)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Asks the person for full accuracy until the app is no longer in use, for the purpose under this key in the
    /// manifest.
    public struct RequestTemporaryFullAccuracy: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = LocationInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Location.RequestTemporaryFullAccuracy"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `RequestTemporaryFullAccuracy`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `authorization`.
            public var authorization: Authorization

            /// A value of these members.
            public init(authorization: Authorization) {
                self.authorization = authorization
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                authorization = try json.value("authorization")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("authorization", of: authorization)
            }
        }

        /// `purposeKey`.
        public var purposeKey: String

        /// A value of these members.
        public init(purposeKey: String) {
            self.purposeKey = purposeKey
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            purposeKey = try json.value("purposeKey")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("purposeKey", of: purposeKey)
        }
    }

    /// Reports the person's use of the app. Applies to this connection while it lasts; a connection counts as in the
    /// background until it reports otherwise.
    public struct SetActivity: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = LocationInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Location.SetActivity"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `SetActivity`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `authorization`.
            public var authorization: Authorization

            /// A value of these members.
            public init(authorization: Authorization) {
                self.authorization = authorization
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                authorization = try json.value("authorization")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("authorization", of: authorization)
            }
        }

        /// `activity`.
        public var activity: Activity

        /// A value of these members.
        public init(activity: Activity) {
            self.activity = activity
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            activity = try json.value("activity")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("activity", of: activity)
        }
    }

    /// Retains the app's status as in use when it goes to the background, until this call ends. Begins only while the
    /// app is in use, is recorded in the journal, and is shown to the person while the app may receive positions. One
    /// reply when it has begun; NotInUse where the app is not, or no longer, in use. Needs `more`.
    public struct HoldInUse: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = LocationInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Location.HoldInUse"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `HoldInUse`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `authorization`.
            public var authorization: Authorization

            /// A value of these members.
            public init(authorization: Authorization) {
                self.authorization = authorization
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                authorization = try json.value("authorization")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("authorization", of: authorization)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// One position: the latest that is not older than maximumAge (s, default 10) and not worse than desiredAccuracy
    /// (m, default any), waiting for one up to timeout (s, default 30, at most 600). An app gets a position that is no
    /// longer current only if it was allowed to have it when it arrived, and without interruption since. A position
    /// from before location services were turned off is not delivered to anybody.
    public struct GetPosition: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = LocationInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Location.GetPosition"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetPosition`.
        public struct Reply: VarlinkReadable, Equatable {
            /// `position`.
            public var position: Position

            /// A value of these members.
            public init(position: Position) {
                self.position = position
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                position = try json.value("position")
            }
        }

        /// `desiredAccuracy`.
        public var desiredAccuracy: Double?
        /// `maximumAge`.
        public var maximumAge: Double?
        /// `timeout`.
        public var timeout: Double?

        /// A value of these members.
        public init(desiredAccuracy: Double? = nil, maximumAge: Double? = nil, timeout: Double? = nil) {
            self.desiredAccuracy = desiredAccuracy
            self.maximumAge = maximumAge
            self.timeout = timeout
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            desiredAccuracy = try json.optional("desiredAccuracy", in: 0...40_000_000)
            maximumAge = try json.optional("maximumAge", in: 0...86_400)
            timeout = try json.optional("timeout", in: 0...600)
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("desiredAccuracy", of: desiredAccuracy)
            writer.member("maximumAge", of: maximumAge)
            writer.member("timeout", of: timeout)
        }
    }

    /// An update at once, then for every position that is due, and whenever the reason for the lack of positions
    /// changes. Needs `more`. The call lasts while the caller is authorized. While the app is not in use and so
    /// receives nothing, one update says so (insufficientlyInUse), and positions resume once it is in use. Where the
    /// caller is not authorized, or no longer, the call ends with the error that says why. A position is due when it is
    /// not worse than desiredAccuracy (m), at least distanceFilter (m) from the last one delivered and at least
    /// interval (s) after it. gpsd may report a position and then the same one with more members, such as its altitude,
    /// course or accuracy: with such a receiver the first report is delayed for the fuller one, by at most 150 ms and a
    /// quarter of the receiver's interval. With firstReport the first report is sent at once, and further reports of
    /// the same position are not sent. A position of full accuracy is also due when the machine has come to a stop or
    /// has begun to move: stationary says so. With significantChanges the first position is due at once, and further
    /// ones 500 m or more from the last one and at least 300 s after it, and nothing else is. With pausesAutomatically
    /// positions of full accuracy pause while the machine is stationary: after 120 s of it for fitness, 600 s for
    /// automotiveNavigation and 300 s otherwise; never for airborne. The position at which the pause begins has the
    /// diagnostic stationary, and the first position after the machine has moved ends the pause. With maximumDelay (s)
    /// updates with positions are delayed and sent together, so that the caller wakes up seldom: each is sent at most
    /// so long after it was due, and sooner when 256 of them wait, the authorization changes or there is no position
    /// any more. The first position, and the first after an update without one, is sent at once. A delayed position
    /// that the caller may not have when it would be sent is dropped.
    public struct Monitor: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = LocationInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Location.Monitor"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `Monitor`.
        public struct Reply: VarlinkReadable, Equatable {
            /// `update`.
            public var update: Update

            /// A value of these members.
            public init(update: Update) {
                self.update = update
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                update = try json.value("update")
            }
        }

        /// `desiredAccuracy`.
        public var desiredAccuracy: Double?
        /// `distanceFilter`.
        public var distanceFilter: Double?
        /// `interval`.
        public var interval: Double?
        /// `activityType`.
        public var activityType: ActivityType?
        /// `firstReport`.
        public var firstReport: Bool?
        /// `significantChanges`.
        public var significantChanges: Bool?
        /// `pausesAutomatically`.
        public var pausesAutomatically: Bool?
        /// `maximumDelay`.
        public var maximumDelay: Double?

        /// A value of these members.
        public init(
            desiredAccuracy: Double? = nil,
            distanceFilter: Double? = nil,
            interval: Double? = nil,
            activityType: ActivityType? = nil,
            firstReport: Bool? = nil,
            significantChanges: Bool? = nil,
            pausesAutomatically: Bool? = nil,
            maximumDelay: Double? = nil
        ) {
            self.desiredAccuracy = desiredAccuracy
            self.distanceFilter = distanceFilter
            self.interval = interval
            self.activityType = activityType
            self.firstReport = firstReport
            self.significantChanges = significantChanges
            self.pausesAutomatically = pausesAutomatically
            self.maximumDelay = maximumDelay
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            desiredAccuracy = try json.optional("desiredAccuracy", in: 0...40_000_000)
            distanceFilter = try json.optional("distanceFilter", in: 0...40_000_000)
            interval = try json.optional("interval", in: 0...86_400)
            activityType = try json.optional("activityType")
            firstReport = try json.optional("firstReport")
            significantChanges = try json.optional("significantChanges")
            pausesAutomatically = try json.optional("pausesAutomatically")
            maximumDelay = try json.optional("maximumDelay", in: 0...86_400)
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("desiredAccuracy", of: desiredAccuracy)
            writer.member("distanceFilter", of: distanceFilter)
            writer.member("interval", of: interval)
            writer.member("activityType", of: activityType)
            writer.member("firstReport", of: firstReport)
            writer.member("significantChanges", of: significantChanges)
            writer.member("pausesAutomatically", of: pausesAutomatically)
            writer.member("maximumDelay", of: maximumDelay)
        }
    }

    /// The satellites that the receiver sees, waiting up to 10 s for its report. Full accuracy only. A report from
    /// before the caller was allowed to have it, or that is seconds old, is not sent.
    public struct GetSatellites: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = LocationInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Location.GetSatellites"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetSatellites`.
        public struct Reply: VarlinkReadable, Equatable {
            /// `sky`.
            public var sky: SkyView

            /// A value of these members.
            public init(sky: SkyView) {
                self.sky = sky
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                sky = try json.value("sky")
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// The same at once and with every report of the receiver. Needs `more`. Full accuracy only: the call ends with
    /// AccuracyReduced when the caller loses it. Nothing is sent while the caller may not have positions because it is
    /// not in use.
    public struct MonitorSatellites: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = LocationInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Location.MonitorSatellites"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `MonitorSatellites`.
        public struct Reply: VarlinkReadable, Equatable {
            /// `sky`.
            public var sky: SkyView

            /// A value of these members.
            public init(sky: SkyView) {
                self.sky = sky
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                sky = try json.value("sky")
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// The places where the machine stays: each when the stay has lasted five minutes, and again when it has ended.
    /// Needs `more`. A stay that lasts is sent at once where it is known, after those that have ended since this time,
    /// if one is given: the last 100 are stored. While stored visits are locked, a call with a time waits until
    /// somebody unlocks them. Visits of an app are observed while it calls this, from positions that it may have. Full
    /// accuracy only: the call ends with AccuracyReduced when the caller loses it. Nothing is observed or sent while
    /// the caller may not have positions because it is not in use.
    public struct MonitorVisits: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = LocationInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Location.MonitorVisits"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `MonitorVisits`.
        public struct Reply: VarlinkReadable, Equatable {
            /// `visit`.
            public var visit: Visit

            /// A value of these members.
            public init(visit: Visit) {
                self.visit = visit
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                visit = try json.value("visit")
            }
        }

        /// `since`.
        public var since: Double?

        /// A value of these members.
        public init(since: Double? = nil) {
            self.since = since
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            since = try json.optional("since", in: 0...1_000_000_000_000)
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("since", of: since)
        }
    }

    /// The direction in which the machine points, at once where it is known, and whenever it has changed by
    /// headingFilter (degrees, default 1) or its accuracy has changed. Needs `more`. Full accuracy only: the call ends
    /// with AccuracyReduced when the caller loses it. Nothing is sent while the caller may not have positions because
    /// it is not in use, or while no compass reports.
    public struct MonitorHeading: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = LocationInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Location.MonitorHeading"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `MonitorHeading`.
        public struct Reply: VarlinkReadable, Equatable {
            /// `heading`.
            public var heading: Heading

            /// A value of these members.
            public init(heading: Heading) {
                self.heading = heading
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                heading = try json.value("heading")
            }
        }

        /// `headingFilter`.
        public var headingFilter: Double?

        /// A value of these members.
        public init(headingFilter: Double? = nil) {
            self.headingFilter = headingFilter
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            headingFilter = try json.optional("headingFilter", in: 0...180)
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("headingFilter", of: headingFilter)
        }
    }

    /// Why there are no positions, or not the best ones. New words may come.
    public struct Diagnostic: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The person in charge denied it.
        public static var authorizationDenied: Self { Self(rawValue: "authorizationDenied") }
        /// Location services are off.
        public static var authorizationDeniedGlobally: Self { Self(rawValue: "authorizationDeniedGlobally") }
        /// a restriction of the machine forbids it.
        public static var authorizationRestricted: Self { Self(rawValue: "authorizationRestricted") }
        /// Positions are allowed only while the app is in use.
        public static var insufficientlyInUse: Self { Self(rawValue: "insufficientlyInUse") }
        /// a prompt is shown to the person.
        public static var authorizationRequestInProgress: Self { Self(rawValue: "authorizationRequestInProgress") }
        /// Only reduced accuracy is allowed.
        public static var accuracyLimited: Self { Self(rawValue: "accuracyLimited") }
        /// There is no position; the next word is one of the reasons of PositionUnknown.
        public static var locationUnavailable: Self { Self(rawValue: "locationUnavailable") }
        /// The machine does not move.
        public static var stationary: Self { Self(rawValue: "stationary") }
        /// a request for full accuracy was denied.
        public static var fullAccuracyDenied: Self { Self(rawValue: "fullAccuracyDenied") }
        /// a request for positions in the background was denied.
        public static var alwaysAuthorizationDenied: Self { Self(rawValue: "alwaysAuthorizationDenied") }
        /// No agent can show a prompt.
        public static var agentUnavailable: Self { Self(rawValue: "agentUnavailable") }
        /// No manifest matches the program.
        public static var manifestMissing: Self { Self(rawValue: "manifestMissing") }
        /// After locationUnavailable, as the following ones: there is no receiver.
        public static var noReceiver: Self { Self(rawValue: "noReceiver") }
        /// Gpsd or its receiver cannot be reached.
        public static var receiverLost: Self { Self(rawValue: "receiverLost") }
        /// The receiver has no fix.
        public static var noFix: Self { Self(rawValue: "noFix") }
        /// The receiver reports a position without a date.
        public static var noTime: Self { Self(rawValue: "noTime") }
        /// The receiver reports nothing.
        public static var stale: Self { Self(rawValue: "stale") }
        /// The position is less accurate than requested.
        public static var inaccurate: Self { Self(rawValue: "inaccurate") }
        /// Reduced positions are unavailable on this machine.
        public static var reducedUnavailable: Self { Self(rawValue: "reducedUnavailable") }

        /// The words of this release.
        public static let known: [Self] = [
            .authorizationDenied,
            .authorizationDeniedGlobally,
            .authorizationRestricted,
            .insufficientlyInUse,
            .authorizationRequestInProgress,
            .accuracyLimited,
            .locationUnavailable,
            .stationary,
            .fullAccuracyDenied,
            .alwaysAuthorizationDenied,
            .agentUnavailable,
            .manifestMissing,
            .noReceiver,
            .receiverLost,
            .noFix,
            .noTime,
            .stale,
            .inaccurate,
            .reducedUnavailable,
        ]
    }

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// The person in charge denied it.
        case denied(message: String)
        /// Location services are off.
        case deniedGlobally(message: String)
        /// A restriction of this machine forbids it.
        case restricted(message: String)
        /// Nobody has decided yet whether the caller may have positions.
        case notDetermined(message: String)
        /// Allowed only while in use.
        case notInUse(message: String)
        /// The manifest lacks what the request needs under this key.
        case purposeMissing(key: String, message: String)
        /// No manifest matches the caller, or the manifest was removed.
        case manifestMissing(message: String)
        /// The stored data of the caller's user is not used: the account was removed, or the number belongs to another
        /// account.
        case accountSuspended(message: String)
        /// This process has requested the prompt that is shown to the person, or the prompt is about another request.
        case requestInProgress(message: String)
        /// The decision could not be stored, so it is not in force.
        case notStored(message: String)
        /// The caller may have reduced accuracy only.
        case accuracyReduced(message: String)
        /// There is no position now: reason is noReceiver, receiverLost, noFix, noTime, stale, inaccurate or
        /// reducedUnavailable.
        case positionUnknown(reason: String, message: String)
        /// No position was available in time.
        case timeout(message: String)
        /// The user of the caller has too many connections, or calls that wait.
        case tooManyConnections(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Location.Denied":
                    self = try .denied(message: json.value("message"))
                case "io.waymark.Location.DeniedGlobally":
                    self = try .deniedGlobally(message: json.value("message"))
                case "io.waymark.Location.Restricted":
                    self = try .restricted(message: json.value("message"))
                case "io.waymark.Location.NotDetermined":
                    self = try .notDetermined(message: json.value("message"))
                case "io.waymark.Location.NotInUse":
                    self = try .notInUse(message: json.value("message"))
                case "io.waymark.Location.PurposeMissing":
                    self = try .purposeMissing(key: json.value("key"), message: json.value("message"))
                case "io.waymark.Location.ManifestMissing":
                    self = try .manifestMissing(message: json.value("message"))
                case "io.waymark.Location.AccountSuspended":
                    self = try .accountSuspended(message: json.value("message"))
                case "io.waymark.Location.RequestInProgress":
                    self = try .requestInProgress(message: json.value("message"))
                case "io.waymark.Location.NotStored":
                    self = try .notStored(message: json.value("message"))
                case "io.waymark.Location.AccuracyReduced":
                    self = try .accuracyReduced(message: json.value("message"))
                case "io.waymark.Location.PositionUnknown":
                    self = try .positionUnknown(reason: json.value("reason"), message: json.value("message"))
                case "io.waymark.Location.Timeout":
                    self = try .timeout(message: json.value("message"))
                case "io.waymark.Location.TooManyConnections":
                    self = try .tooManyConnections(message: json.value("message"))
                default: return nil
                }
            } catch {
                return nil
            }
        }

        /// The full name.
        public var name: String {
            switch self {
            case .denied: "io.waymark.Location.Denied"
            case .deniedGlobally: "io.waymark.Location.DeniedGlobally"
            case .restricted: "io.waymark.Location.Restricted"
            case .notDetermined: "io.waymark.Location.NotDetermined"
            case .notInUse: "io.waymark.Location.NotInUse"
            case .purposeMissing: "io.waymark.Location.PurposeMissing"
            case .manifestMissing: "io.waymark.Location.ManifestMissing"
            case .accountSuspended: "io.waymark.Location.AccountSuspended"
            case .requestInProgress: "io.waymark.Location.RequestInProgress"
            case .notStored: "io.waymark.Location.NotStored"
            case .accuracyReduced: "io.waymark.Location.AccuracyReduced"
            case .positionUnknown: "io.waymark.Location.PositionUnknown"
            case .timeout: "io.waymark.Location.Timeout"
            case .tooManyConnections: "io.waymark.Location.TooManyConnections"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .denied(let message): message
            case .deniedGlobally(let message): message
            case .restricted(let message): message
            case .notDetermined(let message): message
            case .notInUse(let message): message
            case .purposeMissing(_, let message): message
            case .manifestMissing(let message): message
            case .accountSuspended(let message): message
            case .requestInProgress(let message): message
            case .notStored(let message): message
            case .accuracyReduced(let message): message
            case .positionUnknown(_, let message): message
            case .timeout(let message): message
            case .tooManyConnections(let message): message
            }
        }

        /// Whether it means that the caller is not allowed.
        public var isRefusal: Bool {
            switch self {
            case .denied: true
            case .deniedGlobally: true
            case .restricted: true
            case .notDetermined: true
            case .notInUse: true
            case .manifestMissing: true
            case .accountSuspended: true
            case .accuracyReduced: true
            default: false
            }
        }

        /// Writes the parameters.
        public func writeMembers(to writer: inout JSONWriter) {
            switch self {
            case .denied(let message):
                writer.member("message", of: message)
            case .deniedGlobally(let message):
                writer.member("message", of: message)
            case .restricted(let message):
                writer.member("message", of: message)
            case .notDetermined(let message):
                writer.member("message", of: message)
            case .notInUse(let message):
                writer.member("message", of: message)
            case .purposeMissing(let key, let message):
                writer.member("key", of: key)
                writer.member("message", of: message)
            case .manifestMissing(let message):
                writer.member("message", of: message)
            case .accountSuspended(let message):
                writer.member("message", of: message)
            case .requestInProgress(let message):
                writer.member("message", of: message)
            case .notStored(let message):
                writer.member("message", of: message)
            case .accuracyReduced(let message):
                writer.member("message", of: message)
            case .positionUnknown(let reason, let message):
                writer.member("reason", of: reason)
                writer.member("message", of: message)
            case .timeout(let message):
                writer.member("message", of: message)
            case .tooManyConnections(let message):
                writer.member("message", of: message)
            }
        }
    }

    /// Implements the methods; a reply may come at once or later. A thrown error ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Handles `GetAuthorization`.
        func getAuthorization(_ call: MethodCall<GetAuthorization>) throws(Failure)
        /// Handles `MonitorAuthorization`.
        func monitorAuthorization(_ call: MethodCall<MonitorAuthorization>) throws(Failure)
        /// Handles `RequestWhenInUse`.
        func requestWhenInUse(_ call: MethodCall<RequestWhenInUse>) throws(Failure)
        /// Handles `RequestAlways`.
        func requestAlways(_ call: MethodCall<RequestAlways>) throws(Failure)
        /// Handles `RequestTemporaryFullAccuracy`.
        func requestTemporaryFullAccuracy(_ call: MethodCall<RequestTemporaryFullAccuracy>) throws(Failure)
        /// Handles `SetActivity`.
        func setActivity(_ call: MethodCall<SetActivity>) throws(Failure)
        /// Handles `HoldInUse`.
        func holdInUse(_ call: MethodCall<HoldInUse>) throws(Failure)
        /// Handles `GetPosition`.
        func getPosition(_ call: MethodCall<GetPosition>) throws(Failure)
        /// Handles `Monitor`.
        func monitor(_ call: MethodCall<Monitor>) throws(Failure)
        /// Handles `GetSatellites`.
        func getSatellites(_ call: MethodCall<GetSatellites>) throws(Failure)
        /// Handles `MonitorSatellites`.
        func monitorSatellites(_ call: MethodCall<MonitorSatellites>) throws(Failure)
        /// Handles `MonitorVisits`.
        func monitorVisits(_ call: MethodCall<MonitorVisits>) throws(Failure)
        /// Handles `MonitorHeading`.
        func monitorHeading(_ call: MethodCall<MonitorHeading>) throws(Failure)
    }

    /// Passes a call to the handler's method of its name.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "GetAuthorization":
            call.perform(GetAuthorization.self) { (call) throws(Failure) in
                try handler.getAuthorization(call)
            }
        case "MonitorAuthorization":
            call.perform(MonitorAuthorization.self) { (call) throws(Failure) in
                try handler.monitorAuthorization(call)
            }
        case "RequestWhenInUse":
            call.perform(RequestWhenInUse.self) { (call) throws(Failure) in
                try handler.requestWhenInUse(call)
            }
        case "RequestAlways":
            call.perform(RequestAlways.self) { (call) throws(Failure) in
                try handler.requestAlways(call)
            }
        case "RequestTemporaryFullAccuracy":
            call.perform(RequestTemporaryFullAccuracy.self) { (call) throws(Failure) in
                try handler.requestTemporaryFullAccuracy(call)
            }
        case "SetActivity":
            call.perform(SetActivity.self) { (call) throws(Failure) in
                try handler.setActivity(call)
            }
        case "HoldInUse":
            call.perform(HoldInUse.self) { (call) throws(Failure) in
                try handler.holdInUse(call)
            }
        case "GetPosition":
            call.perform(GetPosition.self) { (call) throws(Failure) in
                try handler.getPosition(call)
            }
        case "Monitor":
            call.perform(Monitor.self) { (call) throws(Failure) in
                try handler.monitor(call)
            }
        case "GetSatellites":
            call.perform(GetSatellites.self) { (call) throws(Failure) in
                try handler.getSatellites(call)
            }
        case "MonitorSatellites":
            call.perform(MonitorSatellites.self) { (call) throws(Failure) in
                try handler.monitorSatellites(call)
            }
        case "MonitorVisits":
            call.perform(MonitorVisits.self) { (call) throws(Failure) in
                try handler.monitorVisits(call)
            }
        case "MonitorHeading":
            call.perform(MonitorHeading.self) { (call) throws(Failure) in
                try handler.monitorHeading(call)
            }
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}

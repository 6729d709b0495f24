// Made from io.waymark.Waking.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// Waking: an app that does not run, or is frozen, is started or thawed when something happens.
///
/// The manifest of an app names the service that starts it and what it may be woken for ([Wake]). Regions wake it with
/// their monitors, see io.waymark.Regions; what else it is woken for it requests here. Requests and events are stored:
/// they survive restarts of the app, the daemon and the machine. An app is woken only while it is authorized always,
/// except for pushes: for these it has to be authorized for the container by its manifest. Times are seconds since
/// 1970-01-01T00:00:00Z.
public enum WakingInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Waking"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.identified
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = []
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = [
        "Subscribe",
        "Unsubscribe",
        "Acknowledge",
        "ReportPush",
        "SetAllowed",
    ]
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = ["Monitor"]
    /// How calls in progress are repeated after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = [
        "GetLaunchReason": .unlessSame,
        "List": .unlessSame,
        "Monitor": .unlessSame,
        "Acknowledge": .unlessSame,
    ]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case getLaunchReason = "io.waymark.Waking.GetLaunchReason"
        case subscribe = "io.waymark.Waking.Subscribe"
        case unsubscribe = "io.waymark.Waking.Unsubscribe"
        case list = "io.waymark.Waking.List"
        case monitor = "io.waymark.Waking.Monitor"
        case acknowledge = "io.waymark.Waking.Acknowledge"
        case reportPush = "io.waymark.Waking.ReportPush"
        case setAllowed = "io.waymark.Waking.SetAllowed"
    }

    /// What an app has requested to be woken for.
    public struct Subscription: VarlinkValue, VarlinkMembers, Equatable {
        /// What happens. New words may come.
        public var cause: Cause
        /// Of target: a name or an address.
        public var host: String?
        /// Of target; absent for any.
        public var port: UInt16?

        /// A value of these members.
        public init(cause: Cause, host: String? = nil, port: UInt16? = nil) {
            self.cause = cause
            self.host = host
            self.port = port
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            cause = try json.value("cause")
            host = try json.optional("host")
            port = try json.optional("port")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("cause", of: cause)
            writer.member("host", of: host)
            writer.member("port", of: port)
        }
    }

    /// A subscription to records of a container that has fired: its database, which is private, shared or public, and
    /// its name.
    public struct FiredSubscription: VarlinkValue, VarlinkMembers, Equatable {
        /// `database`.
        public var database: String
        /// `name`.
        public var name: String

        /// A value of these members.
        public init(database: String, name: String) {
            self.database = database
            self.name = name
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            database = try json.value("database")
            name = try json.value("name")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("database", of: database)
            writer.member("name", of: name)
        }
    }

    /// An event of a subscription. Events of regions are those of their monitors, and none of these.
    public struct Event: VarlinkValue, VarlinkMembers, Equatable {
        /// 1, 2, 3 … for the app.
        public var sequence: Int64
        /// `cause`.
        public var cause: Cause
        /// `host`.
        public var host: String?
        /// `port`.
        public var port: UInt16?
        /// Of push: the container.
        public var container: String?
        /// Of push: the subscriptions to queries that have fired since the app has acknowledged an event of the
        /// container: the latest 16. Absent where the changes are covered by none.
        public var subscriptions: [FiredSubscription]?
        /// `time`.
        public var time: Double

        /// A value of these members.
        public init(
            sequence: Int64 = 0,
            cause: Cause,
            host: String? = nil,
            port: UInt16? = nil,
            container: String? = nil,
            subscriptions: [FiredSubscription]? = nil,
            time: Double
        ) {
            self.sequence = sequence
            self.cause = cause
            self.host = host
            self.port = port
            self.container = container
            self.subscriptions = subscriptions
            self.time = time
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            sequence = try json.optional("sequence") ?? 0
            cause = try json.value("cause")
            host = try json.optional("host")
            port = try json.optional("port")
            container = try json.optional("container")
            subscriptions = try json.optional("subscriptions")
            time = try json.value("time")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("sequence", of: sequence)
            writer.member("cause", of: cause)
            writer.member("host", of: host)
            writer.member("port", of: port)
            writer.member("container", of: container)
            writer.member("subscriptions", of: subscriptions)
            writer.member("time", of: time)
        }
    }

    /// Events that an app has not acknowledged.
    public struct Reason: VarlinkValue, VarlinkMembers, Equatable {
        /// `cause`.
        public var cause: Cause
        /// Of regions: the monitor, whose Monitor sends the events.
        public var monitor: String?
        /// Of push: the container. Each container has a reason of its own.
        public var container: String?
        /// Of push: the subscriptions of its event.
        public var subscriptions: [FiredSubscription]?
        /// The number of the first of them: in its monitor for regions, else of Monitor of this interface.
        public var first: Int64

        /// A value of these members.
        public init(
            cause: Cause,
            monitor: String? = nil,
            container: String? = nil,
            subscriptions: [FiredSubscription]? = nil,
            first: Int64 = 0
        ) {
            self.cause = cause
            self.monitor = monitor
            self.container = container
            self.subscriptions = subscriptions
            self.first = first
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            cause = try json.value("cause")
            monitor = try json.optional("monitor")
            container = try json.optional("container")
            subscriptions = try json.optional("subscriptions")
            first = try json.optional("first") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("cause", of: cause)
            writer.member("monitor", of: monitor)
            writer.member("container", of: container)
            writer.member("subscriptions", of: subscriptions)
            writer.member("first", of: first)
        }
    }

    /// Why the caller runs. The first call after the app was woken gets what happened, in the order of the manifest's
    /// words. The events are those that are pending now, and remain until they are acknowledged.
    public struct GetLaunchReason: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = WakingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Waking.GetLaunchReason"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetLaunchReason`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// New words may come.
            public var launch: Launch
            /// Of woken: what it was woken for.
            public var cause: Cause?
            /// `reasons`.
            public var reasons: [Reason]
            /// Of ownStart: whether a person had forced the app to quit, so that it should start clean. Absent for no.
            public var isAfterForcedQuit: Bool?

            /// A value of these members.
            public init(launch: Launch, cause: Cause? = nil, reasons: [Reason], isAfterForcedQuit: Bool? = nil) {
                self.launch = launch
                self.cause = cause
                self.reasons = reasons
                self.isAfterForcedQuit = isAfterForcedQuit
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                launch = try json.value("launch")
                cause = try json.optional("cause")
                reasons = try json.value("reasons")
                isAfterForcedQuit = try json.optional("isAfterForcedQuit")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("launch", of: launch)
                writer.member("cause", of: cause)
                writer.member("reasons", of: reasons)
                writer.member("isAfterForcedQuit", of: isAfterForcedQuit)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Requests that the app is woken for visits, significantChange, path or target; durable before the reply. A path
    /// or host that cannot be used now wakes it when it is back.
    public struct Subscribe: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = WakingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Waking.Subscribe"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `cause`.
        public var cause: Cause
        /// `host`.
        public var host: String?
        /// `port`.
        public var port: UInt16?

        /// A value of these members.
        public init(cause: Cause, host: String? = nil, port: UInt16? = nil) {
            self.cause = cause
            self.host = host
            self.port = port
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            cause = try json.value("cause")
            host = try json.optional("host")
            port = try json.optional("port")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("cause", of: cause)
            writer.member("host", of: host)
            writer.member("port", of: port)
        }
    }

    /// Withdraws a request, and erases its events. Durable before the reply.
    public struct Unsubscribe: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = WakingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Waking.Unsubscribe"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `cause`.
        public var cause: Cause
        /// `host`.
        public var host: String?
        /// `port`.
        public var port: UInt16?

        /// A value of these members.
        public init(cause: Cause, host: String? = nil, port: UInt16? = nil) {
            self.cause = cause
            self.host = host
            self.port = port
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            cause = try json.value("cause")
            host = try json.optional("host")
            port = try json.optional("port")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("cause", of: cause)
            writer.member("host", of: host)
            writer.member("port", of: port)
        }
    }

    /// The app's requests.
    public struct List: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = WakingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Waking.List"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `List`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `subscriptions`.
            public var subscriptions: [Subscription]

            /// A value of these members.
            public init(subscriptions: [Subscription]) {
                self.subscriptions = subscriptions
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                subscriptions = try json.value("subscriptions")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("subscriptions", of: subscriptions)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Every event with a number larger than after, in order, and every later one as soon as it is stored. Without
    /// after: every event that is not acknowledged. Needs `more`.
    public struct Monitor: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = WakingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Waking.Monitor"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `Monitor`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
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

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("event", of: event)
            }
        }

        /// `after`.
        public var after: Int64?

        /// A value of these members.
        public init(after: Int64? = nil) {
            self.after = after
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            after = try json.optional("after", in: 0...Int64.max)
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("after", of: after)
        }
    }

    /// Confirms every event up to this number, which is then erased. Durable before the reply.
    public struct Acknowledge: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = WakingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Waking.Acknowledge"
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

        /// `upTo`.
        public var upTo: Int64

        /// A value of these members.
        public init(upTo: Int64) {
            self.upTo = upTo
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            upTo = try json.value("upTo", in: 0...Int64.max)
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("upTo", of: upTo)
        }
    }

    /// Reports that records of a container have changed on another machine, and are in the copy of this one: for
    /// waymark-sync, and refused to every other program. Each app whose manifest names the container and push in [Wake]
    /// For= has an event then: apps of the machine by the waymark-sync of the machine, apps of a user by that user's. A
    /// report while an earlier event of the container is pending replaces that event. Durable before the reply.
    public struct ReportPush: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = WakingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Waking.ReportPush"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `container`.
        public var container: String
        /// New words may come.
        public var environment: Environment
        /// The subscriptions to queries that have fired since the last report that had a reply, the latest last.
        public var subscriptions: [FiredSubscription]?

        /// A value of these members.
        public init(container: String, environment: Environment, subscriptions: [FiredSubscription]? = nil) {
            self.container = container
            self.environment = environment
            self.subscriptions = subscriptions
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            container = try json.value("container")
            environment = try json.value("environment")
            subscriptions = try json.optional("subscriptions")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("container", of: container)
            writer.member("environment", of: environment)
            writer.member("subscriptions", of: subscriptions)
        }
    }

    /// Decides whether an app is woken: for its user by an agent, for every app by an operator. Without uid the
    /// caller's own app, or the system's. Durable before the reply.
    public struct SetAllowed: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = WakingInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Waking.SetAllowed"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `app`.
        public var app: String
        /// `uid`.
        public var uid: UInt32?
        /// `allowed`.
        public var allowed: Bool

        /// A value of these members.
        public init(app: String, uid: UInt32? = nil, allowed: Bool) {
            self.app = app
            self.uid = uid
            self.allowed = allowed
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            app = try json.value("app")
            uid = try json.optional("uid")
            allowed = try json.value("allowed")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("app", of: app)
            writer.member("uid", of: uid)
            writer.member("allowed", of: allowed)
        }
    }

    /// What happens. New words may come.
    public struct Cause: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Something at the border of a region of one of the app's monitors.
        public static var regions: Self { Self(rawValue: "regions") }
        /// The machine has stayed somewhere, or has left the place of a stay.
        public static var visits: Self { Self(rawValue: "visits") }
        /// The machine has moved by more than half a kilometre.
        public static var significantChange: Self { Self(rawValue: "significantChange") }
        /// The route to the rest of the world is back.
        public static var path: Self { Self(rawValue: "path") }
        /// a host can be reached again.
        public static var target: Self { Self(rawValue: "target") }
        /// Records of a container of the app have changed on another machine. It is not requested: the manifest names
        /// the container.
        public static var push: Self { Self(rawValue: "push") }

        /// The words of this release.
        public static let known: [Self] = [
            .regions,
            .visits,
            .significantChange,
            .path,
            .target,
            .push,
        ]
    }

    /// New words may come.
    public struct Launch: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The app has started by itself, or was started by a person or another program.
        public static var ownStart: Self { Self(rawValue: "ownStart") }
        /// The daemon had it started or thawed.
        public static var woken: Self { Self(rawValue: "woken") }

        /// The words of this release.
        public static let known: [Self] = [
            .ownStart,
            .woken,
        ]
    }

    /// New words may come.
    public struct Environment: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The records of finished apps.
        public static var production: Self { Self(rawValue: "production") }
        /// Those of apps that are being developed.
        public static var development: Self { Self(rawValue: "development") }

        /// The words of this release.
        public static let known: [Self] = [
            .production,
            .development,
        ]
    }

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// The caller is no app, may not decide about this one, or may report no pushes: the message says what to do.
        case notAllowed(message: String)
        /// The manifest of the app does not name this event in [Wake] For=, or has no such section.
        case notDeclared(cause: String, message: String)
        /// Such an event cannot be requested here, or the host is missing or not valid.
        case invalidSubscription(message: String)
        /// The app has as many hosts as it may have.
        case tooManySubscriptions(message: String)
        /// There is no event with such a number.
        case noSuchEvent(sequence: Int64, message: String)
        /// There is no such app that could be woken.
        case noSuchApp(app: String, message: String)
        /// The disk is full or broken. Nothing was changed.
        case notStored(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Waking.NotAllowed":
                    self = try .notAllowed(message: json.value("message"))
                case "io.waymark.Waking.NotDeclared":
                    self = try .notDeclared(cause: json.value("cause"), message: json.value("message"))
                case "io.waymark.Waking.InvalidSubscription":
                    self = try .invalidSubscription(message: json.value("message"))
                case "io.waymark.Waking.TooManySubscriptions":
                    self = try .tooManySubscriptions(message: json.value("message"))
                case "io.waymark.Waking.NoSuchEvent":
                    self = try .noSuchEvent(sequence: json.value("sequence"), message: json.value("message"))
                case "io.waymark.Waking.NoSuchApp":
                    self = try .noSuchApp(app: json.value("app"), message: json.value("message"))
                case "io.waymark.Waking.NotStored":
                    self = try .notStored(message: json.value("message"))
                default: return nil
                }
            } catch {
                return nil
            }
        }

        /// The full name.
        public var name: String {
            switch self {
            case .notAllowed: "io.waymark.Waking.NotAllowed"
            case .notDeclared: "io.waymark.Waking.NotDeclared"
            case .invalidSubscription: "io.waymark.Waking.InvalidSubscription"
            case .tooManySubscriptions: "io.waymark.Waking.TooManySubscriptions"
            case .noSuchEvent: "io.waymark.Waking.NoSuchEvent"
            case .noSuchApp: "io.waymark.Waking.NoSuchApp"
            case .notStored: "io.waymark.Waking.NotStored"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .notAllowed(let message): message
            case .notDeclared(_, let message): message
            case .invalidSubscription(let message): message
            case .tooManySubscriptions(let message): message
            case .noSuchEvent(_, let message): message
            case .noSuchApp(_, let message): message
            case .notStored(let message): message
            }
        }

        /// Whether it means that the caller is not allowed.
        public var isRefusal: Bool {
            switch self {
            case .notAllowed: true
            default: false
            }
        }

        /// Writes the parameters.
        public func writeMembers(to writer: inout JSONWriter) {
            switch self {
            case .notAllowed(let message):
                writer.member("message", of: message)
            case .notDeclared(let cause, let message):
                writer.member("cause", of: cause)
                writer.member("message", of: message)
            case .invalidSubscription(let message):
                writer.member("message", of: message)
            case .tooManySubscriptions(let message):
                writer.member("message", of: message)
            case .noSuchEvent(let sequence, let message):
                writer.member("sequence", of: sequence)
                writer.member("message", of: message)
            case .noSuchApp(let app, let message):
                writer.member("app", of: app)
                writer.member("message", of: message)
            case .notStored(let message):
                writer.member("message", of: message)
            }
        }
    }

    /// Implements the methods; a reply may come at once or later. A thrown error ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Handles `GetLaunchReason`.
        func getLaunchReason(_ call: MethodCall<GetLaunchReason>) throws(Failure)
        /// Handles `Subscribe`.
        func subscribe(_ call: MethodCall<Subscribe>) throws(Failure)
        /// Handles `Unsubscribe`.
        func unsubscribe(_ call: MethodCall<Unsubscribe>) throws(Failure)
        /// Handles `List`.
        func list(_ call: MethodCall<List>) throws(Failure)
        /// Handles `Monitor`.
        func monitor(_ call: MethodCall<Monitor>) throws(Failure)
        /// Handles `Acknowledge`.
        func acknowledge(_ call: MethodCall<Acknowledge>) throws(Failure)
        /// Handles `ReportPush`.
        func reportPush(_ call: MethodCall<ReportPush>) throws(Failure)
        /// Handles `SetAllowed`.
        func setAllowed(_ call: MethodCall<SetAllowed>) throws(Failure)
    }

    /// Passes a call to the handler's method of its name.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "GetLaunchReason":
            call.perform(GetLaunchReason.self) { (call) throws(Failure) in
                try handler.getLaunchReason(call)
            }
        case "Subscribe":
            call.perform(Subscribe.self) { (call) throws(Failure) in
                try handler.subscribe(call)
            }
        case "Unsubscribe":
            call.perform(Unsubscribe.self) { (call) throws(Failure) in
                try handler.unsubscribe(call)
            }
        case "List":
            call.perform(List.self) { (call) throws(Failure) in
                try handler.list(call)
            }
        case "Monitor":
            call.perform(Monitor.self) { (call) throws(Failure) in
                try handler.monitor(call)
            }
        case "Acknowledge":
            call.perform(Acknowledge.self) { (call) throws(Failure) in
                try handler.acknowledge(call)
            }
        case "ReportPush":
            call.perform(ReportPush.self) { (call) throws(Failure) in
                try handler.reportPush(call)
            }
        case "SetAllowed":
            call.perform(SetAllowed.self) { (call) throws(Failure) in
                try handler.setAllowed(call)
            }
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}

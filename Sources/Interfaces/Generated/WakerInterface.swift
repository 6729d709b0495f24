// Made from io.waymark.Waker.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// Orders to start services: for the program that asks a service manager to do so, and for no other.
///
/// waymark-waker serves the apps of the machine, over the machine's service manager. An agent of a user serves that
/// user's apps, over the user's own. Both read the manifests themselves, and start nothing but a service that a
/// manifest names.
public enum WakerInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Waker"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.identified
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = []
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = []
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = ["Serve"]
    /// How calls in progress are repeated after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = [:]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case serve = "io.waymark.Waker.Serve"
        case reportOrder = "io.waymark.Waker.ReportOrder"
        case reportService = "io.waymark.Waker.ReportService"
        case reportManager = "io.waymark.Waker.ReportManager"
    }

    /// An app is to be woken: its service is thawed if it is frozen, else started unless it runs.
    public struct Order: VarlinkValue, VarlinkMembers, Equatable {
        /// `app`.
        public var app: String
        /// `number`.
        public var number: Int64

        /// A value of these members.
        public init(app: String, number: Int64 = 0) {
            self.app = app
            self.number = number
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            app = try json.value("app")
            number = try json.optional("number") ?? 0
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("app", of: app)
            writer.member("number", of: number)
        }
    }

    /// The orders for the apps of the machine or of the caller's user. The first reply has no member set. Each later
    /// one has exactly one: all apps whose services are to be watched; an order; or the number of an order that does
    /// not stand any more. An order is given again when the caller has connected again without having reported its
    /// result. Needs `more`.
    public struct Serve: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = WakerInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Waker.Serve"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `Serve`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `watched`.
            public var watched: [String]?
            /// `order`.
            public var order: Order?
            /// `withdrawn`.
            public var withdrawn: Order?

            /// A value of these members.
            public init(watched: [String]? = nil, order: Order? = nil, withdrawn: Order? = nil) {
                self.watched = watched
                self.order = order
                self.withdrawn = withdrawn
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                watched = try json.optional("watched")
                order = try json.optional("order")
                withdrawn = try json.optional("withdrawn")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("watched", of: watched)
                writer.member("order", of: order)
                writer.member("withdrawn", of: withdrawn)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Reports the result of an order.
    public struct ReportOrder: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = WakerInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Waker.ReportOrder"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `app`.
        public var app: String
        /// `number`.
        public var number: Int64
        /// New words may come.
        public var outcome: Outcome

        /// A value of these members.
        public init(app: String, number: Int64, outcome: Outcome) {
            self.app = app
            self.number = number
            self.outcome = outcome
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            app = try json.value("app")
            number = try json.value("number", in: 1...Int64.max)
            outcome = try json.value("outcome")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("app", of: app)
            writer.member("number", of: number)
            writer.member("outcome", of: outcome)
        }
    }

    /// Reports what has happened to the service of an app without an order.
    public struct ReportService: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = WakerInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Waker.ReportService"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `app`.
        public var app: String
        /// New words may come.
        public var observation: Observation

        /// A value of these members.
        public init(app: String, observation: Observation) {
            self.app = app
            self.observation = observation
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            app = try json.value("app")
            observation = try json.value("observation")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("app", of: app)
            writer.member("observation", of: observation)
        }
    }

    /// The service manager can be reached again, after an order was unavailable.
    public struct ReportManager: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = WakerInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Waker.ReportManager"
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

    /// New words may come.
    public struct Outcome: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The service was started.
        public static var started: Self { Self(rawValue: "started") }
        /// The service was frozen, and was thawed.
        public static var thawed: Self { Self(rawValue: "thawed") }
        /// The service runs already.
        public static var alreadyRunning: Self { Self(rawValue: "alreadyRunning") }
        /// The service manager does not start the service now: the service is being stopped, or the manager is
        /// stopping, refuses, or cannot be reached. The app is ordered again after a minute, or after ReportManager.
        public static var unavailable: Self { Self(rawValue: "unavailable") }
        /// a person has stopped the service.
        public static var stopped: Self { Self(rawValue: "stopped") }
        /// a person has masked the service.
        public static var masked: Self { Self(rawValue: "masked") }
        /// There is no such service, or no manifest names one for the app.
        public static var noService: Self { Self(rawValue: "noService") }
        /// The service could not be started.
        public static var notStarted: Self { Self(rawValue: "notStarted") }

        /// The words of this release.
        public static let known: [Self] = [
            .started,
            .thawed,
            .alreadyRunning,
            .unavailable,
            .stopped,
            .masked,
            .noService,
            .notStarted,
        ]
    }

    /// New words may come.
    public struct Observation: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// a person has stopped it.
        public static var stopped: Self { Self(rawValue: "stopped") }
        /// It has failed.
        public static var failed: Self { Self(rawValue: "failed") }
        /// It does not run any more.
        public static var ended: Self { Self(rawValue: "ended") }
        /// It is enabled, or has no such setting.
        public static var enabled: Self { Self(rawValue: "enabled") }
        /// a person has disabled it.
        public static var disabled: Self { Self(rawValue: "disabled") }
        /// a person has masked it.
        public static var masked: Self { Self(rawValue: "masked") }

        /// The words of this release.
        public static let known: [Self] = [
            .stopped,
            .failed,
            .ended,
            .enabled,
            .disabled,
            .masked,
        ]
    }

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// The caller may not receive orders; the message says why.
        case notWaker(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Waker.NotWaker":
                    self = try .notWaker(message: json.value("message"))
                default: return nil
                }
            } catch {
                return nil
            }
        }

        /// The full name.
        public var name: String {
            switch self {
            case .notWaker: "io.waymark.Waker.NotWaker"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .notWaker(let message): message
            }
        }

        /// Whether it means that the caller is not allowed.
        public var isRefusal: Bool {
            switch self {
            case .notWaker: true
            }
        }

        /// Writes the parameters.
        public func writeMembers(to writer: inout JSONWriter) {
            switch self {
            case .notWaker(let message):
                writer.member("message", of: message)
            }
        }
    }

    /// Implements the methods; a reply may come at once or later. A thrown error ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Handles `Serve`.
        func serve(_ call: MethodCall<Serve>) throws(Failure)
        /// Handles `ReportOrder`.
        func reportOrder(_ call: MethodCall<ReportOrder>) throws(Failure)
        /// Handles `ReportService`.
        func reportService(_ call: MethodCall<ReportService>) throws(Failure)
        /// Handles `ReportManager`.
        func reportManager(_ call: MethodCall<ReportManager>) throws(Failure)
    }

    /// Passes a call to the handler's method of its name.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "Serve":
            call.perform(Serve.self) { (call) throws(Failure) in
                try handler.serve(call)
            }
        case "ReportOrder":
            call.perform(ReportOrder.self) { (call) throws(Failure) in
                try handler.reportOrder(call)
            }
        case "ReportService":
            call.perform(ReportService.self) { (call) throws(Failure) in
                try handler.reportService(call)
            }
        case "ReportManager":
            call.perform(ReportManager.self) { (call) throws(Failure) in
                try handler.reportManager(call)
            }
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}

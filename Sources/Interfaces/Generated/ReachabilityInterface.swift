// Made from io.waymark.Reachability.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// Whether and over which route the network can be reached, as the kernel would route a packet, before one is sent.
///
/// Anybody may call. No packet is sent for the result, except queries to name servers for hosts that are given by name.
public enum ReachabilityInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Reachability"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.anyone
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = []
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = []
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = [
        "MonitorPath",
        "MonitorTarget",
    ]
    /// How calls in progress are repeated after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = [
        "GetPath": .unlessSame,
        "MonitorPath": .unlessSame,
        "GetTarget": .unlessSame,
        "MonitorTarget": .unlessSame,
    ]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case getPath = "io.waymark.Reachability.GetPath"
        case monitorPath = "io.waymark.Reachability.MonitorPath"
        case getTarget = "io.waymark.Reachability.GetTarget"
        case monitorTarget = "io.waymark.Reachability.MonitorTarget"
        case reportTarget = "io.waymark.Reachability.ReportTarget"
    }

    /// The path now.
    public struct GetPath: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ReachabilityInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Reachability.GetPath"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetPath`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `path`.
            public var path: NetworkPath

            /// A value of these members.
            public init(path: NetworkPath) {
                self.path = path
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                path = try json.value("path")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("path", of: path)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// The same at once and after every change that is visible in it. A loss is sent at once, and so is a recovery
    /// after a calm period; a recovery soon after another loss is sent once it has lasted. Needs `more`.
    public struct MonitorPath: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ReachabilityInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Reachability.MonitorPath"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `MonitorPath`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `path`.
            public var path: NetworkPath

            /// A value of these members.
            public init(path: NetworkPath) {
                self.path = path
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                path = try json.value("path")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("path", of: path)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Whether the caller can reach a host, given by name or address, and each step that was checked. Waits up to 5 s
    /// for name servers.
    public struct GetTarget: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ReachabilityInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Reachability.GetTarget"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetTarget`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `target`.
            public var target: TargetReachability
            /// `steps`.
            public var steps: [ReachabilityStep]

            /// A value of these members.
            public init(target: TargetReachability, steps: [ReachabilityStep]) {
                self.target = target
                self.steps = steps
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                target = try json.value("target")
                steps = try json.value("steps")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("target", of: target)
                writer.member("steps", of: steps)
            }
        }

        /// `host`.
        public var host: String
        /// `port`.
        public var port: UInt16?

        /// A value of these members.
        public init(host: String, port: UInt16? = nil) {
            self.host = host
            self.port = port
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            host = try json.value("host")
            port = try json.optional("port")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("host", of: host)
            writer.member("port", of: port)
        }
    }

    /// The same without the steps, at once and after every change that is visible in it. Names are resolved again
    /// whenever the path has changed, and every minute while the name does not exist. Needs `more`.
    public struct MonitorTarget: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ReachabilityInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Reachability.MonitorTarget"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `MonitorTarget`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `target`.
            public var target: TargetReachability

            /// A value of these members.
            public init(target: TargetReachability) {
                self.target = target
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                target = try json.value("target")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("target", of: target)
            }
        }

        /// `host`.
        public var host: String
        /// `port`.
        public var port: UInt16?

        /// A value of these members.
        public init(host: String, port: UInt16? = nil) {
            self.host = host
            self.port = port
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            host = try json.value("host")
            port = try json.optional("port")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("host", of: host)
            writer.member("port", of: port)
        }
    }

    /// Reports the outcome of an attempt to reach a host: answered, failed, captive or limited. After three failures in
    /// a row the host is suspect for the caller's user, until it responds or the path changes.
    public struct ReportTarget: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ReachabilityInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Reachability.ReportTarget"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
        public typealias Reply = EmptyReply

        /// `host`.
        public var host: String
        /// `port`.
        public var port: UInt16?
        /// `outcome`.
        public var outcome: ReportedOutcome

        /// A value of these members.
        public init(host: String, port: UInt16? = nil, outcome: ReportedOutcome) {
            self.host = host
            self.port = port
            self.outcome = outcome
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            host = try json.value("host")
            port = try json.optional("port")
            outcome = try json.value("outcome")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("host", of: host)
            writer.member("port", of: port)
            writer.member("outcome", of: outcome)
        }
    }

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// The kernel cannot be queried: its routing sockets could not be opened. The message says why.
        case unavailable(message: String)
        /// The host is neither a name nor an address.
        case invalidHost(message: String)
        /// The caller runs in another network namespace than the daemon watches, so names are not resolved for it.
        case otherNetwork(message: String)
        /// The caller watches too many hosts, or had too many names resolved within the last minute.
        case tooManyTargets(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Reachability.Unavailable":
                    self = try .unavailable(message: json.value("message"))
                case "io.waymark.Reachability.InvalidHost":
                    self = try .invalidHost(message: json.value("message"))
                case "io.waymark.Reachability.OtherNetwork":
                    self = try .otherNetwork(message: json.value("message"))
                case "io.waymark.Reachability.TooManyTargets":
                    self = try .tooManyTargets(message: json.value("message"))
                default: return nil
                }
            } catch {
                return nil
            }
        }

        /// The full name.
        public var name: String {
            switch self {
            case .unavailable: "io.waymark.Reachability.Unavailable"
            case .invalidHost: "io.waymark.Reachability.InvalidHost"
            case .otherNetwork: "io.waymark.Reachability.OtherNetwork"
            case .tooManyTargets: "io.waymark.Reachability.TooManyTargets"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .unavailable(let message): message
            case .invalidHost(let message): message
            case .otherNetwork(let message): message
            case .tooManyTargets(let message): message
            }
        }

        /// Whether it means that the caller is not allowed.
        public var isRefusal: Bool {
            switch self {
            case .otherNetwork: true
            default: false
            }
        }

        /// Writes the parameters.
        public func writeMembers(to writer: inout JSONWriter) {
            switch self {
            case .unavailable(let message):
                writer.member("message", of: message)
            case .invalidHost(let message):
                writer.member("message", of: message)
            case .otherNetwork(let message):
                writer.member("message", of: message)
            case .tooManyTargets(let message):
                writer.member("message", of: message)
            }
        }
    }

    /// Implements the methods; a reply may come at once or later. A thrown error ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Handles `GetPath`.
        func getPath(_ call: MethodCall<GetPath>) throws(Failure)
        /// Handles `MonitorPath`.
        func monitorPath(_ call: MethodCall<MonitorPath>) throws(Failure)
        /// Handles `GetTarget`.
        func getTarget(_ call: MethodCall<GetTarget>) throws(Failure)
        /// Handles `MonitorTarget`.
        func monitorTarget(_ call: MethodCall<MonitorTarget>) throws(Failure)
        /// Handles `ReportTarget`.
        func reportTarget(_ call: MethodCall<ReportTarget>) throws(Failure)
    }

    /// Passes a call to the handler's method of its name.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "GetPath":
            call.perform(GetPath.self) { (call) throws(Failure) in
                try handler.getPath(call)
            }
        case "MonitorPath":
            call.perform(MonitorPath.self) { (call) throws(Failure) in
                try handler.monitorPath(call)
            }
        case "GetTarget":
            call.perform(GetTarget.self) { (call) throws(Failure) in
                try handler.getTarget(call)
            }
        case "MonitorTarget":
            call.perform(MonitorTarget.self) { (call) throws(Failure) in
                try handler.monitorTarget(call)
            }
        case "ReportTarget":
            call.perform(ReportTarget.self) { (call) throws(Failure) in
                try handler.reportTarget(call)
            }
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}

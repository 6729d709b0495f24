// Made from io.waymark.Reachability.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// Whether and how the network can be reached, asked from the kernel: what it would do with a packet, before one is
/// sent.
///
/// Anybody may ask. Nothing is ever sent to find out, except questions to name servers for hosts that are given by
/// name.
public enum ReachabilityInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Reachability"
    /// Who may call the methods, but for those of `operatorMethods`.
    public static let callers = VarlinkCallers.anyone
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = []
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = [
        "MonitorPath",
        "MonitorTarget",
    ]
    /// How calls in progress are made again after a restart; those of other methods are not.
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

        /// What `GetPath` replies.
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

        /// It has no members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// The same at once and after every change that can be seen in it. A loss is told at once, and so is a gain where
    /// there was calm; soon after another loss it is told when it has held. Needs `more`.
    public struct MonitorPath: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ReachabilityInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Reachability.MonitorPath"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// What `MonitorPath` replies.
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

        /// It has no members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Whether a host, given by name or address, can be reached by the caller, and what was looked at. Waits up to 5 s
    /// for name servers.
    public struct GetTarget: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ReachabilityInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Reachability.GetTarget"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// What `GetTarget` replies.
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

    /// The same without the steps, at once and after every change that can be seen in it. Names are looked up again
    /// whenever the path has changed, and every minute while there is no such name. Needs `more`.
    public struct MonitorTarget: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ReachabilityInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Reachability.MonitorTarget"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// What `MonitorTarget` replies.
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

    /// Tells what came of trying to reach a host: answered, failed, captive or limited. Three failures in a row make
    /// the host suspect for the user of the caller, until it answers or the path changes.
    public struct ReportTarget: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = ReachabilityInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Reachability.ReportTarget"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// There is nothing to reply but that it is done.
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
        /// The kernel cannot be asked: its routing sockets could not be opened. The message says why.
        case unavailable(message: String)
        /// The host is no name and no address.
        case invalidHost(message: String)
        /// The caller's program lives in another network than the one that is watched, so that names are not looked up
        /// for it.
        case otherNetwork(message: String)
        /// The caller watches too many hosts, or has had too many names looked up in the last minute.
        case tooManyTargets(message: String)

        /// Reads an error of this interface; nil where it is none, or lacks a parameter.
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

        /// Whether it says that the caller is not allowed.
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

    /// Who answers the calls, at once or later. An error that is thrown ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Answers `GetPath`.
        func getPath(_ call: MethodCall<GetPath>) throws(Failure)
        /// Answers `MonitorPath`.
        func monitorPath(_ call: MethodCall<MonitorPath>) throws(Failure)
        /// Answers `GetTarget`.
        func getTarget(_ call: MethodCall<GetTarget>) throws(Failure)
        /// Answers `MonitorTarget`.
        func monitorTarget(_ call: MethodCall<MonitorTarget>) throws(Failure)
        /// Answers `ReportTarget`.
        func reportTarget(_ call: MethodCall<ReportTarget>) throws(Failure)
    }

    /// Has a handler answer a call.
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

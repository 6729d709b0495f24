// Made from io.waymark.Identity.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// Identifiers for apps that have to know "the same installation" without knowing the person, and the advertising
/// identifier, which an app receives only if the person has allowed it to track.
///
/// An identifier is a random UUID (RFC 9562, version 4) in lower case, made at the first query and stored. The
/// identifier for the vendor is the same for all apps of a vendor of a user, and unrelated for other vendors, users and
/// machines. It is removed with the last app of the vendor, and changed by a reset. The advertising identifier is the
/// same for all apps of a user that may track, unrelated to every other identifier, and changed by a reset. Nothing is
/// computed from anything. An app needs no authorization for positions.
public enum IdentityInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Identity"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.identified
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = []
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = [
        "GetIdentifierForVendor",
        "GetAdvertisingIdentifier",
        "ResetAdvertisingIdentifier",
    ]
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = []
    /// How calls in progress are repeated after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = [
        "GetIdentifierForVendor": .unlessSame,
        "RequestTrackingAuthorization": .unlessSame,
        "GetTrackingAuthorization": .unlessSame,
        "GetAdvertisingIdentifier": .unlessSame,
    ]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case getIdentifierForVendor = "io.waymark.Identity.GetIdentifierForVendor"
        case requestTrackingAuthorization = "io.waymark.Identity.RequestTrackingAuthorization"
        case getTrackingAuthorization = "io.waymark.Identity.GetTrackingAuthorization"
        case getAdvertisingIdentifier = "io.waymark.Identity.GetAdvertisingIdentifier"
        case resetAdvertisingIdentifier = "io.waymark.Identity.ResetAdvertisingIdentifier"
    }

    /// The identifier that all apps of the calling app's vendor share, for this user and machine. The vendor is Vendor=
    /// of the manifest, and without it the app itself, for an instance its template. `vendor` is its name. Durable
    /// before the reply.
    public struct GetIdentifierForVendor: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = IdentityInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Identity.GetIdentifierForVendor"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetIdentifierForVendor`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `identifier`.
            public var identifier: String
            /// `vendor`.
            public var vendor: String

            /// A value of these members.
            public init(identifier: String, vendor: String) {
                self.identifier = identifier
                self.vendor = vendor
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                identifier = try json.value("identifier")
                vendor = try json.value("vendor")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("identifier", of: identifier)
                writer.member("vendor", of: vendor)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Requests authorization to track the person across other companies' apps and websites. The person is asked once,
    /// and the reply comes with the decision; it comes at once where there is no prompt. Needs
    /// UserTrackingUsageDescription in the manifest.
    public struct RequestTrackingAuthorization: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = IdentityInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Identity.RequestTrackingAuthorization"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `RequestTrackingAuthorization`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: TrackingAuthorizationStatus
            /// Why there is no decision; absent where there is one, or where the person closed the prompt. New words
            /// may come.
            public var obstacle: TrackingObstacle?

            /// A value of these members.
            public init(status: TrackingAuthorizationStatus, obstacle: TrackingObstacle? = nil) {
                self.status = status
                self.obstacle = obstacle
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                status = try json.value("status")
                obstacle = try json.optional("obstacle")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("status", of: status)
                writer.member("obstacle", of: obstacle)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Whether the calling app may track the person. It never causes a prompt.
    public struct GetTrackingAuthorization: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = IdentityInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Identity.GetTrackingAuthorization"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetTrackingAuthorization`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `status`.
            public var status: TrackingAuthorizationStatus

            /// A value of these members.
            public init(status: TrackingAuthorizationStatus) {
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

    /// The identifier that all apps of this user that may track share on this machine. All digits are zero unless the
    /// status is authorized. Durable before the reply.
    public struct GetAdvertisingIdentifier: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = IdentityInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Identity.GetAdvertisingIdentifier"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `GetAdvertisingIdentifier`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `identifier`.
            public var identifier: String
            /// `status`.
            public var status: TrackingAuthorizationStatus

            /// A value of these members.
            public init(identifier: String, status: TrackingAuthorizationStatus) {
                self.identifier = identifier
                self.status = status
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                identifier = try json.value("identifier")
                status = try json.value("status")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("identifier", of: identifier)
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

    /// Removes the advertising identifier of the calling user: apps that may track get another one at their next query.
    /// For programs with the user's rights, which an app has only if it is identified by Exec= alone. Returns whether
    /// there was one, when the removal is durable; it is in effect at once.
    public struct ResetAdvertisingIdentifier: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = IdentityInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Identity.ResetAdvertisingIdentifier"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply of `ResetAdvertisingIdentifier`.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `wasReset`.
            public var wasReset: Bool

            /// A value of these members.
            public init(wasReset: Bool) {
                self.wasReset = wasReset
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                wasReset = try json.value("wasReset")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("wasReset", of: wasReset)
            }
        }

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Why there is no decision; absent where there is one, or where the person closed the prompt. New words may come.
    public struct TrackingObstacle: VarlinkWord {
        /// The word in a call or a reply.
        public let rawValue: String
        /// The value for any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no prompt while the app is not in use.
        public static var notInUse: Self { Self(rawValue: "notInUse") }
        /// No agent can show the prompt; it is listed for an operator, or for an agent that registers later.
        public static var agentUnavailable: Self { Self(rawValue: "agentUnavailable") }
        /// The person was asked too often by this app, or by all apps of the user.
        public static var requestedTooOften: Self { Self(rawValue: "requestedTooOften") }

        /// The words of this release.
        public static let known: [Self] = [
            .notInUse,
            .agentUnavailable,
            .requestedTooOften,
        ]
    }

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// The caller is no app, or its user's data is suspended; or it is an app, and the method is for programs with
        /// the user's rights. The message says what to do.
        case notAllowed(message: String)
        /// The manifest of the app does not state why it tracks: the key is missing. There is no prompt without it.
        case purposeMissing(key: String, message: String)
        /// The person is asked already, because of a request of this process.
        case requestInProgress(message: String)
        /// The identifier or decision could not be stored, so it is not in force and the app does not receive it: the
        /// disk is full or broken. Repeat the call later.
        case notStored(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Identity.NotAllowed":
                    self = try .notAllowed(message: json.value("message"))
                case "io.waymark.Identity.PurposeMissing":
                    self = try .purposeMissing(key: json.value("key"), message: json.value("message"))
                case "io.waymark.Identity.RequestInProgress":
                    self = try .requestInProgress(message: json.value("message"))
                case "io.waymark.Identity.NotStored":
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
            case .notAllowed: "io.waymark.Identity.NotAllowed"
            case .purposeMissing: "io.waymark.Identity.PurposeMissing"
            case .requestInProgress: "io.waymark.Identity.RequestInProgress"
            case .notStored: "io.waymark.Identity.NotStored"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .notAllowed(let message): message
            case .purposeMissing(_, let message): message
            case .requestInProgress(let message): message
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
            case .purposeMissing(let key, let message):
                writer.member("key", of: key)
                writer.member("message", of: message)
            case .requestInProgress(let message):
                writer.member("message", of: message)
            case .notStored(let message):
                writer.member("message", of: message)
            }
        }
    }

    /// Implements the methods; a reply may come at once or later. A thrown error ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Handles `GetIdentifierForVendor`.
        func getIdentifierForVendor(_ call: MethodCall<GetIdentifierForVendor>) throws(Failure)
        /// Handles `RequestTrackingAuthorization`.
        func requestTrackingAuthorization(_ call: MethodCall<RequestTrackingAuthorization>) throws(Failure)
        /// Handles `GetTrackingAuthorization`.
        func getTrackingAuthorization(_ call: MethodCall<GetTrackingAuthorization>) throws(Failure)
        /// Handles `GetAdvertisingIdentifier`.
        func getAdvertisingIdentifier(_ call: MethodCall<GetAdvertisingIdentifier>) throws(Failure)
        /// Handles `ResetAdvertisingIdentifier`.
        func resetAdvertisingIdentifier(_ call: MethodCall<ResetAdvertisingIdentifier>) throws(Failure)
    }

    /// Passes a call to the handler's method of its name.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "GetIdentifierForVendor":
            call.perform(GetIdentifierForVendor.self) { (call) throws(Failure) in
                try handler.getIdentifierForVendor(call)
            }
        case "RequestTrackingAuthorization":
            call.perform(RequestTrackingAuthorization.self) { (call) throws(Failure) in
                try handler.requestTrackingAuthorization(call)
            }
        case "GetTrackingAuthorization":
            call.perform(GetTrackingAuthorization.self) { (call) throws(Failure) in
                try handler.getTrackingAuthorization(call)
            }
        case "GetAdvertisingIdentifier":
            call.perform(GetAdvertisingIdentifier.self) { (call) throws(Failure) in
                try handler.getAdvertisingIdentifier(call)
            }
        case "ResetAdvertisingIdentifier":
            call.perform(ResetAdvertisingIdentifier.self) { (call) throws(Failure) in
                try handler.resetAdvertisingIdentifier(call)
            }
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}

// Made from io.waymark.Identity.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// Identifiers for apps that have to know "the same installation" without knowing the person.
///
/// An identifier is a random UUID (RFC 9562, version 4) in lower case, made at the first query and stored. It is the
/// same for all apps of a vendor of a user, and unrelated for other vendors, users and machines: nothing is computed
/// from anything. It is removed with the last app of the vendor, and changed by a reset. An app needs no authorization
/// for positions.
public enum IdentityInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Identity"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.identified
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = []
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = ["GetIdentifierForVendor"]
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = []
    /// How calls in progress are repeated after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = ["GetIdentifierForVendor": .unlessSame]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case getIdentifierForVendor = "io.waymark.Identity.GetIdentifierForVendor"
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

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// The caller is no app, or its user's data is suspended: the message says what to do.
        case notAllowed(message: String)
        /// The identifier could not be stored, so the app does not receive it: the disk is full or broken. Repeat the
        /// call later.
        case notStored(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Identity.NotAllowed":
                    self = try .notAllowed(message: json.value("message"))
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
            case .notStored: "io.waymark.Identity.NotStored"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .notAllowed(let message): message
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
    }

    /// Passes a call to the handler's method of its name.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "GetIdentifierForVendor":
            call.perform(GetIdentifierForVendor.self) { (call) throws(Failure) in
                try handler.getIdentifierForVendor(call)
            }
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}

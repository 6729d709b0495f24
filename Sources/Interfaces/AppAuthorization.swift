import JSONText
import Location
import Varlink

/// What an app is allowed: the `Authorization` of `io.waymark.Location`.
public struct AppAuthorization: Equatable, Sendable {
    /// Whether it may have positions.
    public var status: AuthorizationStatus
    /// How exact they are.
    public var accuracy: AccuracyAuthorization
    /// Why there are none or not the best. Words this version does not know are kept.
    public var diagnostics: [String]
    /// The app that the caller is known as, where a manifest fits it.
    public var app: String?
    /// How well that is proved: `socket`, `unit`, `user` or `program`.
    public var assurance: String?
    /// Whether the app is in use.
    public var isInUse: Bool

    /// An authorization of these parts.
    public init(
        status: AuthorizationStatus, accuracy: AccuracyAuthorization, diagnostics: [String] = [], app: String? = nil,
        assurance: String? = nil, isInUse: Bool = false
    ) {
        self.status = status
        self.accuracy = accuracy
        self.diagnostics = diagnostics
        self.app = app
        self.assurance = assurance
        self.isInUse = isInUse
    }

    /// Reads an authorization; nil where its status or accuracy is missing.
    public init?(_ json: JSON) {
        guard let status = json["status"]?.stringValue.flatMap(AuthorizationStatus.init),
            let accuracy = json["accuracy"]?.stringValue.flatMap(AccuracyAuthorization.init)
        else { return nil }
        self.init(
            status: status, accuracy: accuracy,
            diagnostics: json["diagnostics"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            app: json["app"]?.stringValue, assurance: json["assurance"]?.stringValue,
            isInUse: json["isInUse"]?.boolValue ?? false)
    }

    /// The authorization as a reply carries it.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("status", status.rawValue)
            writer.member("accuracy", accuracy.rawValue)
            writer.member("diagnostics", diagnostics)
            writer.member("app", app)
            writer.member("assurance", assurance)
            writer.member("isInUse", isInUse)
        }
    }
}

/// What a caller of `io.waymark.Location.SetActivity` says.
public struct ActivityRequest: Equatable, Sendable {
    /// What the person does with the app: the `Activity` of `io.waymark.Location`.
    public var activity: Activity

    /// A declaration of this activity.
    public init(_ activity: Activity) { self.activity = activity }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        activity = try json.required("activity", Activity.init)
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { $0.member("activity", activity.rawValue) }
    }
}

/// What a caller of `io.waymark.Location.RequestTemporaryFullAccuracy` asks for.
public struct TemporaryAccuracyRequest: Equatable, Sendable {
    /// The key of the manifest's section `[TemporaryUsage]`.
    public var purposeKey: String

    /// A request for this purpose.
    public init(purposeKey: String) { self.purposeKey = purposeKey }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        purposeKey = try json.required("purposeKey") { $0 }
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { $0.member("purposeKey", purposeKey) }
    }
}

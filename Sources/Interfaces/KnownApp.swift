import JSONText
import Location
import Varlink

/// What is known of an app: the `App` of `io.waymark.Manage`.
public struct KnownApp: Equatable, Sendable {
    /// The name of its manifest without `.app`.
    public var id: String
    /// The user; nil for a manifest that nobody has used yet.
    public var uid: UInt32?
    /// For a person.
    public var name: String?
    /// The manifest's path; nil where it is gone.
    public var manifest: String?
    /// What is in force.
    public var status = AuthorizationStatus.notDetermined
    /// How exact its positions are.
    public var accuracy = AccuracyAuthorization.full
    /// Why it has no positions, or not the best. Words this version does not know are kept.
    public var diagnostics: [String] = []
    /// What is stored.
    public var permission = Permission.notDetermined
    /// Whether the person was asked about Always.
    public var wasAskedAlways = false
    /// When it was decided, seconds since 1970; nil where nothing was.
    public var decidedAt: Double?
    /// By whom: `person`, `operator` or `rule`.
    public var decidedBy: String?
    /// By which user.
    public var decidedByUID: UInt32?
    /// Whether the app is in use.
    public var isInUse = false
    /// Processes of it that are known now.
    public var processes = 0
    /// The weakest proof among them: `socket`, `unit`, `user` or `program`.
    public var assurance: String?
    /// Background activity sessions.
    public var holds = 0

    /// An app of which nothing is known but its name.
    public init(id: String, uid: UInt32? = nil) {
        self.id = id
        self.uid = uid
    }

    /// Reads an app; nil where it has no name or its status is no such word.
    public init?(_ json: JSON) {
        guard let id = json["id"]?.stringValue,
            let status = json["status"]?.stringValue.flatMap(AuthorizationStatus.init)
        else { return nil }
        self.init(id: id, uid: json.userID("uid"))
        self.status = status
        name = json["name"]?.stringValue
        manifest = json["manifest"]?.stringValue
        accuracy = json["accuracy"]?.stringValue.flatMap(AccuracyAuthorization.init) ?? .full
        diagnostics = json["diagnostics"]?.arrayValue?.compactMap(\.stringValue) ?? []
        permission = json["permission"]?.stringValue.flatMap(Permission.init) ?? .notDetermined
        wasAskedAlways = json["wasAskedAlways"]?.boolValue ?? false
        decidedAt = json["decidedAt"]?.numberValue
        decidedBy = json["decidedBy"]?.stringValue
        decidedByUID = json.userID("decidedByUid")
        isInUse = json["isInUse"]?.boolValue ?? false
        processes = json["processes"]?.integerValue.map(Int.init) ?? 0
        assurance = json["assurance"]?.stringValue
        holds = json["holds"]?.integerValue.map(Int.init) ?? 0
    }

    /// The app as a reply carries it.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id)
            writer.member("uid", uid)
            writer.member("name", name)
            writer.member("manifest", manifest)
            writer.member("status", status.rawValue)
            writer.member("accuracy", accuracy.rawValue)
            writer.member("diagnostics", diagnostics)
            writer.member("permission", permission.rawValue)
            writer.member("wasAskedAlways", wasAskedAlways)
            writer.member("decidedAt", decidedAt)
            writer.member("decidedBy", decidedBy)
            writer.member("decidedByUid", decidedByUID)
            writer.member("isInUse", isInUse)
            writer.member("processes", processes)
            writer.member("assurance", assurance)
            writer.member("holds", holds)
        }
    }
}

/// The apps there are: the reply of `io.waymark.Manage.ListApps`.
public struct AppList: Equatable, Sendable {
    /// Those asked for.
    public var apps: [KnownApp]
    /// Whether location services are on.
    public var areServicesEnabled: Bool
    /// Mistakes in manifests and restrictions, each with its file and line.
    public var problems: [String]

    /// A list of these apps.
    public init(apps: [KnownApp], areServicesEnabled: Bool, problems: [String] = []) {
        self.apps = apps
        self.areServicesEnabled = areServicesEnabled
        self.problems = problems
    }

    /// Reads a reply's parameters; nil where they hold no list. Apps that cannot be read are left out.
    public init?(_ json: JSON) {
        guard let apps = json["apps"]?.arrayValue, let isOn = json["servicesEnabled"]?.boolValue else { return nil }
        self.init(
            apps: apps.compactMap(KnownApp.init), areServicesEnabled: isOn,
            problems: json["problems"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }

    /// The members of the reply.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.array("apps") { writer in apps.forEach { $0.write(to: &writer) } }
        writer.member("servicesEnabled", areServicesEnabled)
        writer.member("problems", problems)
    }
}

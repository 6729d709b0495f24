import Location

/// What is stored of an app.
public struct Grant: Equatable, Sendable {
    /// Who decided.
    public enum Decider: Equatable, Sendable {
        /// The person at a prompt.
        case person(uid: UInt32)
        /// An operator.
        case `operator`(uid: UInt32)
        /// The daemon, by its rules.
        case rule
    }

    /// What was decided.
    public var permission: Permission
    /// How exact the positions may be; counts only where any are allowed.
    public var accuracy: AccuracyAuthorization
    /// Whether the person was asked about Always: asked once ever.
    public var wasAskedAlways: Bool
    /// When it was decided, nil where nothing was.
    public var decidedAt: UTCTime?
    /// By whom, nil where nothing was.
    public var decidedBy: Decider?
    /// `ManifestBinding.digest` of the manifest under which it was decided, nil where nothing was.
    public var binding: String?

    /// A grant of these parts: with none of them, that nobody decided anything.
    public init(
        permission: Permission = .notDetermined, accuracy: AccuracyAuthorization = .full,
        wasAskedAlways: Bool = false,
        decidedAt: UTCTime? = nil, decidedBy: Decider? = nil, binding: String? = nil
    ) {
        self.permission = permission
        self.accuracy = accuracy
        self.wasAskedAlways = wasAskedAlways
        self.decidedAt = decidedAt
        self.decidedBy = decidedBy
        self.binding = binding
    }

    /// The state that is reported to an app.
    public var status: AuthorizationStatus { permission.status }
    /// Whether it ends when the app leaves use.
    public var isOnce: Bool { permission == .once }

    var extent: Extent { Extent(permission: permission, accuracy: accuracy) }
}

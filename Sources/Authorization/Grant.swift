import Location

/// The stored authorization of an app.
public struct Grant: Equatable, Sendable {
    /// Who made a decision.
    public enum Decider: Equatable, Sendable {
        /// The person at a prompt.
        case person(uid: UInt32)
        /// An operator.
        case `operator`(uid: UInt32)
        /// The daemon, by its rules.
        case rule

        /// The decider in events: `person UID`, `operator UID` or `rule`.
        public var words: String {
            switch self {
            case .person(let uid): "person \(uid)"
            case .operator(let uid): "operator \(uid)"
            case .rule: "rule"
            }
        }
    }

    /// The permission.
    public var permission: Permission
    /// The permitted accuracy; without effect if no positions are permitted.
    public var accuracy: AccuracyAuthorization
    /// Whether the person was asked about Always, which happens once only.
    public var wasAskedAlways: Bool
    /// When it was decided; nil without a decision.
    public var decidedAt: UTCTime?
    /// Who decided; nil without a decision.
    public var decidedBy: Decider?
    /// `ManifestBinding.digest` of the manifest at the time of the decision; nil without a decision.
    public var binding: String?

    /// A grant with these values; without arguments, the absence of a decision.
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
    /// Whether it ends when the app is no longer in use.
    public var isOnce: Bool { permission == .once }

    /// Whether the permission was revoked: denied, or reset to undecided by a person or operator. The regular end of a
    /// permission granted once is no revocation.
    public var isWithdrawn: Bool {
        switch permission {
        case .denied: true
        case .notDetermined: decidedBy != .rule
        case .once, .whenInUse, .provisionalAlways, .always: false
        }
    }

    var extent: Extent { Extent(permission: permission, accuracy: accuracy) }
}

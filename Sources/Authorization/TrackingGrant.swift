import Location

/// The stored decision about whether an app may track the person.
public struct TrackingGrant: Equatable, Sendable {
    /// What was decided.
    public enum Permission: String, CaseIterable, Sendable {
        case notDetermined, denied, authorized
    }

    /// What was decided.
    public var permission: Permission
    /// When it was decided; nil without a decision.
    public var decidedAt: UTCTime?
    /// Who decided; nil without a decision.
    public var decidedBy: Grant.Decider?
    /// `ManifestBinding.digest` of the manifest at the time of the decision; nil without a decision.
    public var binding: String?

    /// A grant with these values; without arguments, the absence of a decision.
    public init(
        permission: Permission = .notDetermined, decidedAt: UTCTime? = nil, decidedBy: Grant.Decider? = nil,
        binding: String? = nil
    ) {
        self.permission = permission
        self.decidedAt = decidedAt
        self.decidedBy = decidedBy
        self.binding = binding
    }

    /// The status that is reported to the app, without restrictions.
    public var status: TrackingAuthorizationStatus {
        switch permission {
        case .notDetermined: .notDetermined
        case .denied: .denied
        case .authorized: .authorized
        }
    }
}

extension TrackingGrant: Narrowable {
    func narrowed(to other: TrackingGrant) -> TrackingGrant { other.permission == .authorized ? self : other }
}

/// Why a request for tracking has asked nobody, or nobody could answer it yet.
public enum TrackingObstacle: String, CaseIterable, Sendable {
    /// The app is not in use.
    case notInUse
    /// No agent can show the prompt: it is listed for an operator, or for an agent that registers later.
    case agentUnavailable
    /// The person was asked too often by this app or by the user's apps together.
    case requestedTooOften
}

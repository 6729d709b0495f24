import Location

extension Policy {
    /// Who asks for a delivery.
    public enum Requester: Equatable, Sendable {
        /// A process of an app.
        case process(ProcessID)
        /// An operator's program that is no app.
        case `operator`
        /// Anybody else.
        case nobody
    }

    /// Whether something may be delivered to a requester: of a process the rules decide.
    public static func decide(for requester: Requester, ofProcess decide: (ProcessID) -> Decision) -> Decision {
        switch requester {
        case .process(let process): decide(process)
        case .operator: decideForOperator()
        case .nobody: Decision(.refused(.unidentified), .manifestMissing)
        }
    }

    /// What is decided for operators: everything, whatever was granted or forbidden to apps.
    public static func decideForOperator() -> Decision { Decision(.full, []) }

    /// The authorization state that is reported to a requester.
    public static func authorizationState(
        for requester: Requester, ofProcess authorizationState: (ProcessID) -> AuthorizationState
    ) -> AuthorizationState {
        switch requester {
        case .process(let process): authorizationState(process)
        case .operator: AuthorizationState(.authorizedAlways, .full, [])
        case .nobody: AuthorizationState(.notDetermined, .full, .manifestMissing)
        }
    }
}

extension ManifestBinding {
    /// Whether the processes of the app are the system's: known by a system unit or by a socket, whoever's they are.
    public var isSystems: Bool { values[.unit] != nil || values[.socket] != nil }

    /// Whether nothing but these is such an app: no program that a user starts.
    public var isSystemsOnly: Bool { isSystems && values.keys.allSatisfy { $0 == .unit || $0 == .socket } }
}

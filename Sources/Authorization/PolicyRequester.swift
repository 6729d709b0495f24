import Location

extension Policy {
    /// The receiver of a delivery.
    public enum Requester: Equatable, Sendable {
        /// A process of an app.
        case process(ProcessID)
        /// An operator's program that is no app.
        case `operator`
        /// Any other program.
        case nobody
    }

    /// The decision for a requester; for a process, the gate's.
    public static func decide(for requester: Requester, ofProcess decide: (ProcessID) -> Decision) -> Decision {
        switch requester {
        case .process(let process): decide(process)
        case .operator: decideForOperator()
        case .nobody: Decision(.refused(.unidentified), .manifestMissing)
        }
    }

    /// The decision for operators: full access, whatever apps are granted or forbidden.
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
    /// Whether its processes belong to the system because they are identified by a system unit or a socket, whatever
    /// their user.
    public var isSystems: Bool { values[.unit] != nil || values[.socket] != nil }

    /// Whether it has only such keys, so that no program started by a user fits.
    public var isSystemsOnly: Bool { isSystems && values.keys.allSatisfy { $0 == .unit || $0 == .socket } }
}

import Location

/// A set of diagnostics, stored without an allocation.
public struct Diagnostics: OptionSet, Hashable, Sendable {
    /// A bit for each diagnostic, in the order in which `Diagnostic` declares them.
    public let rawValue: UInt16

    /// A set of these bits.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The set of `authorizationDenied` alone.
    public static let authorizationDenied = Diagnostics(.authorizationDenied)
    /// The set of `authorizationDeniedGlobally` alone.
    public static let authorizationDeniedGlobally = Diagnostics(.authorizationDeniedGlobally)
    /// The set of `authorizationRestricted` alone.
    public static let authorizationRestricted = Diagnostics(.authorizationRestricted)
    /// The set of `insufficientlyInUse` alone.
    public static let insufficientlyInUse = Diagnostics(.insufficientlyInUse)
    /// The set of `authorizationRequestInProgress` alone.
    public static let authorizationRequestInProgress = Diagnostics(.authorizationRequestInProgress)
    /// The set of `accuracyLimited` alone.
    public static let accuracyLimited = Diagnostics(.accuracyLimited)
    /// The set of `fullAccuracyDenied` alone.
    public static let fullAccuracyDenied = Diagnostics(.fullAccuracyDenied)
    /// The set of `alwaysAuthorizationDenied` alone.
    public static let alwaysAuthorizationDenied = Diagnostics(.alwaysAuthorizationDenied)
    /// The set of `agentUnavailable` alone.
    public static let agentUnavailable = Diagnostics(.agentUnavailable)
    /// The set of `manifestMissing` alone.
    public static let manifestMissing = Diagnostics(.manifestMissing)

    /// The diagnostics in the set, in the order in which `Diagnostic` declares them.
    public var all: [Diagnostic] { Diagnostic.allCases.filter { contains(Diagnostics($0)) } }

    /// The set of one diagnostic.
    public init(_ diagnostic: Diagnostic) {
        let bit =
            switch diagnostic {
            case .authorizationDenied: 0
            case .authorizationDeniedGlobally: 1
            case .authorizationRestricted: 2
            case .insufficientlyInUse: 3
            case .authorizationRequestInProgress: 4
            case .accuracyLimited: 5
            case .locationUnavailable: 6
            case .stationary: 7
            case .fullAccuracyDenied: 8
            case .alwaysAuthorizationDenied: 9
            case .agentUnavailable: 10
            case .manifestMissing: 11
            }
        self.init(rawValue: 1 << UInt16(bit))
    }
}

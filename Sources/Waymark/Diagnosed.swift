import Interfaces
import Location

/// What says why an app gets no position, or not the best one: updates and authorizations, with the names that the same
/// has in Core Location's `CLLocationUpdate`.
///
/// Several can be true at once. `diagnostics` has the words themselves, those too that this version does not know.
public protocol Diagnosed {
    /// The words as the daemon says them.
    var diagnostics: [String] { get }
}

extension LocationUpdate: Diagnosed {}
extension AppAuthorization: Diagnosed {}

extension Diagnosed {
    /// The person said no.
    public var authorizationDenied: Bool { has(.authorizationDenied) }
    /// Location services are off.
    public var authorizationDeniedGlobally: Bool { has(.authorizationDeniedGlobally) }
    /// A restriction of this machine forbids it; the person cannot change that.
    public var authorizationRestricted: Bool { has(.authorizationRestricted) }
    /// The person is being asked.
    public var authorizationRequestInProgress: Bool { has(.authorizationRequestInProgress) }
    /// Allowed only while in use, and the app is not: see `ActivitySession` and `BackgroundActivitySession`.
    public var insufficientlyInUse: Bool { has(.insufficientlyInUse) }
    /// Positions are of reduced accuracy.
    public var accuracyLimited: Bool { has(.accuracyLimited) }
    /// There is no position; the word after it in `diagnostics` says why.
    public var locationUnavailable: Bool { has(.locationUnavailable) }
    /// Full accuracy was asked for and refused. `CLServiceSession.Diagnostic` has it in Core Location.
    public var fullAccuracyDenied: Bool { has(.fullAccuracyDenied) }
    /// *Always* was asked for and refused. `CLServiceSession.Diagnostic` has it in Core Location.
    public var alwaysAuthorizationDenied: Bool { has(.alwaysAuthorizationDenied) }
    /// There is nobody to ask: no agent of the user runs. Not in Core Location.
    public var agentUnavailable: Bool { has(.agentUnavailable) }
    /// No manifest fits the program, or it is gone. Not in Core Location.
    public var manifestMissing: Bool { has(.manifestMissing) }

    private func has(_ diagnostic: Diagnostic) -> Bool { diagnostics.contains(diagnostic.rawValue) }
}

import Interfaces
import Location

/// Updates and authorizations, which contain the reasons why an app receives no position or a less exact one. The names
/// are those of Core Location's `CLLocationUpdate`.
///
/// Several can be true at the same time. `diagnostics` contains all words, including those that this release does not
/// know.
public protocol Diagnosed {
    /// The words from the daemon.
    var diagnostics: [LocationDiagnostic] { get }
}

extension LocationUpdate: Diagnosed {}
extension AppAuthorization: Diagnosed {}

extension Diagnosed {
    /// The person denied it.
    public var authorizationDenied: Bool { has(.authorizationDenied) }
    /// Location services are off.
    public var authorizationDeniedGlobally: Bool { has(.authorizationDeniedGlobally) }
    /// A restriction of this machine forbids it; the person cannot change that.
    public var authorizationRestricted: Bool { has(.authorizationRestricted) }
    /// A prompt is shown to the person.
    public var authorizationRequestInProgress: Bool { has(.authorizationRequestInProgress) }
    /// Authorized only while in use, and the app is not in use: see `ActivitySession` and `BackgroundActivitySession`.
    public var insufficientlyInUse: Bool { has(.insufficientlyInUse) }
    /// Positions are of reduced accuracy.
    public var accuracyLimited: Bool { has(.accuracyLimited) }
    /// There is no position; another word in `diagnostics` gives the reason.
    public var locationUnavailable: Bool { has(.locationUnavailable) }
    /// Full accuracy was requested and refused. In Core Location it belongs to `CLServiceSession.Diagnostic`.
    public var fullAccuracyDenied: Bool { has(.fullAccuracyDenied) }
    /// *Always* was requested and refused. In Core Location it belongs to `CLServiceSession.Diagnostic`.
    public var alwaysAuthorizationDenied: Bool { has(.alwaysAuthorizationDenied) }
    /// No agent of the user is running, so no prompt can be shown. Not in Core Location.
    public var agentUnavailable: Bool { has(.agentUnavailable) }
    /// No manifest fits the program, or it was removed. Not in Core Location.
    public var manifestMissing: Bool { has(.manifestMissing) }

    private func has(_ diagnostic: LocationDiagnostic) -> Bool { diagnostics.contains(diagnostic) }
}

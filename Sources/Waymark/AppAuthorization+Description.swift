import Interfaces
import Location

extension AppAuthorization: CustomStringConvertible {
    /// The authorization as a sentence for a person, such as "Authorized while in use, with reduced accuracy; the app is
    /// in use."
    public var description: String {
        var parts = [authorized]
        if status == .authorizedWhenInUse || status == .authorizedAlways {
            parts[0] += accuracy == .full ? ", with full accuracy" : ", with reduced accuracy"
            parts.append(isInUse ? "the app is in use" : "the app is not in use")
        }
        if agentUnavailable { parts.append("no agent runs that could ask the person") }
        if authorizationRequestInProgress { parts.append("the person is being asked") }
        return parts.joined(separator: "; ") + "."
    }

    private var authorized: String {
        if manifestMissing { return "Not authorized, because no manifest matches the program" }
        if authorizationDeniedGlobally { return "Not authorized, because location services are off" }
        return switch status {
        case .notDetermined: "Not determined: nobody has decided about the app"
        case .restricted: "Not authorized, because a restriction of this machine forbids it"
        case .denied: "Not authorized, because the person or an operator denied it"
        case .authorizedWhenInUse: "Authorized while in use"
        case .authorizedAlways: "Authorized always"
        }
    }
}

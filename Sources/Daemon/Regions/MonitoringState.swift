import Authorization
import Interfaces

extension RegionDecision.Refusal {
    /// The state of a monitor whose regions are not monitored.
    var monitoringState: RegionsInterface.MonitoringState {
        switch self {
        case .accuracyReduced: .accuracyReduced
        case .refused(let reason):
            switch reason {
            case .unidentified: .notOperator
            case .deniedGlobally: .deniedGlobally
            case .restricted: .restricted
            case .manifestMissing: .manifestMissing
            case .denied: .denied
            case .notDetermined: .notDetermined
            case .notInUse, .alwaysUnconfirmed: .notInUse
            }
        }
    }

    /// Whether the app is still authorized, and may know more later without another decision.
    var isPause: Bool {
        switch self {
        case .refused(let reason): reason.isPause
        case .accuracyReduced: false
        }
    }
}

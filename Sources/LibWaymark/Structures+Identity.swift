import CWaymark
import Interfaces
import Location

// The structures of `waymark.h` about identifiers, made from the types of the interface.

extension waymark_identifier {
    init(_ identifier: String, vendor: String? = nil, _ memory: EventMemory) {
        self.init(identifier: memory.text(identifier), vendor: memory.text(vendor))
    }
}

extension waymark_tracking {
    init(
        _ status: TrackingAuthorizationStatus, obstacle: IdentityInterface.TrackingObstacle? = nil,
        _ memory: EventMemory
    ) {
        let number: waymark_tracking_status =
            switch status {
            case .notDetermined: WAYMARK_TRACKING_NOT_DETERMINED
            case .restricted: WAYMARK_TRACKING_RESTRICTED
            case .denied: WAYMARK_TRACKING_DENIED
            case .authorized: WAYMARK_TRACKING_AUTHORIZED
            }
        let reason: waymark_tracking_obstacle =
            switch obstacle {
            case nil: WAYMARK_TRACKING_OBSTACLE_NONE
            case .notInUse: WAYMARK_TRACKING_OBSTACLE_NOT_IN_USE
            case .agentUnavailable: WAYMARK_TRACKING_OBSTACLE_AGENT_UNAVAILABLE
            case .requestedTooOften: WAYMARK_TRACKING_OBSTACLE_REQUESTED_TOO_OFTEN
            default: WAYMARK_TRACKING_OBSTACLE_OTHER
            }
        self.init(
            status: Int32(number.rawValue), obstacle: Int32(reason.rawValue),
            obstacle_word: memory.text(obstacle?.rawValue))
    }
}

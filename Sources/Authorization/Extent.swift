import Location

/// A permission together with its accuracy.
struct Extent: Equatable {
    var permission: Permission = .notDetermined
    var accuracy: AccuracyAuthorization = .full

    /// What is in effect while a change to another extent is not durable yet: only what both permit.
    func narrowed(to other: Extent) -> Extent {
        guard permission.isAuthorized, other.permission.isAuthorized else {
            return other.permission.isAuthorized ? self : other
        }
        return Extent(
            permission: other.permission.breadth < permission.breadth ? other.permission : permission,
            accuracy: accuracy == .full ? other.accuracy : accuracy)
    }
}

extension Permission {
    /// A rank of the permission: of two, the one with the lower rank never permits what the other does not.
    fileprivate var breadth: Int {
        switch self {
        case .notDetermined, .denied: 0
        case .once: 1
        case .whenInUse: 2
        case .provisionalAlways: 3
        case .always: 4
        }
    }
}

import Location

/// What is allowed, and how exactly.
struct Extent: Equatable {
    var permission: Permission = .notDetermined
    var accuracy: AccuracyAuthorization = .full

    /// What remains in force of this while a decision for another is not durable yet: only what both allow.
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
    /// How much it allows: of two, the one with the lesser breadth never allows what the other does not.
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

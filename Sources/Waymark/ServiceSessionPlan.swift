import Interfaces

/// The decisions of a `ServiceSession`: which request to make, for an authorization of the app. Each is made once.
struct ServiceSessionPlan {
    /// A request of a prompt.
    enum Request: Hashable, Sendable {
        case whenInUse, always
        case fullAccuracy(purposeKey: String)
    }

    let requirement: ServiceSession.AuthorizationRequirement
    let fullAccuracyPurposeKey: String?
    private var made: Set<Request> = []

    init(_ requirement: ServiceSession.AuthorizationRequirement, fullAccuracyPurposeKey: String?) {
        self.requirement = requirement
        self.fullAccuracyPurposeKey = fullAccuracyPurposeKey
    }

    /// The request to make now; nil for none. While the app is not in use, no prompt is shown.
    mutating func next(for authorization: AppAuthorization) -> Request? {
        guard authorization.isInUse, !authorization.authorizationRequestInProgress,
            let request = wanted(for: authorization)
        else { return nil }
        return made.insert(request).inserted ? request : nil
    }

    private func wanted(for authorization: AppAuthorization) -> Request? {
        switch (authorization.status, requirement) {
        case (.notDetermined, .whenInUse): return .whenInUse
        case (.notDetermined, .always): return .always
        case (.authorizedWhenInUse, .always) where !made.contains(.always): return .always
        case (.authorizedWhenInUse, _), (.authorizedAlways, _):
            guard authorization.accuracy == .reduced, let fullAccuracyPurposeKey else { return nil }
            return .fullAccuracy(purposeKey: fullAccuracyPurposeKey)
        case (.notDetermined, .none), (.restricted, _), (.denied, _): return nil
        }
    }
}

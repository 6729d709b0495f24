import Location

/// The inputs of a decision about an app at one instant. The gate uses nothing else.
struct Rules {
    var areServicesOn: Bool
    var isRestricted: Bool
    var limitsToInUse: Bool
    var limitsToReducedAccuracy: Bool
    var hasManifest: Bool
    var isInUse: Bool
    var hasTemporaryFullAccuracy: Bool
    var extent: Extent

    /// The gate: how much may be delivered.
    var access: Decision.Access {
        if !areServicesOn { return .refused(.deniedGlobally) }
        if isRestricted { return .refused(.restricted) }
        if !hasManifest { return .refused(.manifestMissing) }
        switch extent.permission {
        case .notDetermined: return .refused(.notDetermined)
        case .denied: return .refused(.denied)
        case .once, .whenInUse:
            if !isInUse { return .refused(.notInUse) }
        case .provisionalAlways:
            if !isInUse { return .refused(limitsToInUse ? .notInUse : .alwaysUnconfirmed) }
        case .always:
            if !isInUse && limitsToInUse { return .refused(.notInUse) }
        }
        return accuracy == .full ? .full : .reduced
    }

    /// The authorization state that is reported to the app.
    var status: AuthorizationStatus {
        if !areServicesOn { return .denied }
        if isRestricted { return .restricted }
        let status = extent.permission.status
        return status == .authorizedAlways && limitsToInUse ? .authorizedWhenInUse : status
    }

    /// The accuracy of positions.
    var accuracy: AccuracyAuthorization {
        if limitsToReducedAccuracy { return .reduced }
        return hasTemporaryFullAccuracy ? .full : extent.accuracy
    }

    /// Why no positions are delivered, or less exact ones.
    var diagnostics: Diagnostics {
        var diagnostics: Diagnostics =
            switch access {
            case .refused(.deniedGlobally): .authorizationDeniedGlobally
            case .refused(.restricted): .authorizationRestricted
            case .refused(.manifestMissing), .refused(.unidentified): .manifestMissing
            case .refused(.denied): .authorizationDenied
            case .refused(.notInUse), .refused(.alwaysUnconfirmed): .insufficientlyInUse
            case .refused(.notDetermined), .full, .reduced: []
            }
        guard areServicesOn, !isRestricted, extent.permission.isAuthorized else { return diagnostics }
        if accuracy == .reduced { diagnostics.insert(.accuracyLimited) }
        if limitsToReducedAccuracy { diagnostics.insert(.fullAccuracyDenied) }
        if limitsToInUse && extent.permission.status == .authorizedAlways {
            diagnostics.insert(.alwaysAuthorizationDenied)
        }
        return diagnostics
    }
}

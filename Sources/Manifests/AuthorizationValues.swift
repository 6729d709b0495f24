import Authorization
import Location

extension IdentityKey {
    /// The assurance that the key provides.
    public var assurance: Assurance {
        switch self {
        case .socket: .socket
        case .unit: .unit
        case .userUnit, .flatpak: .user
        case .exec: .program
        }
    }
}

extension TranslatedText {
    var localized: LocalizedText { LocalizedText(text, translations: translations) }
}

extension RestrictionRules {
    /// The restrictions as the module `Authorization` uses them.
    public var restrictions: Restrictions {
        var result = Restrictions()
        result.deniesAll = forbidden.contains(.position)
        result.deniedApps = deniedApps
        result.deniedUIDs = deniedUIDs
        result.allowedApps = allowedApps
        result.forbidsAlways = forbidden.contains(.always)
        result.forbidsFullAccuracy = forbidden.contains(.fullAccuracy)
        result.forbidsRecording = forbidden.contains(.recording)
        result.forbidsRegions = forbidden.contains(.regions)
        result.forbidsTracking = forbidden.contains(.tracking)
        result.minimumProtection = minimumProtection
        // The effects of these problems are already in the values above; this explains them.
        result.failures = problems.map { problem in
            Restrictions.Failure(file: problem.file, reason: problem.description, mightMean: forbiddenByProblems)
        }
        return result
    }
}

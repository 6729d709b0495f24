import Authorization
import Location

extension IdentityKey {
    /// How well it proves who a process is.
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

extension ManifestFile {
    /// What the rules of authorization need of it.
    public var manifest: Manifest {
        return Manifest(
            name: name, binding: ManifestBinding(identity), whenInUseUsage: whenInUseUsage, alwaysUsage: alwaysUsage,
            temporaryUsages: temporaryUsages,
            isDefaultAccuracyReduced: isDefaultAccuracyReduced, mayRecord: mayRecord,
            recordedAccuracy: recordedAccuracy, isAlwaysInUse: isAlwaysInUse, isRoots: owner == .root)
    }
}

extension RestrictionRules {
    /// What the rules of authorization need of them.
    public var restrictions: Restrictions {
        var result = Restrictions()
        result.deniesAll = forbidden.contains(.position)
        result.deniedApps = deniedApps
        result.deniedUIDs = deniedUIDs
        result.allowedApps = allowedApps
        result.forbidsAlways = forbidden.contains(.always)
        result.forbidsFullAccuracy = forbidden.contains(.fullAccuracy)
        result.forbidsRecording = forbidden.contains(.recording)
        // What the problems might have meant is in the values above already; this explains why.
        let kinds = forbiddenByProblems.map(\.kind)
        result.failures = problems.map { problem in
            Restrictions.Failure(file: problem.file, reason: problem.description, mightMean: Set(kinds))
        }
        return result
    }
}

extension RestrictionRules.Right {
    fileprivate var kind: Restrictions.Kind {
        switch self {
        case .position: .denial
        case .always: .always
        case .fullAccuracy: .fullAccuracy
        case .recording: .recording
        }
    }
}

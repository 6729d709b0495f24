import Authorization

/// How a recording stands: the words of `io.waymark.Recording`.
enum RecordingState: String, CaseIterable {
    /// Every position that is due is recorded.
    case recording
    /// The app stopped it.
    case stopped
    case denied, deniedGlobally, restricted, notDetermined, notInUse, alwaysUnconfirmed, manifestMissing
    /// The manifest does not say `Record=yes`, or not what for.
    case notAllowed
    /// It would be recorded if there were a position.
    case locationUnavailable
    /// It would be recorded if it could be stored.
    case journalUnavailable

    /// Why nothing is recorded where the gate refuses.
    init(_ reason: Decision.Reason) {
        self =
            switch reason {
            case .unidentified, .manifestMissing: .manifestMissing
            case .deniedGlobally: .deniedGlobally
            case .restricted: .restricted
            case .denied: .denied
            case .notDetermined: .notDetermined
            case .notInUse: .notInUse
            case .alwaysUnconfirmed: .alwaysUnconfirmed
            }
    }
}

/// What bears on the recordings of one app at one moment.
struct RecordingVerdict: Equatable {
    /// What the gate says to recording.
    var decision: Decision
    /// Whether the manifest lets the app record; nil where there is none.
    var manifestAllows: Bool?
    /// How exact positions are, also while the app may have none.
    var accuracy: PositionFeed

    /// Why nothing may be recorded; nil where something may.
    var obstacle: RecordingState? {
        guard let reason = decision.refusal else { return nil }
        // What nobody can decide comes first.
        return manifestAllows == false ? .notAllowed : RecordingState(reason)
    }
}

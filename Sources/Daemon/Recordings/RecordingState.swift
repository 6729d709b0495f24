import Authorization

/// The state of a recording, in the terms of `io.waymark.Recording`.
enum RecordingState: String, CaseIterable {
    /// Every position that is due is recorded.
    case recording
    /// The app stopped it.
    case stopped
    case denied, deniedGlobally, restricted, notDetermined, notInUse, alwaysUnconfirmed, manifestMissing
    /// The manifest does not say `Record=yes`, or states no purpose.
    case notAllowed
    /// Positions would be recorded, but there is none.
    case locationUnavailable
    /// Positions would be recorded, but the journal cannot store them.
    case journalUnavailable
    /// Positions would be recorded, but their class cannot be written while the data is locked.
    case protectedDataUnavailable

    /// The state of a recording for which the gate refuses positions.
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

/// The facts that apply to all recordings of one app at one time.
struct RecordingVerdict: Equatable {
    /// The gate's decision on recording.
    var decision: Decision
    /// Whether the manifest allows the app to record; nil without a manifest.
    var manifestAllows: Bool?
    /// The accuracy that positions for the app would have, even if it may have none at present.
    var accuracy: PositionFeed
    /// Whether the class of the recording cannot be written at present.
    var isLocked = false

    /// Why no position may be recorded; nil if one may.
    var obstacle: RecordingState? {
        guard let reason = decision.refusal else { return isLocked ? .protectedDataUnavailable : nil }
        // An obstacle that no person can decide about comes first.
        return manifestAllows == false ? .notAllowed : RecordingState(reason)
    }
}

import Location

/// A fix that passed the filter's checks, with the corrections that were necessary.
struct BelievedFix {
    /// The source of the horizontal accuracy.
    enum AccuracySource {
        /// Reported by the receiver.
        case reported
        /// Reported earlier by the receiver, and increased with time since.
        case bridged
        /// Assumed, because the receiver never reports it.
        case assumed
    }

    var fix: Fix
    var accuracySource = AccuracySource.reported
    /// Whether its date was corrected by whole eras.
    var hasCorrectedDate = false
}

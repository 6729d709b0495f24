import Location

/// A fix that passed the filter's checks, and what had to be done for it to pass.
struct BelievedFix {
    /// Where its horizontal accuracy is from.
    enum AccuracySource {
        /// The receiver told it.
        case reported
        /// The receiver told it before; it has grown since.
        case bridged
        /// The receiver never tells.
        case assumed
    }

    var fix: Fix
    var accuracySource = AccuracySource.reported
    /// Whether its date was corrected by whole eras.
    var hasCorrectedDate = false
}

import Location

/// The gate's decision about stored rows of a recording.
///
/// A row was a disclosure by the decision at the time of recording. It becomes a disclosure again only by this decision, which is
/// made when it is read. Its accuracy is never changed: a row of full accuracy is withheld where a restriction forbids that,
/// or where the app has reduced accuracy only and its manifest says so (`RecordedAccuracy=present`).
public struct RecordedDecision: Equatable, Sendable {
    /// The rows that may be read.
    public enum Access: Equatable, Sendable {
        /// All rows, as recorded.
        case full
        /// Rows of reduced accuracy. Those of full accuracy are withheld, for this reason.
        case reduced(Withholding)
        /// No rows.
        case refused(Decision.Reason)
    }

    /// Why rows of full accuracy are withheld.
    public enum Withholding: Equatable, Sendable {
        /// A restriction of this machine forbids full accuracy.
        case restriction
        /// The app has reduced accuracy only, and its manifest has `RecordedAccuracy=present`.
        case grant
    }

    /// The rows that may be read.
    public let access: Access

    init(_ access: Access) {
        self.access = access
    }

    /// The reason if no row may be read, otherwise nil.
    public var refusal: Decision.Reason? {
        guard case .refused(let reason) = access else { return nil }
        return reason
    }

    /// Why rows of full accuracy are withheld; nil if they are not, or if no row may be read.
    public var withholding: Withholding? {
        guard case .reduced(let withholding) = access else { return nil }
        return withholding
    }

    /// The `Disclosure` of a row; nil if it is withheld.
    public func view(ofRecorded position: Position) -> Disclosure? {
        switch access {
        case .full: Disclosure(recorded: position)
        case .reduced: position.accuracy == .reduced ? Disclosure(recorded: position) : nil
        case .refused: nil
        }
    }
}

extension Policy {
    /// Which rows of an app's recordings may be read now. Called before a row is read, and again before it is sent.
    ///
    /// An authorized app may read its recordings while it is not in use, and before the person has confirmed Always. Any other
    /// refusal of positions also applies to recorded rows, and no row is more exact than the present restrictions permit.
    public func decideRecorded(for app: AppID, at now: Instant) -> RecordedDecision {
        let rules = rules(for: app, at: now)
        switch rules.access {
        case .full, .reduced, .refused(.notInUse), .refused(.alwaysUnconfirmed): break
        case .refused(let reason): return RecordedDecision(.refused(reason))
        }
        if restrictions.limitsRecording { return RecordedDecision(.refused(.restricted)) }
        if restrictions.limitsToReducedAccuracy { return RecordedDecision(.reduced(.restriction)) }
        if manifests[app]?.recordedAccuracy == .present, rules.accuracy == .reduced {
            return RecordedDecision(.reduced(.grant))
        }
        return RecordedDecision(.full)
    }
}

import Location

/// The gate's decision about the stored rows of a recording: which of them may leave now.
///
/// A row was a disclosure when it was recorded, by the decision of that time. It becomes a disclosure again only by a
/// decision of now, and never a less exact one than it was: a row that is more exact than the decision allows is withheld.
public struct RecordedDecision: Equatable, Sendable {
    /// Which rows may leave.
    public enum Access: Equatable, Sendable {
        /// Every row, as it was recorded.
        case full
        /// Rows of reduced accuracy; rows of full accuracy are withheld, and why.
        case reduced(Withholding)
        /// No row.
        case refused(Decision.Reason)
    }

    /// Why rows of full accuracy are withheld.
    public enum Withholding: Equatable, Sendable {
        /// A restriction of this machine forbids full accuracy.
        case restriction
        /// The app may have reduced positions only, and its manifest says `RecordedAccuracy=present`.
        case grant
    }

    /// Which rows may leave.
    public let access: Access

    init(_ access: Access) {
        self.access = access
    }

    /// Whether no row may leave, and why; nil where some may.
    public var refusal: Decision.Reason? {
        guard case .refused(let reason) = access else { return nil }
        return reason
    }

    /// Why rows of full accuracy are withheld; nil where they are not, or where no row may leave.
    public var withholding: Withholding? {
        guard case .reduced(let withholding) = access else { return nil }
        return withholding
    }

    /// What may be seen of a row: a `Disclosure` where the row may leave, nil where it is withheld.
    public func view(ofRecorded position: Position) -> Disclosure? {
        switch access {
        case .full: Disclosure(recorded: position)
        case .reduced: position.accuracy == .reduced ? Disclosure(recorded: position) : nil
        case .refused: nil
        }
    }
}

extension Policy {
    /// Which rows of an app's recordings may leave now: asked before a row is read, and again before it is sent.
    ///
    /// An app that is authorized may read what was recorded for it also while it is not in use. Everything else that takes
    /// positions from it takes its recorded rows, too, and no row is more exact than the restrictions in force.
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

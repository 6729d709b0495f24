import Location

/// The gate's decision about a delivery. Only the gate makes decisions, and only a decision makes a `Disclosure` for an
/// app.
public struct Decision: Equatable, Sendable {
    /// How much may be delivered.
    public enum Access: Equatable, Sendable {
        case full, reduced
        case refused(Reason)
    }

    /// Why nothing may be delivered.
    public enum Reason: String, CaseIterable, Sendable {
        /// The process is not, or no longer, identified as an app's.
        case unidentified
        /// Location services are off.
        case deniedGlobally
        /// A restriction of this machine forbids it.
        case restricted
        /// The app's manifest was removed.
        case manifestMissing
        /// A person or an operator denied it.
        case denied
        /// No decision was made.
        case notDetermined
        /// It is permitted while in use, and the app is not in use.
        case notInUse
        /// A provisional Always has to be confirmed: send `positionDue` to the policy, which then raises the prompt.
        case alwaysUnconfirmed
    }

    /// How much may be delivered.
    public let access: Access
    /// Why it is not more.
    public let diagnostics: Diagnostics

    init(_ access: Access, _ diagnostics: Diagnostics) {
        self.access = access
        self.diagnostics = diagnostics
    }

    /// The reason for a refusal; nil if something may be delivered.
    public var refusal: Reason? {
        guard case .refused(let reason) = access else { return nil }
        return reason
    }

    /// The `Disclosure` of a fix if full accuracy is permitted, otherwise nil. A reduced position is never made from a
    /// fix alone.
    public func view(of fix: Fix) -> Disclosure? {
        access == .full ? Disclosure(fix) : nil
    }

    /// The `Disclosure` of a reduced fix if access is reduced, otherwise nil. A requester with full access receives
    /// fixes instead.
    public func view(of reduced: ReducedFix) -> Disclosure? {
        access == .reduced ? Disclosure(reduced) : nil
    }

    /// The disclosure of a visit: for full accuracy only, because a visit is a position for minutes.
    public func view(of visit: Visit) -> VisitDisclosure? {
        access == .full ? VisitDisclosure(visit) : nil
    }

    /// The disclosure of a heading: for full accuracy only, because its declination reveals the region.
    public func view(of heading: Heading) -> HeadingDisclosure? {
        access == .full ? HeadingDisclosure(heading) : nil
    }

    /// The disclosure of the satellites: for full accuracy only.
    public func view(of sky: SkyView) -> SkyDisclosure? {
        access == .full ? SkyDisclosure(sky) : nil
    }
}

extension Decision.Reason {
    /// A sentence for a person, with the next step.
    public var message: String {
        switch self {
        case .unidentified: "This program has no manifest that fits it: install one, and connect again."
        case .deniedGlobally:
            "Location services are off on this machine: `waymark services on` turns them on."
        case .restricted: "A restriction of this machine forbids it: see /etc/waymark/restrictions.d."
        case .manifestMissing:
            "The manifest of this app was removed: the app receives no positions until it is restored."
        case .denied: "This app may not have positions: `waymark authorize` changes that."
        case .notDetermined:
            "Nobody has decided yet whether this app may have positions. It has to request them, or an operator"
                + " decides: `waymark apps` shows how."
        case .notInUse: "This app may have positions only while it is in use."
        case .alwaysUnconfirmed:
            "This app may have positions in the background only once that is confirmed."
        }
    }
}

import Location

/// What the gate says to a delivery. Only the gate makes decisions, and only a decision makes a `Disclosure` for an app.
public struct Decision: Equatable, Sendable {
    /// How much may be delivered.
    public enum Access: Equatable, Sendable {
        case full, reduced
        case refused(Reason)
    }

    /// Why nothing may be delivered.
    public enum Reason: String, CaseIterable, Sendable {
        /// The process is not, or no longer, known to be of an app.
        case unidentified
        /// Location services are off.
        case deniedGlobally
        /// A restriction of this machine forbids it.
        case restricted
        /// The manifest of the app is gone.
        case manifestMissing
        /// Somebody said no.
        case denied
        /// Nobody has decided.
        case notDetermined
        /// Allowed while in use, which the app is not.
        case notInUse
        /// Always is still to be confirmed: notify the policy that a position is due, so that it asks the person.
        case alwaysUnconfirmed
    }

    /// How much may be delivered.
    public let access: Access
    /// Why not more.
    public let diagnostics: Diagnostics

    init(_ access: Access, _ diagnostics: Diagnostics) {
        self.access = access
        self.diagnostics = diagnostics
    }

    /// Whether nothing may be delivered, and why; nil where something may.
    public var refusal: Reason? {
        guard case .refused(let reason) = access else { return nil }
        return reason
    }

    /// What may be seen of a fix: a `Disclosure` where it may be seen as it is, nil otherwise. A reduced position is
    /// never made from a fix alone.
    public func view(of fix: Fix) -> Disclosure? {
        access == .full ? Disclosure(fix) : nil
    }

    /// What may be seen of a reduced fix: a `Disclosure` where access is reduced, nil otherwise. Who may see fixes as they
    /// are gets those, and not both.
    public func view(of reduced: ReducedFix) -> Disclosure? {
        access == .reduced ? Disclosure(reduced) : nil
    }

    /// What may be seen of the sky: full accuracy only.
    public func view(of sky: SkyView) -> SkyDisclosure? {
        access == .full ? SkyDisclosure(sky) : nil
    }
}

extension Decision.Reason {
    /// A sentence for a person, with what to do.
    public var message: String {
        switch self {
        case .unidentified: "This program has no manifest that fits it: install one, and connect again."
        case .deniedGlobally:
            "Location services are off on this machine: `waymark services on` turns them on."
        case .restricted: "A restriction of this machine forbids it: see /etc/waymark/restrictions.d."
        case .manifestMissing: "The manifest of this app is gone: it gets nothing until that is back."
        case .denied: "This app may not have positions: `waymark authorize` changes that."
        case .notDetermined:
            "Nobody has decided yet whether this app may have positions: it has to ask."
        case .notInUse: "This app may have positions only while it is in use."
        case .alwaysUnconfirmed:
            "This app may have positions in the background only once that is confirmed."
        }
    }
}

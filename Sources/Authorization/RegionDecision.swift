import Location

/// A type that contains what is known about a region: whether the machine is in it, or an event at its border. That
/// discloses a place, so that it leaves the daemon only as a `RegionDisclosure`.
public protocol RegionInformation: Sendable {}

/// What one requester may know about a region. Only the gate creates these.
public struct RegionDisclosure<Content: RegionInformation>: Sendable {
    /// The disclosed state or event.
    public let content: Content

    init(_ content: Content) {
        self.content = content
    }
}

/// The gate's decision about the regions of an app, or of an operator.
public struct RegionDecision: Equatable, Sendable {
    /// Why regions are not monitored and nothing about them is disclosed.
    public enum Refusal: Equatable, Sendable {
        /// The gate refuses positions, or a restriction forbids regions.
        case refused(Decision.Reason)
        /// The app may have positions of reduced accuracy only. A region would disclose more.
        case accuracyReduced
    }

    /// The reason for a refusal; nil if regions are monitored.
    public let refusal: Refusal?

    init(_ refusal: Refusal?) {
        self.refusal = refusal
    }

    /// Whether regions are monitored, and their events disclosed.
    public var isPermitted: Bool { refusal == nil }

    /// The disclosure of a state or an event; nil if it is refused.
    public func view<Content: RegionInformation>(of content: Content) -> RegionDisclosure<Content>? {
        isPermitted ? RegionDisclosure(content) : nil
    }
}

extension Policy {
    /// Whether the regions of an app are monitored now, and their states and events disclosed to it. Called for every fix
    /// and before every disclosure.
    public func decideRegions(for app: AppID, at now: Instant) -> RegionDecision {
        let access = decide(for: app, at: now).access
        switch access {
        case .full, .reduced, .refused(.notInUse), .refused(.alwaysUnconfirmed): break
        case .refused(let reason): return RegionDecision(.refused(reason))
        }
        guard !restrictions.limitsRegions else { return RegionDecision(.refused(.restricted)) }
        switch access {
        case .full: return RegionDecision(nil)
        case .reduced: return RegionDecision(.accuracyReduced)
        case .refused(let reason): return RegionDecision(.refused(reason))
        }
    }

    /// The decision for a requester that is no app: operators have full access, whatever apps are granted or forbidden.
    public static func decideRegions(isOperator: Bool) -> RegionDecision {
        RegionDecision(isOperator ? nil : .refused(.unidentified))
    }
}

/// The request to make and delete zones of a private database.
public struct ModifyZones: Equatable, Sendable {
    /// The container.
    public var container: Container
    /// The account whose database it is.
    public var owner: AccountID
    /// The zones to make. One that exists stays as it is.
    public var saves: [ZoneName]
    /// The zones to delete.
    public var deletions: [ZoneName]
    /// Why they are deleted.
    public var reason: ZoneDeletionReason

    /// A request of these parts.
    public init(
        _ container: Container, of owner: AccountID, saves: [ZoneName] = [], deletions: [ZoneName] = [],
        reason: ZoneDeletionReason = .deleted
    ) {
        self.container = container
        self.owner = owner
        self.saves = saves
        self.deletions = deletions
        self.reason = reason
    }

    /// The names of all zones, in the order of the answer: first those to save.
    public var names: [ZoneName] { saves + deletions }

    /// The refusal of a request that exceeds a limit or contradicts itself, whatever is stored.
    func refusal(_ limits: Limits) -> Refusal? {
        let names = names
        if let refusal = limits.refusal(names.count, .zonesOfRequest) { return refusal }
        guard !names.contains(.defaultZone) else { return .invalidRequest(.defaultZone) }
        return Set(names).count == names.count ? nil : .invalidRequest(.namedTwice)
    }
}

/// What became of one zone of a request to modify.
public enum ZoneOutcome: String, Sendable, CaseIterable {
    /// It exists now.
    case saved
    /// It is deleted, or did not exist.
    case deleted
}

/// The answer to a request to modify zones.
public enum ModifyZonesAnswer: Equatable, Sendable {
    /// The outcome of each zone, in the order of the request: saves, then deletions.
    case outcomes([ZoneOutcome])
    /// Nothing was changed.
    case refused(Refusal)
}

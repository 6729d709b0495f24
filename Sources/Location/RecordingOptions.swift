/// Selects which fixes a recording stores.
public struct RecordingOptions: Hashable, Sendable {
    /// What happens to unacknowledged positions when the app loses its authorization.
    public enum OnRevoke: String, CaseIterable, Sendable {
        /// They remain, and can be read once the app is authorized again.
        case keep
        /// The whole recording is erased, because the person has refused.
        case erase
    }

    /// Metres; less accurate positions are not recorded, except the best one available. Nil means any accuracy.
    public var desiredAccuracy: Double?
    /// The least distance in metres from the last recorded position.
    public var distanceFilter: Double?
    /// The least seconds since the last recorded position.
    public var interval: Double?
    /// What happens to unacknowledged positions on a revocation.
    public var onRevoke: OnRevoke

    /// Creates options; omitted ones have no effect.
    public init(
        desiredAccuracy: Double? = nil, distanceFilter: Double? = nil, interval: Double? = nil,
        onRevoke: OnRevoke = .erase
    ) {
        self.desiredAccuracy = desiredAccuracy
        self.distanceFilter = distanceFilter
        self.interval = interval
        self.onRevoke = onRevoke
    }
}

/// What a recording keeps of all fixes.
public struct RecordingOptions: Hashable, Sendable {
    /// What becomes of positions that are not acknowledged yet when the app loses its authorization.
    public enum OnRevoke: String, CaseIterable, Sendable {
        /// They stay, and can be read once the app is authorized again.
        case keep
        /// The whole recording is forgotten: the person said no.
        case erase
    }

    /// Metres; worse positions are not recorded, but for the best there is. Nil means any accuracy.
    public var desiredAccuracy: Double?
    /// Metres from the last one recorded, at least.
    public var distanceFilter: Double?
    /// Seconds after the last one recorded, at least.
    public var interval: Double?
    /// What a revocation does.
    public var onRevoke: OnRevoke

    /// Options of these parts; what is left out is not asked for.
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

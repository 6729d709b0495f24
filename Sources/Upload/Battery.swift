/// The charge of the machine's battery, for formats that report it.
public struct Battery: Equatable, Sendable {
    /// What the battery does.
    public enum State: Sendable {
        /// It is not known, or the battery waits.
        case unknown
        /// It supplies the machine.
        case unplugged
        /// It is being charged.
        case charging
        /// It is full.
        case full
    }

    /// The charge in percent, 0 to 100.
    public let level: Int
    /// What the battery does.
    public let state: State

    /// A battery with this charge in percent; one outside 0…100 is limited to that range.
    public init(level: Int, state: State) {
        self.level = min(max(level, 0), 100)
        self.state = state
    }
}

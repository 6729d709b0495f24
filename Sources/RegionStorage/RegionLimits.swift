/// How many monitors and regions may be stored.
public struct RegionLimits: Equatable, Sendable {
    /// The most monitors of one owner.
    public var monitors: Int
    /// The most regions of one monitor.
    public var regionsOfMonitor: Int
    /// The most regions of one owner.
    public var regionsOfOwner: Int
    /// The most regions of all owners with the same user.
    public var regionsOfUser: Int

    /// Limits.
    public init(monitors: Int, regionsOfMonitor: Int, regionsOfOwner: Int, regionsOfUser: Int) {
        self.monitors = monitors
        self.regionsOfMonitor = regionsOfMonitor
        self.regionsOfOwner = regionsOfOwner
        self.regionsOfUser = regionsOfUser
    }

    /// No limits.
    public static let none = RegionLimits(
        monitors: .max, regionsOfMonitor: .max, regionsOfOwner: .max, regionsOfUser: .max)
}

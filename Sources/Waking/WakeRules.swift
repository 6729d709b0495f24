import Durations

/// The limits of waking, from the configuration.
public struct WakeRules: Equatable, Sendable {
    /// Wakes of one app within an hour.
    public var perHour = 20
    /// Wakes of one app at once.
    public var burst = 5
    /// How long a woken app may take until it attaches.
    public var attachWithin = Duration.seconds(30)
    /// After this many wakes in a row without success an app is no longer woken.
    public static let failuresBeforePause = 3
    /// After the program that starts services could not start one now, such as one that is just being stopped, it is ordered
    /// again no sooner than this, unless that program reports that it can.
    public static let unavailableFor = Duration.seconds(60)

    /// The defaults.
    public init() {}

    /// The time after which an app may be woken once more, in microseconds.
    var interval: Int64 { 3_600_000_000 / Int64(max(perHour, 1)) }
}

/// The commands that a destination has sent, in a response or in a message of its broker.
public struct RemoteCommands: Equatable, Sendable {
    /// Whether the newest position is requested.
    public var reportsLocation = false
    /// Commands that are not known, not legible or not permitted.
    public var ignored = 0

    /// No commands.
    public init() {}

    /// Whether there are none.
    public var isEmpty: Bool { self == RemoteCommands() }

    /// The most bytes of a message that are evaluated. A longer message counts as one ignored command.
    public static let longestMessage = 4_096
}

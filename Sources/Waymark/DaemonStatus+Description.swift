import Interfaces

extension DaemonStatus: CustomStringConvertible {
    /// The state of the daemon in a sentence, such as `ok: Waymark 0.1.0 has a position.`
    public var description: String { summary.isEmpty ? health : "\(health): \(summary)" }
}

import Platform

/// Where a part of the daemon reports a change without knowing the parts that it concerns.
///
/// A change is handled before `report` returns: what an app may no longer have is withdrawn before the reporting part
/// does anything else.
/// does anything else.
@DaemonActor
final class Changes {
    /// Handles each change. Nothing is handled until it is set.
    var react: @DaemonActor (Change) -> Void

    init(_ react: @escaping @DaemonActor (Change) -> Void = { _ in }) {
        self.react = react
    }

    /// Passes a change to all parts that it concerns.
    func report(_ change: Change) { react(change) }
}

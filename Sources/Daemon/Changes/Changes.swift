import Platform

/// Receives the changes that a part of the daemon reports. The part does not know which other parts a change concerns.
///
/// A change is handled before `report` returns: what an app may no longer have is withdrawn before the reporting part
/// does anything else.
/// does anything else.
@DaemonActor
final class Changes {
    /// Acts upon each change; does nothing until it is set.
    var react: @DaemonActor (Change) -> Void

    init(_ react: @escaping @DaemonActor (Change) -> Void = { _ in }) {
        self.react = react
    }

    /// Has all parts act upon a change that it concerns.
    func report(_ change: Change) { react(change) }
}

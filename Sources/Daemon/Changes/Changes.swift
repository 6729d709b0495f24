import Platform

/// Where a part of the daemon reports what has changed, without knowing whom it concerns.
///
/// A change is acted upon before `report` returns: what an app may no longer have is withdrawn before the part that noticed
/// does anything else.
@DaemonActor
final class Changes {
    /// What is done about each change. Until it is set, nothing.
    var react: @DaemonActor (Change) -> Void

    init(_ react: @escaping @DaemonActor (Change) -> Void = { _ in }) {
        self.react = react
    }

    /// Has everybody act upon a change whom it concerns.
    func report(_ change: Change) { react(change) }
}

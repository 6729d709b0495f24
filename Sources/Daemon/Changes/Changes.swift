import Platform

/// Receives the changes that a part of the daemon reports. The part does not know which other parts a change concerns.
///
/// A change is handled before `report` returns. So positions that an app may no longer receive are withdrawn before the
/// reporting part does anything else.
@DaemonActor
final class Changes {
    /// Notifies the parts that a change concerns; does nothing until it is set.
    var react: @DaemonActor (Change) -> Void

    init(_ react: @escaping @DaemonActor (Change) -> Void = { _ in }) {
        self.react = react
    }

    /// Reports a change to all parts that it concerns.
    func report(_ change: Change) { react(change) }
}

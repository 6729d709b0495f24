import Location
import Platform

/// How many positions an app, or an operator, was given and not yet told to the journal.
@DaemonActor
final class SeenCounter {
    private(set) var fullInUse = 0
    private(set) var fullInBackground = 0
    private(set) var reducedInUse = 0
    private(set) var reducedInBackground = 0
    /// Whether it was written: what is seen from now on is counted by another.
    var isOver = false
    /// Called with the first after there were none.
    private let onFirst: @DaemonActor () -> Void

    init(onFirst: @escaping @DaemonActor () -> Void) {
        self.onFirst = onFirst
    }

    /// Whether there are none.
    var isEmpty: Bool { fullInUse + fullInBackground + reducedInUse + reducedInBackground == 0 }

    /// Counts one.
    func count(_ accuracy: AccuracyAuthorization, isInUse: Bool) {
        if isEmpty { onFirst() }
        switch (accuracy, isInUse) {
        case (.full, true): fullInUse += 1
        case (.full, false): fullInBackground += 1
        case (.reduced, true): reducedInUse += 1
        case (.reduced, false): reducedInBackground += 1
        }
    }
}

import Location
import Platform

/// The positions that an app or operator received and that are not written to the journal yet.
@DaemonActor
final class SeenCounter {
    private(set) var fullInUse = 0
    private(set) var fullInBackground = 0
    private(set) var reducedInUse = 0
    private(set) var reducedInBackground = 0
    /// Whether the count was written. Later positions belong to another counter.
    var isOver = false

    /// Whether no position was counted.
    var isEmpty: Bool { fullInUse + fullInBackground + reducedInUse + reducedInBackground == 0 }

    /// Counts a position.
    func count(_ accuracy: AccuracyAuthorization, isInUse: Bool) {
        switch (accuracy, isInUse) {
        case (.full, true): fullInUse += 1
        case (.full, false): fullInBackground += 1
        case (.reduced, true): reducedInUse += 1
        case (.reduced, false): reducedInBackground += 1
        }
    }
}

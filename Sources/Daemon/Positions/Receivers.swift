import Location
import Platform

/// A source of fixes that produces them only while somebody needs them.
@DaemonActor
protocol FixSource: AnyObject {
    /// One more part needs fixes.
    func need()
    /// One part fewer needs them.
    func release()
    /// Why no fix will come, by the configuration alone; nil where one may come.
    var hopeless: PositionUnavailable? { get }
}

/// The sources of full and of reduced positions.
@DaemonActor
protocol PositionReceivers {
    /// One more part needs positions of this kind.
    func need(_ feed: PositionFeed)
    /// One part fewer needs positions of this kind.
    func release(_ feed: PositionFeed)
    /// Whether there is a position of this kind at present.
    func hasPosition(_ feed: PositionFeed) -> Bool
    /// The reduced position that is shown, and whether it was shown before the daemon started.
    var shownReduced: (fix: ReducedFix, isRestored: Bool)? { get }
}

/// The receiver for full positions, and the one made of it for reduced positions.
struct Receivers: PositionReceivers {
    let full: Pipeline
    let reduced: ReducedReceiver

    func need(_ feed: PositionFeed) {
        switch feed {
        case .none: break
        case .full: full.need()
        case .reduced: reduced.need()
        }
    }

    func release(_ feed: PositionFeed) {
        switch feed {
        case .none: break
        case .full: full.release()
        case .reduced: reduced.release()
        }
    }

    func hasPosition(_ feed: PositionFeed) -> Bool {
        switch feed {
        case .none: false
        case .full: full.unavailable == nil
        // It does not follow the receiver, which would reveal more than a cell.
        case .reduced: reduced.unavailable == nil
        }
    }

    var shownReduced: (fix: ReducedFix, isRestored: Bool)? {
        reduced.current.map { ($0, isRestored: $0 == reduced.restored) }
    }
}

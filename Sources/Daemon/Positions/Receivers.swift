import Location
import Platform

/// A source of fixes that is active only while it is needed.
@DaemonActor
protocol FixSource: AnyObject {
    /// Adds a part that needs fixes.
    func need()
    /// Removes a part that needs fixes.
    func release()
    /// Why the configuration excludes any fix; nil if it does not.
    var hopeless: PositionUnavailable? { get }
}

/// The sources of full and of reduced positions.
@DaemonActor
protocol PositionReceivers {
    /// Adds a part that needs positions of this kind.
    func need(_ feed: PositionFeed)
    /// Removes a part that needs positions of this kind.
    func release(_ feed: PositionFeed)
    /// Whether there is a position of this kind at present.
    func hasPosition(_ feed: PositionFeed) -> Bool
    /// The released reduced position, and whether it was released before the daemon started.
    var shownReduced: (fix: ReducedFix, isRestored: Bool)? { get }
}

/// The receiver for full positions, and the one for reduced positions that is derived from it.
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
        // Independent of the receiver's state, which would reveal more than a cell.
        case .reduced: reduced.unavailable == nil
        }
    }

    var shownReduced: (fix: ReducedFix, isRestored: Bool)? {
        reduced.current.map { ($0, isRestored: $0 == reduced.restored) }
    }
}

import Location
import Platform

extension RecordingRegistry.Receivers {
    /// The receiver for recordings with full accuracy, and the source of reduced positions for the others.
    @DaemonActor
    init(_ pipeline: Pipeline, _ reduced: ReducedReceiver) {
        need = { feed in
            switch feed {
            case .none: break
            case .full: pipeline.need()
            case .reduced: reduced.need()
            }
        }
        release = { feed in
            switch feed {
            case .none: break
            case .full: pipeline.release()
            case .reduced: reduced.release()
            }
        }
        hasPosition = { feed in
            switch feed {
            case .none: false
            case .full: pipeline.unavailable == nil
            // This does not follow the receiver's state, which would reveal more than the grid cell.
            case .reduced: reduced.unavailable == nil
            }
        }
        shownReduced = { reduced.current.map { ($0, isRestored: $0 == reduced.restored) } }
    }
}

import Interfaces

extension RegionRegistry {
    /// The regions' part of the daemon's status.
    func status(streams: Int) -> DaemonStatus.Regions {
        var status = DaemonStatus.Regions()
        for watch in watches.values {
            status.monitors += Int64(watch.monitors.count)
            status.regions += Int64(watch.regionCount)
            if watch.isMonitoring { status.monitoring += Int64(watch.monitors.count) }
            status.pending += Int64(watch.pendingCount)
            status.dropped += Int64(watch.track?.dropped ?? 0)
        }
        status.streams = Int64(streams)
        status.events = Int64(eventCount)
        status.passes = Int64(passCount)
        status.dropped += Int64(droppedCount)
        status.problem =
            switch state {
            case .locked(let reason), .failed(let reason): "Regions cannot be read: \(reason)."
            case .opening, .ready: problem
            }
        return status
    }
}

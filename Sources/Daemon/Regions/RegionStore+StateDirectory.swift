import Platform
import RegionStorage

extension RegionStore {
    /// The store in a state directory of the daemon: it delivers results on the loop's thread, and logs what was lost where
    /// its file was damaged.
    convenience init(stateDirectory: String, clock: any TimeSource) throws(SystemError) {
        try self.init(
            directory: stateDirectory, clock: clock,
            deliver: { work in DaemonActor.post { work() } },
            report: { report in
                DaemonActor.assumeIsolated {
                    if case .damaged(let file, let reason, let restored, let lost) = report {
                        Log.error(
                            "the stored regions were damaged (\(reason)): \(restored) restored, \(lost) lost, the old file"
                                + " is \(file)")
                    }
                }
            })
    }
}

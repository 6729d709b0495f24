import Durations
import Records

/// The failures of an engine that the log has already: while a database cannot be reached every request fails for one reason.
struct LoggedFailures {
    private var latest: (failure: EngineFailure, until: UInt64)?

    private static let pause = Duration.seconds(60)

    /// Whether a failure is to be logged, because the last one was another one or is some time ago.
    mutating func isNew(_ failure: EngineFailure, at now: UInt64) -> Bool {
        if let latest, latest.failure == failure, now < latest.until { return false }
        latest = (failure, now.after(Self.pause))
        return true
    }
}

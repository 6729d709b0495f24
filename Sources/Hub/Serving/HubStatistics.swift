import Platform

/// What the hub has done since its start.
@DaemonActor
final class HubStatistics {
    /// Responses by their status.
    private(set) var responses: [Int: Int] = [:]
    /// Requests that were answered with a push.
    var pushes = 0
    /// Requests that were refused with a time after which to repeat them.
    var postponed = 0
    /// Tasks that failed because of the engine.
    var failures = 0

    func count(_ status: Int) { responses[status, default: 0] += 1 }
}

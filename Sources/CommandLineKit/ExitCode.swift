/// What a program of Waymark's ends with, exit(3).
public enum ExitCode: Int32, CaseIterable, Sendable {
    /// What was asked for was done.
    case success = 0
    /// It failed for a reason that has no number of its own.
    case failure = 1
    /// The command line was not understood.
    case usage = 2
    /// The daemon does not run.
    case notRunning = 3
    /// The daemon refused: the caller may not have it.
    case notAuthorized = 4
    /// There is no position.
    case noPosition = 5
    /// There is no network, or the host cannot be reached.
    case notReachable = 6
    /// Ended by Ctrl-C before it was done: 128 and the number of SIGINT, as shells count.
    case interrupted = 130
    /// Ended by SIGTERM or SIGHUP before it was done: 128 and the number of SIGTERM.
    case terminated = 143
}

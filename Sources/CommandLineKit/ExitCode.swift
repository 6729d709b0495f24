/// The exit status of Waymark's programs, exit(3).
public enum ExitCode: Int32, CaseIterable, Sendable {
    /// The command succeeded.
    case success = 0
    /// A failure without a number of its own.
    case failure = 1
    /// The command line is invalid.
    case usage = 2
    /// The daemon does not run.
    case notRunning = 3
    /// The daemon refused: the caller is not allowed.
    case notAuthorized = 4
    /// There is no position.
    case noPosition = 5
    /// There is no network, or the host cannot be reached.
    case notReachable = 6
    /// Ended by Ctrl-C: 128 and the number of SIGINT, as in shells.
    case interrupted = 130
    /// Ended by SIGTERM or SIGHUP: 128 and the number of SIGTERM.
    case terminated = 143
}

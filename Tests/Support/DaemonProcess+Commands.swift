import Platform

extension DaemonProcess {
    /// A command did not end in time.
    public struct TimedOut: Error, CustomStringConvertible {
        /// The command, and its error output.
        public let description: String
    }

    /// The whole environment of a command that is to talk to this daemon.
    public func environment(locale: String = "C.UTF-8") -> [String: String] {
        ["PATH": "/usr/bin:/bin", "WAYMARK_SOCKET": socketPath, "LC_ALL": locale, "HOME": directory.path]
    }

    /// Runs waymark(1), or a copy of it, to its end.
    public func waymark(
        _ arguments: [String], as program: String? = nil, locale: String = "C.UTF-8", seconds: Double = 70
    ) throws -> CompletedProcess {
        let process = try CompletedProcess.run(
            program ?? Products.program("waymark"), arguments, environment: environment(locale: locale),
            seconds: seconds)
        guard !process.timedOut else { throw TimedOut(description: "\(arguments): \(process.error)") }
        return process
    }

    /// The same with each argument by itself.
    public func waymark(
        _ arguments: String..., as program: String? = nil, locale: String = "C.UTF-8"
    ) throws -> CompletedProcess {
        try waymark(arguments, as: program, locale: locale)
    }
}

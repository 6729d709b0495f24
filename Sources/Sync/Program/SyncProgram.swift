import CommandLineKit
import Glibc
import Interfaces
import Platform

/// The program `waymark-sync`.
public enum SyncProgram {
    /// The whole command line, for the manual.
    public static var command: Command { SyncOptions.command }

    /// Parses this process's arguments, and serves until SIGINT or SIGTERM.
    public static func run() -> ExitCode {
        Output.ignoreBrokenPipes()
        Log.program = "waymark-sync"
        switch SyncOptions.command.start(version: WaymarkVersion.text) {
        case .end(let code): return code
        case .run(let invocation):
            do {
                try SyncServer.serve(SyncOptions(invocation))
                return .success
            } catch {
                let remarks = Output(descriptor: STDERR_FILENO, flushesEachLine: true)
                // If standard error fails, the error cannot be reported.
                do throws(OutputError) { try remarks.line("waymark-sync: \(error)") } catch {}
                return .failure
            }
        }
    }
}

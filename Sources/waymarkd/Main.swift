import CommandLineKit
import Configuration
import Daemon
import Glibc
import Interfaces
import Platform

@main
struct Main {
    static func main() {
        switch DaemonCommand.command.start(version: WaymarkVersion.described) {
        case .end(let code): exit(code.rawValue)
        case .run(let invocation): exit(run(invocation).rawValue)
        }
    }

    private static func run(_ invocation: Invocation) -> ExitCode {
        let options = DaemonCommand.Options(invocation)
        let configuration = options.load()
        guard configuration.problems.isEmpty else {
            for problem in configuration.problems { Log.error(problem.description) }
            Log.error("the configuration has errors, so nothing was started. Run `waymark config check`")
            return .failure
        }
        // The event loop runs on this thread.
        EventLoop.main.adoptCurrentThread()
        return DaemonActor.assumeIsolated {
            do {
                let daemon = try Daemon(
                    configuration: configuration, inspector: DaemonCommand.Options.inspector, source: options)
                try daemon.start()
                // A program that waits for the daemon waits until its connection is accepted.
                ProcessorShare.shorten()
                let code = EventLoop.main.run()
                withExtendedLifetime(daemon) {}
                return code == 0 ? .success : .failure
            } catch {
                Log.error("not started: \(error)")
                return .failure
            }
        }
    }
}

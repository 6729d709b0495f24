import CommandLineKit
import Glibc
import Platform

/// The command for one event: started, waited for and ended where necessary.
struct EventCommand {
    /// How it ended.
    enum Outcome: Equatable {
        case succeeded
        /// What it did, as the end of a sentence: `exited with code 3`.
        case failed(String)
        /// A signal ended this program, and so the command; whether it has succeeded all the same.
        case interrupted(ExitCode, hasSucceeded: Bool)
    }

    let path: String
    let arguments: [String]
    let environment: [String: String]
    /// Seconds after which it has failed; nil for none.
    let timeout: Double?

    /// Seconds that it has to end after SIGTERM.
    private static let grace = 5.0
    /// Seconds after which a running command is reported.
    static let longRun = 600.0

    /// Runs it to its end, to its timeout or to a signal. It has a process group of its own, so that it receives Ctrl-C once,
    /// from here; what it leaves running in the background goes on.
    func run(until interruption: Interruption, onLongRun: () -> Void) throws(SystemError) -> Outcome {
        let child: ChildProcess
        do throws(SystemError) {
            child = try ChildProcess(
                ChildProcess.Launch(
                    path, arguments, environment: environment, output: .inherited, error: .inherited,
                    leavesGroup: true))
        } catch {
            return .failed("could not be started (\(error))")
        }
        let end = PollDeadline(after: timeout.map { .seconds($0) })
        var isLong = false
        while true {
            let until = isLong || (timeout ?? .infinity) < Self.longRun ? end : PollDeadline(seconds: Self.longRun)
            let ready = try until.wait(for: [(child.exitDescriptor, POLLIN), (interruption.descriptor, POLLIN)])
            if let status = try child.exitStatus() {
                return status.isSuccess ? .succeeded : .failed("\(status)")
            }
            if let code = interruption.received() {
                let status = try child.terminate(graceSeconds: Self.grace)
                return .interrupted(code, hasSucceeded: status.isSuccess)
            }
            guard ready.isEmpty else { continue }
            if end.hasPassed {
                try child.terminate(graceSeconds: Self.grace)
                return .failed("did not end within \(Measure.age(timeout ?? 0)), and was ended")
            }
            if !isLong {
                isLong = true
                onLongRun()
            }
        }
    }
}

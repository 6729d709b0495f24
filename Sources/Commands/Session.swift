import CommandLineKit
import Glibc
import Interfaces
import Platform
import Waymark

/// What a command works with: its arguments, where it writes, and the daemon.
struct Session {
    /// The command line.
    let invocation: Invocation
    /// Where results go.
    let output: Output
    /// What standard output leads to.
    let terminal: Terminal
    /// Where remarks go that are no results.
    let remarks: Remarks
    /// Where the daemon listens.
    let socketPath: String
    /// The system's clocks.
    let clock: any TimeSource
    /// Whether this process is `waymark-agent`, and not `waymark`.
    let isAgentProgram: Bool

    /// A session on this process's standard output and error.
    init(_ invocation: Invocation, isAgentProgram: Bool = false) {
        self.isAgentProgram = isAgentProgram
        self.invocation = invocation
        output = Output()
        terminal = Terminal(descriptor: STDOUT_FILENO)
        remarks = Remarks()
        socketPath = WaymarkClient(socketPath: invocation.text("socket")).socketPath
        clock = SystemClock()
    }

    /// Whether results are for programs.
    var isJSON: Bool { invocation.has("json") }

    /// The daemon.
    var daemon: DaemonLink { DaemonLink(socketPath: socketPath) }

    /// Prints lines and makes sure that they are out.
    func print(_ lines: [String]) throws(CommandFailure) {
        do throws(OutputError) {
            try output.lines(lines)
            try output.flush()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Makes sure that what the output was given is out.
    func flush() throws(CommandFailure) {
        do throws(OutputError) { try output.flush() } catch { throw CommandFailure(error) }
    }

    /// Prints a line of bytes as they came and makes sure that it is out.
    func print(json line: [UInt8]) throws(CommandFailure) {
        do throws(OutputError) {
            try output.line(line)
            try output.flush()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The signals that end a command, to be waited for.
    func interruption() throws(CommandFailure) -> Interruption {
        do throws(SystemError) { return try Interruption() } catch { throw CommandFailure(error) }
    }
}

/// Remarks on standard error: what a person wants to know and a program does not.
final class Remarks {
    private let output = Output(descriptor: STDERR_FILENO)
    /// What standard error leads to.
    let terminal = Terminal(descriptor: STDERR_FILENO)
    private var hasProgress = false

    /// Says a line, or several, on a terminal wrapped at words; where that fails there is nobody to tell.
    func say(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            let line = terminal.encoding.shown(String(line).escapingControls)
            return terminal.isTerminal ? line.wrapped(to: terminal.width) : [line]
        }
        write((hasProgress ? "\r\u{1B}[K" : "") + lines.joined(separator: "\n") + "\n")
        hasProgress = false
    }

    /// Says something that a person may want to do, on a terminal only: in a file or a pipe it would stand among what was
    /// asked for.
    func hint(_ text: String) {
        if terminal.isTerminal { say(text) }
    }

    /// Shows a question, behind which the answer is typed.
    func ask(_ text: String) {
        endProgress()
        write(text.escapingControls)
    }

    /// Shows how far something is, over what was shown before; on a terminal only.
    func progress(_ text: String) {
        guard terminal.canRedraw else { return }
        write("\r\u{1B}[K" + terminal.encoding.shown(text).truncated(to: terminal.width - 1, in: terminal.encoding))
        hasProgress = true
    }

    /// Removes what `progress` has shown.
    func endProgress() {
        if hasProgress { write("\r\u{1B}[K") }
        hasProgress = false
    }

    private func write(_ text: String) {
        do throws(OutputError) {
            output.text(text)
            try output.flush()
        } catch {
            // Standard error is where failures are told; where it fails, nothing can be.
            return
        }
    }
}

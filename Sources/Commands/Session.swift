import CommandLineKit
import Glibc
import Interfaces
import Platform
import Waymark

/// The context of a command: its arguments, its output, and the daemon.
struct Session {
    /// The command line.
    let invocation: Invocation
    /// The output for results.
    let output: Output
    /// The terminal of standard output.
    let terminal: Terminal
    /// The output for remarks, which are no results.
    let remarks: Remarks
    /// The path of the daemon's socket.
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

    /// Prints lines and flushes them.
    func print(_ lines: [String]) throws(CommandFailure) {
        do throws(OutputError) {
            try output.lines(lines)
            try output.flush()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Prints a sentence, on a terminal wrapped at words, and flushes it.
    func print(sentence: String) throws(CommandFailure) {
        try print(terminal.wrapped(sentence))
    }

    /// Flushes the output.
    func flush() throws(CommandFailure) {
        do throws(OutputError) { try output.flush() } catch { throw CommandFailure(error) }
    }

    /// Prints a line of received bytes and flushes it.
    func print(json line: [UInt8]) throws(CommandFailure) {
        do throws(OutputError) {
            try output.line(line)
            try output.flush()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The signals that end a command, as something to wait for.
    func interruption() throws(CommandFailure) -> Interruption {
        do throws(SystemError) { return try Interruption() } catch { throw CommandFailure(error) }
    }
}

/// Remarks on standard error: information for a person, which a program does not need.
final class Remarks {
    private let output = Output(descriptor: STDERR_FILENO)
    /// The terminal of standard error.
    let terminal = Terminal(descriptor: STDERR_FILENO)
    private var hasProgress = false

    /// Prints a line or several, wrapped at words on a terminal; an error in this is ignored.
    func say(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            let line = terminal.encoding.shown(String(line).escapingControls)
            return terminal.isTerminal ? line.wrapped(to: terminal.width) : [line]
        }
        write((hasProgress ? "\r\u{1B}[K" : "") + lines.joined(separator: "\n") + "\n")
        hasProgress = false
    }

    /// Prints a hint for a person, on a terminal only, because in a file or a pipe it would be mixed with the results.
    func hint(_ text: String) {
        if terminal.isTerminal { say(text) }
    }

    /// Prints a question, after which the answer is typed.
    func ask(_ text: String) {
        endProgress()
        write(text.escapingControls)
    }

    /// Shows the progress of something in place of the last one; on a terminal only.
    func progress(_ text: String) {
        guard terminal.canRedraw else { return }
        write("\r\u{1B}[K" + terminal.encoding.shown(text).truncated(to: terminal.width - 1, in: terminal.encoding))
        hasProgress = true
    }

    /// Removes the line of `progress`.
    func endProgress() {
        if hasProgress { write("\r\u{1B}[K") }
        hasProgress = false
    }

    private func write(_ text: String) {
        do throws(OutputError) {
            output.text(text)
            try output.flush()
        } catch {
            // A failure is reported on standard error; where that fails, it cannot be reported.
            return
        }
    }
}

import Glibc

/// The first steps that all programs have in common.
extension Command {
    /// The next step after help, version and errors of the command line.
    public enum Start: Equatable, Sendable {
        /// Run the command.
        case run(Invocation)
        /// Exit: the help, version or error has been printed.
        case end(ExitCode)
    }

    /// Parses this process's arguments; prints the help, the version or the error in them.
    ///
    /// `besides` are lines to print after the version, computed only where the version is requested.
    public func start(
        arguments: [String] = Array(CommandLine.arguments.dropFirst()), version: String,
        besides: (Invocation) -> [String] = { _ in [] }
    ) -> Start {
        Output.openStandardDescriptors()
        do throws(UsageError) {
            switch try parse(arguments) {
            case .run(let invocation): return .run(invocation)
            case .version(let invocation):
                let lines = ["\(name) \(version)"] + besides(invocation)
                return print(lines.map { $0.escapingControls + "\n" }.joined(), to: STDOUT_FILENO, .success)
            case .help(let path):
                let terminal = Terminal(descriptor: STDOUT_FILENO)
                // In ASCII the ellipsis has two characters more.
                let width = terminal.encoding == .ascii ? terminal.width - 2 : terminal.width
                return print(help(for: path, width: width), to: STDOUT_FILENO, .success)
            }
        } catch {
            let lines = Terminal(descriptor: STDERR_FILENO).wrapped("\(name): \(error)".escapingControls)
            return print(lines.map { $0 + "\n" }.joined(), to: STDERR_FILENO, .usage)
        }
    }

    private func print(_ text: String, to descriptor: Int32, _ code: ExitCode) -> Start {
        let output = Output(descriptor: descriptor)
        do throws(OutputError) {
            output.text(text)
            try output.flush()
            return .end(code)
        } catch .closed {
            return .end(code)
        } catch {
            return .end(.failure)
        }
    }
}

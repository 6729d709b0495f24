import Glibc

/// The first steps that all programs have in common.
extension Command {
    /// What is left to do once help, version and mistakes have been dealt with.
    public enum Start: Equatable, Sendable {
        /// To do what was asked.
        case run(Invocation)
        /// To end: all has been said, on standard output or standard error.
        case end(ExitCode)
    }

    /// Understands this process's arguments: answers `--help` and `--version`, and says what is wrong with them.
    ///
    /// `besides` are lines to say after the version, found out only where it is asked for.
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
                let width = Terminal(descriptor: STDOUT_FILENO).width
                return print(help(for: path, width: width), to: STDOUT_FILENO, .success)
            }
        } catch {
            return print("\(name): \(error)\n", to: STDERR_FILENO, .usage)
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

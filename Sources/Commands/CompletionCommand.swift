import CommandLineKit

/// `waymark completion`: a script for a shell.
enum CompletionCommand {
    static let command = Command(
        "completion", "print a script that completes waymark's command lines in a shell",
        arguments: [Command.Argument(Value("SHELL", .choice(Shell.allCases.map(\.rawValue))), "the shell")],
        examples: [
            Command.Example("source <(waymark completion bash)", "In ~/.bashrc; with zsh in ~/.zshrc, after compinit."),
            Command.Example("waymark completion fish >~/.config/fish/completions/waymark.fish", "Once, for fish."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        guard let shell = session.invocation.argument("SHELL").flatMap(Shell.init) else { return }
        session.output.bytes(WaymarkProgram.command.completionScript(for: shell).utf8)
        try session.flush()
    }
}

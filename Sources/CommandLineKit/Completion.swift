/// The shells for which completion scripts exist.
public enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

extension Command {
    /// A script for a shell that completes this program's command lines, to be sourced.
    public func completionScript(for shell: Shell) -> String {
        switch shell {
        case .bash: BashCompletion(program: self).script
        case .zsh: ZshCompletion(program: self).script
        case .fish: FishCompletion(program: self).script
        }
    }

    /// A command with its place in the tree and all its options.
    struct Place {
        /// The names of the commands above and its own, without the program's: `config check`; empty for the program.
        let path: [String]
        let command: Command
        let options: [Option]

        /// A name for shell scripts: `/config/check`, `/` for the program.
        var key: String { "/" + path.joined(separator: "/") }
    }

    /// Every command of the tree, the program first.
    var places: [Place] {
        func below(_ command: Command, _ path: [String], _ inherited: [Option]) -> [Place] {
            let own =
                command.options(inherited: inherited, isProgram: path.isEmpty)
                + (command.usualSubcommand?.options ?? [])
            let handedDown = inherited + command.options.filter(\.isGlobal)
            return [Place(path: path, command: command, options: own)]
                + command.subcommands.flatMap { below($0, path + [$0.name], handedDown) }
        }
        return below(self, [], [])
    }
}

extension Option {
    /// The forms of its name.
    var spellings: [String] { ["--" + name] + (short.map { ["-\($0)"] } ?? []) }
}

extension String {
    /// The text as one word of a POSIX shell.
    var shellQuoted: String { "'" + replacing(["'": #"'\''"#]) + "'" }

    /// The text with some of its characters replaced. The replacement functions of the standard library would link a
    /// regular expression engine into every program.
    func replacing(_ replacements: [Character: String]) -> String {
        reduce(into: "") { $0 += replacements[$1] ?? String($1) }
    }

    /// The program's name as part of the name of a shell function.
    var asShellName: String { String(map { $0.isLetter || $0.isNumber ? $0 : "_" }) }
}

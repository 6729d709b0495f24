/// Writes a completion script for zsh, zshcompsys(1) `_arguments`.
struct ZshCompletion {
    let program: Command

    /// A function for each command of the tree.
    var script: String {
        let name = program.name
        let function = "_" + name.asShellName
        let functions = program.places.map(self.function).joined(separator: "\n")
        return """
            #compdef \(name)
            # zsh completion for \(name): as a file _\(name) on the fpath, or source <(\(name) completion zsh)
            _\(name.asShellName)_names() {
                local -a names
                names=(${(f)"$(\(name) completion --names $1 2>/dev/null)"})
                _describe $1 names
            }
            \(functions)
            if [[ ${funcstack[1]} == \(function) ]]; then
                \(function) "$@"
            else
                compdef \(function) \(name)
            fi

            """
    }

    private func name(of path: [String]) -> String {
        (["_" + program.name] + path).joined(separator: "_").asShellName
    }

    private func function(_ place: Command.Place) -> String {
        let specifications = place.options.flatMap(specification) + arguments(place)
        var lines = [
            "\(name(of: place.path))() {", "    local curcontext=$curcontext state line", "    local -a commands",
        ]
        lines.append("    _arguments -C -S \\")
        lines.append(specifications.map { "        " + $0 }.joined(separator: " \\\n"))
        if !place.command.subcommands.isEmpty { lines += dispatch(place) }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private func dispatch(_ place: Command.Place) -> [String] {
        let commands = place.command.subcommands
        var lines = ["    case $state in", "        command)", "            commands=("]
        lines += commands.map { "                " + "\($0.name):\(escaped($0.summary))".shellQuoted }
        lines += ["            )", "            _describe command commands", "            ;;", "        rest)"]
        lines += ["            case ${words[1]} in"]
        lines += commands.map { "                \($0.name)) \(name(of: place.path + [$0.name])) ;;" }
        return lines + ["            esac", "            ;;", "    esac"]
    }

    private func specification(_ option: Option) -> [String] {
        let value = option.value.map { ":\(escaped($0.name)):\(action($0))" } ?? ""
        return option.spellings.map { spelling in
            let others = option.spellings.joined(separator: " ")
            let lead = option.repeats ? "*" : "(\(others))"
            // A value may follow as a word of its own or after the equals sign.
            let separator = option.value == nil ? "" : spelling.hasPrefix("--") ? "=" : "+"
            return "\(lead)\(spelling)\(separator)[\(escaped(option.summary))]\(value)".shellQuoted
        }
    }

    private func arguments(_ place: Command.Place) -> [String] {
        if !place.command.subcommands.isEmpty { return ["'1: :->command'", "'*:: :->rest'"] }
        var specifications = place.command.arguments.enumerated().map { index, argument in
            let position = argument.repeats ? "*" : "\(index + 1)"
            return "\(position):\(escaped(argument.value.name)):\(action(argument.value))".shellQuoted
        }
        if place.command.trailing != nil { specifications.append("'*::command:_normal'") }
        return specifications
    }

    private func action(_ value: Value) -> String {
        switch value.kind {
        case .file: "_files"
        case .directory: "_files -/"
        case .choice(let words): "(\(words.joined(separator: " ")))"
        // The space excludes zsh's own completions for arguments.
        case .named(let word): " _\(program.name.asShellName)_names \(word)"
        case .text, .integer, .number, .checked: " "
        }
    }

    private func escaped(_ text: String) -> String {
        text.replacing(["\\": "\\\\", ":": "\\:", "[": "\\[", "]": "\\]"])
    }
}

/// Writes a completion script for bash, bash(1) "Programmable Completion".
struct BashCompletion {
    let program: Command

    /// A function that follows the words before the cursor through the tree of commands, then offers the possible
    /// continuations.
    var script: String {
        let function = "_" + program.name.asShellName
        return """
            # bash completion for \(program.name): source <(\(program.name) completion bash)
            \(function)() {
                local current=${COMP_WORDS[COMP_CWORD]} place=/ wanted='' word i count=0
                COMPREPLY=()
                for ((i = 1; i < COMP_CWORD; i++)); do
                    word=${COMP_WORDS[i]}
                    if [[ -n $wanted ]]; then
                        # bash takes --name=value apart into three words.
                        [[ $word == '=' ]] || wanted=''
                        continue
                    fi
                    case "$place $word" in
            \(transitions)
                        *) [[ $word == -* ]] || ((count += 1)) ;;
                    esac
                done
                [[ $current == '=' ]] && current=''
                if [[ -z $wanted && $current == -* ]]; then
                    case $place in
            \(optionNames)
                    esac
                elif [[ -z $wanted ]]; then
                    case $place:$count in
            \(positional)
                    esac
                fi
                case $wanted in
                    '' | nothing) ;;
                    file)
                        compopt -o filenames 2>/dev/null
                        mapfile -t COMPREPLY < <(compgen -f -- "$current")
                        ;;
                    directory)
                        compopt -o filenames 2>/dev/null
                        mapfile -t COMPREPLY < <(compgen -d -- "$current")
                        ;;
                    command) mapfile -t COMPREPLY < <(compgen -c -- "$current") ;;
                    names\\ *)
                        word=$(\(program.name) completion --names "${wanted#names }" 2>/dev/null)
                        # What the shell would expand is no name.
                        [[ $word == *[!A-Za-z0-9._@$'\\n'-]* ]] || mapfile -t COMPREPLY < <(compgen -W "$word" -- "$current")
                        ;;
                    words\\ *) mapfile -t COMPREPLY < <(compgen -W "${wanted#words }" -- "$current") ;;
                esac
            }
            complete -F \(function) \(program.name)

            """
    }

    private var transitions: String {
        var lines: [String] = []
        for place in program.places {
            for command in place.command.subcommands {
                let next = program.places.first { $0.path == place.path + [command.name] }?.key ?? place.key
                lines.append("\(pattern(place, command.name))) place=\(next) ;;")
            }
            for option in place.options {
                guard let value = option.value else { continue }
                let patterns = option.spellings.map { pattern(place, $0) }.joined(separator: " | ")
                lines.append("\(patterns)) wanted=\(wanted(value)) ;;")
            }
            if place.command.trailing != nil { lines.append("\(pattern(place, "--"))) place=\(place.key)/-- ;;") }
        }
        return indented(lines)
    }

    private var optionNames: String {
        indented(
            program.places.map { place in
                let names = place.options.map { "--" + $0.name }.joined(separator: " ")
                return "\(place.key)) wanted='words \(names)' ;;"
            })
    }

    private var positional: String {
        var lines: [String] = []
        for place in program.places {
            if !place.command.subcommands.isEmpty {
                let names = place.command.subcommands.map(\.name).joined(separator: " ")
                lines.append("\(place.key):*) wanted='words \(names)' ;;")
            }
            for (index, argument) in place.command.arguments.enumerated() {
                let position = argument.repeats ? "*" : "\(index)"
                lines.append("\(place.key):\(position)) wanted=\(wanted(argument.value)) ;;")
            }
            if place.command.trailing != nil { lines.append("\(place.key)/--:*) wanted=command ;;") }
        }
        return indented(lines)
    }

    private func wanted(_ value: Value) -> String {
        switch value.kind {
        case .file: "file"
        case .directory: "directory"
        case .choice(let words): ("words " + words.joined(separator: " ")).shellQuoted
        case .named(let word): "names \(word)".shellQuoted
        case .text, .integer, .number, .checked: "nothing"
        }
    }

    private func pattern(_ place: Command.Place, _ word: String) -> String { "\(place.key) \(word)".shellQuoted }

    private func indented(_ lines: [String]) -> String {
        lines.map { String(repeating: " ", count: 12) + $0 }.joined(separator: "\n")
    }
}

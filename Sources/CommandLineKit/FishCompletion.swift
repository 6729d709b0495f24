/// Writes a completion script for fish, complete(1) of fish.
struct FishCompletion {
    let program: Command

    /// A function that prints the command of the words before the cursor, with an argument also the number of arguments
    /// after it, and a rule for every possible continuation.
    var script: String {
        let name = program.name
        return """
            # fish completion for \(name): \(name) completion fish | source
            function __\(name.asShellName)_place
                set -l place /
                set -l skip 0
                set -l count 0
                set -l tokens (commandline -opc)
                for word in $tokens[2..-1]
                    if test $skip = 1
                        set skip 0
                        continue
                    end
                    switch "$place $word"
            \(transitions)
                        case '*'
                            string match -q -- '-*' $word; or set count (math $count + 1)
                    end
                end
                if set -q argv[1]
                    echo $place:$count
                else
                    echo $place
                end
            end
            complete -c \(name) -f
            \(rules.joined(separator: "\n"))

            """
    }

    private var transitions: String {
        var lines: [String] = []
        for place in program.places {
            for command in place.command.subcommands {
                let next = place.path + [command.name]
                lines += ["case '\(place.key) \(command.name)'", "    set place /\(next.joined(separator: "/"))"]
            }
            let valued = place.options.filter { $0.value != nil }.flatMap(\.spellings)
            if !valued.isEmpty {
                lines += ["case " + valued.map { "'\(place.key) \($0)'" }.joined(separator: " "), "    set skip 1"]
            }
        }
        return lines.map { String(repeating: " ", count: 12) + $0 }.joined(separator: "\n")
    }

    private var rules: [String] {
        program.places.flatMap { place in
            place.command.subcommands.map { "\(rule(place)) -a \($0.name) -d \(quoted($0.summary))" }
                + place.options.map { option(place, $0) } + arguments(place)
        }
    }

    private func rule(_ place: Command.Place) -> String {
        "complete -c \(program.name) -n 'test (__\(program.name.asShellName)_place) = \(place.key)'"
    }

    private func option(_ place: Command.Place, _ option: Option) -> String {
        var rule = rule(place) + " -l \(option.name)"
        if let short = option.short { rule += " -s \(short)" }
        if let value = option.value { rule += offer(value) }
        return rule + " -d \(quoted(option.summary))"
    }

    private func arguments(_ place: Command.Place) -> [String] {
        place.command.arguments.enumerated().compactMap { index, argument in
            let offer = offer(argument.value)
            if offer.hasSuffix(" -x") { return nil }
            if argument.repeats { return rule(place) + offer }
            let function = "__\(program.name.asShellName)_place"
            return "complete -c \(program.name) -n 'test (\(function) count) = \(place.key):\(index)'\(offer)"
        }
    }

    /// `-x` excludes files, which fish offers by default.
    private func offer(_ value: Value) -> String {
        switch value.kind {
        case .file: " -r -F"
        case .directory: " -x -a '(__fish_complete_directories)'"
        case .choice(let words): " -x -a \(quoted(words.joined(separator: " ")))"
        case .named(let word): " -x -a '(\(program.name) completion --names \(word) 2>/dev/null)'"
        case .text, .integer, .number, .checked: " -x"
        }
    }

    private func quoted(_ text: String) -> String {
        "'" + text.replacing(["\\": "\\\\", "'": "\\'"]) + "'"
    }
}

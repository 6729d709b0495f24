extension Command {
    /// The output of `--help` for the command with these names, in lines of at most so many columns (36 to 100).
    public func help(for path: [String], width: Int = 80) -> String {
        guard let command = command(at: path) else { return "" }
        let parents = path.indices.dropLast().compactMap { self.command(at: Array(path[...$0])) }
        return HelpText(command: command, path: path, parents: parents, width: max(36, min(width, 100))).text
    }
}

/// Writes the output of `--help` for one command; a manual page is made of the same parts.
struct HelpText {
    let command: Command
    let path: [String]
    let parents: [Command]
    let width: Int

    var text: String {
        var blocks = ["\(path.joined(separator: " ")): \(command.summary)".wrapped(to: width), usage]
        blocks += command.discussion.map { paragraph in
            paragraph.hasPrefix(" ") ? paragraph.split(separator: "\n").map(String.init) : paragraph.wrapped(to: width)
        }
        blocks += commandLists
        blocks.append(list("Arguments:", arguments))
        blocks.append(list("Options:", options.map { ("  " + $0.heading, explanation($0)) }))
        blocks.append(examples)
        blocks.append(manual)
        return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    /// The subcommands: a list for each group, then those without a group.
    private var commandLists: [[String]] {
        let rows = subcommands
        let column = rows.map { $0.0.displayWidth }.max() ?? 0
        var left = command.subcommands.map(\.name)
        let grouped = command.groups.map { group in
            left.removeAll(where: group.commands.contains)
            return list("\(group.title):", row(group.commands), column)
        }
        return grouped + [list(command.groups.isEmpty ? "Commands:" : "Others:", row(left), column)]

        func row(_ names: [String]) -> [(String, String)] {
            zip(command.subcommands, rows).filter { names.contains($0.0.name) }.map(\.1)
        }
    }

    /// The page of the manual about the command's group.
    private var manual: [String] {
        guard path.count > 1, let group = parents.first?.groups.first(where: { $0.commands.contains(path[1]) }) else {
            return []
        }
        return ["Manual page: \(group.manual)(1)"]
    }

    var subcommands: [(String, String)] {
        command.subcommands.map { subcommand in
            let isUsual = subcommand.name == command.usual
            return ("  " + subcommand.name, subcommand.summary + (isUsual ? " (where no command is given)" : ""))
        }
    }

    var options: [Option] {
        let inherited = parents.flatMap { $0.options.filter(\.isGlobal) }
        return command.options(inherited: inherited, isProgram: parents.isEmpty)
    }

    var usage: [String] {
        let lead = "Usage: " + path.joined(separator: " ")
        var parts = command.options.map { option in
            let value = option.value.map { " " + $0.name } ?? ""
            return "[\(option.short.map { "-\($0)" } ?? "--" + option.name)\(value)]\(option.repeats ? "…" : "")"
        }
        parts += command.arguments.map { argument in
            let name = argument.value.name + (argument.repeats ? "…" : "")
            return argument.isOptional ? "[\(name)]" : name
        }
        if !command.subcommands.isEmpty { parts.append(command.usual == nil ? "COMMAND …" : "[COMMAND …]") }
        if command.isOtherProgram { parts.append("…") }
        if let trailing = command.trailing { parts.append("[-- \(trailing.value.name)…]") }
        var lines: [String] = []
        var line = lead
        for part in parts {
            if line.displayWidth + 1 + part.displayWidth > width, line != lead {
                lines.append(line)
                line = String(repeating: " ", count: lead.count)
            }
            line += " " + part
        }
        return lines + [line]
    }

    var arguments: [(String, String)] {
        let given = command.arguments.map { ("  " + $0.value.name, $0.summary + allowed($0.value)) }
        return given + (command.trailing.map { [("  -- " + $0.value.name + "…", $0.summary)] } ?? [])
    }

    func explanation(_ option: Option) -> String {
        var text = option.summary
        if let value = option.value { text += allowed(value) }
        if option.repeats { text += " (may be repeated)" }
        return text
    }

    private func allowed(_ value: Value) -> String {
        var text = ""
        if case .choice(let words) = value.kind { text += ": " + Value.list(words) }
        if let fallback = value.fallback { text += " (default \(fallback))" }
        return text
    }

    private func list(
        _ title: String, _ rows: [(name: String, text: String)], _ least: Int = 0
    ) -> [String] {
        if rows.isEmpty { return [] }
        let column = min(max(least, rows.map { $0.name.displayWidth }.max() ?? 0), 28) + 2
        var lines = [title]
        for row in rows {
            // Explanations beside the names would have hardly any room: they are below them.
            if width - column < Self.leastRoom {
                lines += [row.name] + row.text.wrapped(to: width - 6).map { "      " + $0 }
                continue
            }
            var texts = row.text.wrapped(to: width - column)[...]
            if row.name.displayWidth + 2 <= column {
                lines.append(row.name.padded(to: column) + (texts.popFirst() ?? ""))
            } else {
                lines.append(row.name)
            }
            lines += texts.map { String(repeating: " ", count: column) + $0 }
        }
        return lines
    }

    /// The smallest width of the explanations beside the names.
    private static let leastRoom = 24

    private var examples: [String] {
        if command.examples.isEmpty { return [] }
        return ["Examples:"]
            + command.examples.flatMap { example in
                ["  " + example.line] + example.summary.wrapped(to: width - 6).map { "      " + $0 }
            }
    }
}

extension Command {
    /// The help of every command of the tree as Markdown, the program's first: for a reference.
    public var markdownReference: String {
        places.map { place in
            let path = [name] + place.path
            return "## \(path.joined(separator: " "))\n\n```text\n\(help(for: path, width: 100))```\n"
        }.joined(separator: "\n")
    }
}

@testable import CommandLineKit

/// The part of a manual page about a program's command line, generated from the program's help.
struct CommandManual {
    let program: Command

    /// The program's own options, as a list.
    var options: [String] { list(program.places.first.map { help($0).options } ?? [], program.places.first) }

    /// The program's arguments, as a list.
    var arguments: [String] { program.places.first.map { arguments(help($0)) } ?? [] }

    /// The program's examples.
    var examples: [String] { Array(examples(program).dropFirst()) }

    /// The commands of each group in a few words, with the group's page.
    var overview: [String] {
        let grouped = program.groups.flatMap { group in
            [".Ss \(group.title)"] + summaries(group.commands)
                + ["See", ".Xr \(group.manual) 1 ."]
        }
        return grouped + (ungrouped.isEmpty ? [] : [".Ss Others"] + ungrouped.flatMap(sections))
    }

    /// The command lines of a group, for its synopsis.
    func synopsis(_ group: Command.Group) -> [String] {
        group.commands.flatMap(places).filter { $0.command.subcommands.isEmpty }.flatMap(synopsis)
    }

    private func synopsis(_ place: Command.Place) -> [String] {
        let command = place.command
        var lines = [".Nm \(program.name)", ".Cm \(place.path.joined(separator: " "))"]
        lines += command.options.map(operand)
        lines += command.arguments.map(operand)
        if let trailing = command.trailing { lines.append(".Op \\-\\- Ar \(trailing.value.name) ...") }
        if command.isOtherProgram { lines.append(".Op Ar argument ...") }
        return lines
    }

    /// The commands of a group, each under a heading.
    func commands(_ group: Command.Group) -> [String] { group.commands.flatMap(sections) }

    /// The examples of a group.
    func examples(_ group: Command.Group) -> [String] {
        Array(group.commands.flatMap(places).flatMap { examples($0.command) }.dropFirst())
    }

    private var ungrouped: [String] {
        program.subcommands.map(\.name).filter { name in !program.groups.contains { $0.commands.contains(name) } }
    }

    private func places(_ name: String) -> [Command.Place] { program.places.filter { $0.path.first == name } }

    private func sections(_ name: String) -> [String] { places(name).flatMap(section) }

    private func summaries(_ names: [String]) -> [String] {
        var lines = [".Bl -tag -width Ds"]
        for command in program.subcommands where names.contains(command.name) {
            lines.append(".It Cm \(command.name)")
            lines += Mdoc.prose(capitalized(command.summary) + ".")
        }
        return lines + [".El"]
    }

    private func operand(_ option: Option) -> String {
        let name = option.short.map(String.init) ?? "-\(option.name)"
        let value = option.value.map { " Ar \(Mdoc.escaped($0.name))" } ?? ""
        return ".Op Fl \(name)\(value)"
    }

    private func operand(_ argument: Command.Argument) -> String {
        let name = Mdoc.escaped(argument.value.name) + (argument.repeats ? " ..." : "")
        return argument.isOptional ? ".Op Ar \(name)" : ".Ar \(name)"
    }

    private func help(_ place: Command.Place) -> HelpText {
        let path = [program.name] + place.path
        let parents = path.indices.dropLast().compactMap { program.command(at: Array(path[...$0])) }
        return HelpText(command: place.command, path: path, parents: parents, width: 72)
    }

    private func section(_ place: Command.Place) -> [String] {
        let help = help(place)
        // Options of every command are described once, for the program.
        let own = help.options.filter { !$0.isGlobal }
        // Without `Usage: `, and as far to the left in the lines after the first.
        let usage = help.usage.map { String($0.dropFirst("Usage: ".count)) }
        var lines = [".Ss \(help.path.joined(separator: " "))"] + Mdoc.literal(usage) + [".Pp"]
        lines += Mdoc.prose(capitalized(place.command.summary) + ".")
        for paragraph in place.command.discussion {
            lines += paragraph.hasPrefix(" ") ? Mdoc.literal(split(paragraph)) : [".Pp"] + Mdoc.prose(paragraph)
        }
        if !place.command.subcommands.isEmpty {
            lines +=
                [".Pp"]
                + Mdoc.prose(
                    "Commands, each explained below: " + help.subcommands.map { name(of: $0) }.joined(separator: ", ")
                        + ".")
        }
        lines += arguments(help) + list(own, place)
        return lines
    }

    private func arguments(_ help: HelpText) -> [String] {
        if help.arguments.isEmpty { return [] }
        var lines = [".Bl -tag -width Ds"]
        for (name, text) in help.arguments {
            lines.append(".It Ar " + Mdoc.escaped(String(name.drop { $0 == " " })))
            lines += Mdoc.prose(capitalized(text) + ".")
        }
        return lines + [".El"]
    }

    private func list(_ options: [Option], _ place: Command.Place?) -> [String] {
        guard let place, !options.isEmpty else { return [] }
        let help = help(place)
        return [".Bl -tag -width Ds"]
            + options.flatMap { option in
                let short = option.short.map { "Fl \($0) , " } ?? ""
                let value = option.value.map { " Ar \(Mdoc.escaped($0.name))" } ?? ""
                return [".It \(short)Fl -\(option.name)\(value)"]
                    + Mdoc.prose(capitalized(help.explanation(option)) + ".")
            } + [".El"]
    }

    private func examples(_ command: Command) -> [String] {
        command.examples.flatMap { example in
            [".Pp"] + Mdoc.prose(sentence(example.summary)) + Mdoc.literal([example.line])
        }
    }

    private func name(of row: (String, String)) -> String { "`\(row.0.drop { $0 == " " })`" }

    private func split(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    private func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    /// The text as a sentence that a display follows.
    private func sentence(_ text: String) -> String {
        let bare = text.last.map { ".:?".contains($0) } == true ? String(text.dropLast()) : text
        return capitalized(bare) + (text.hasSuffix("?") ? "?" : ":")
    }
}

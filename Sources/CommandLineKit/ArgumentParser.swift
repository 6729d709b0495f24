import Platform

extension Command {
    /// The request of a command line.
    public enum Request: Equatable, Sendable {
        /// Run the command.
        case run(Invocation)
        /// Print the help of a command, given by its names, the program's first.
        case help([String])
        /// Print the version; other options given may affect it.
        case version(Invocation)
    }

    /// Parses arguments, without the program's own name.
    public func parse(_ arguments: [String]) throws(UsageError) -> Request {
        var parser = ArgumentParser(program: self, arguments: arguments)
        return try parser.parse()
    }

    /// All options of the command: its own, those inherited from its parents, and help.
    func options(inherited: [Option], isProgram: Bool) -> [Option] {
        var all = options
        all += inherited
        all.append(.help)
        if isProgram { all.append(.version) }
        return all
    }

    /// The command with these names, the program's own first.
    func command(at path: [String]) -> Command? {
        path.dropFirst().reduce(self as Command?) { command, name in
            command?.subcommands.first { $0.name == name }
        }
    }
}

/// Parses arguments from left to right.
private struct ArgumentParser {
    private var commands: [Command]
    private var rest: ArraySlice<String>
    private var positional: [String] = []
    private var invocation: Invocation
    private var requestsVersion = false

    init(program: Command, arguments: [String]) {
        commands = [program]
        rest = arguments[...]
        invocation = Invocation(path: [program.name])
    }

    private var command: Command { commands[commands.count - 1] }

    /// The options allowed here: the command's own, those inherited from its parents, and help.
    private var options: [Option] {
        let inherited = commands.dropLast().flatMap { $0.options.filter(\.isGlobal) }
        return command.options(inherited: inherited, isProgram: commands.count == 1)
    }

    private func error(_ message: String) -> UsageError {
        UsageError(message, command: invocation.path.joined(separator: " "))
    }

    mutating func parse() throws(UsageError) -> Command.Request {
        while let argument = rest.popFirst() {
            if argument == "--" {
                try parseTrailing()
            } else if isOptionOfUsual(argument), let usual = command.usual {
                try descend(usual)
                rest = [argument] + rest
            } else if argument.hasPrefix("--") {
                if let request = try parseLong(argument) { return request }
            } else if argument.hasPrefix("-"), argument != "-" {
                if let request = try parseShort(argument) { return request }
            } else if command.subcommands.isEmpty {
                positional.append(argument)
            } else if argument == "help" {
                return try helpRequest()
            } else {
                try descend(argument)
            }
        }
        if requestsVersion { return .version(invocation) }
        if let usual = command.usual { try descend(usual) }
        // A group's name alone prints the group's help.
        if !command.subcommands.isEmpty { return .help(invocation.path) }
        try assignArguments()
        return .run(invocation)
    }

    /// Whether it is an option of the default subcommand, and not one that may precede the subcommand.
    private func isOptionOfUsual(_ argument: String) -> Bool {
        guard argument.hasPrefix("-"), let usual = command.usualSubcommand else { return false }
        let name =
            argument.hasPrefix("--") ? argument.dropFirst(2).prefix { $0 != "=" } : argument.dropFirst().prefix(1)
        let isOwn = options.contains { $0.name == name || $0.short.map(String.init).map { $0 == name } == true }
        return !isOwn && usual.takes(String(name))
    }

    private mutating func descend(_ name: String) throws(UsageError) {
        guard let next = command.subcommands.first(where: { $0.name == name }) else {
            let names = command.subcommands.map(\.name)
            let hint = Spelling.nearest(to: name, among: names).map { " Did you mean '\($0)'?" }
            throw error(
                "There is no command '\(printable(name))'.\(hint ?? " There are \(Value.list(names, "and")).")"
            )
        }
        commands.append(next)
        invocation.path.append(name)
        guard next.isOtherProgram else { return }
        invocation.trailing = Array(rest)
        rest = []
    }

    private mutating func helpRequest() throws(UsageError) -> Command.Request {
        while let name = rest.popFirst() {
            if !name.hasPrefix("-") { try descend(name) }
        }
        return .help(invocation.path)
    }

    private mutating func parseTrailing() throws(UsageError) {
        if command.trailing != nil {
            invocation.trailing = Array(rest)
        } else {
            positional += rest
        }
        rest = []
    }

    private mutating func parseLong(_ argument: String) throws(UsageError) -> Command.Request? {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        guard let option = options.first(where: { $0.name == name }) else { throw unknown("--" + name) }
        return try consume(option, "--" + name, attached: parts.count > 1 ? String(parts[1]) : nil)
    }

    /// `-f`, several flags in one as in `-fx`, or a value right behind its letter as in `-n5`.
    private mutating func parseShort(_ argument: String) throws(UsageError) -> Command.Request? {
        var letters = argument.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.short == letter }) else {
                throw unknown("-\(letter)")
            }
            var attached: String?
            if option.value != nil, !letters.isEmpty {
                attached = String(letters)
                letters = ""
            }
            if let request = try consume(option, "-\(letter)", attached: attached) { return request }
        }
        return nil
    }

    private mutating func consume(
        _ option: Option, _ typed: String, attached: String?
    ) throws(UsageError) -> Command.Request? {
        guard let value = option.value else {
            if attached != nil { throw error("\(typed) takes no value.") }
            if option.name == Option.help.name { return .help(invocation.path) }
            if option.name == Option.version.name, commands.count == 1 {
                requestsVersion = true
                return nil
            }
            invocation.flags.insert(option.name)
            return nil
        }
        let text: String
        if let attached { text = attached } else { text = try nextValue(for: typed, value) }
        try check(text, value, typed)
        if !option.repeats, invocation.values[option.name] != nil { throw error("\(typed) is given twice.") }
        invocation.values[option.name, default: []].append(text)
        return nil
    }

    /// The argument after an option. Another option there means that the value is missing; `-2h` is a value.
    private mutating func nextValue(for typed: String, _ value: Value) throws(UsageError) -> String {
        guard let next = rest.first, next != "--", !isOption(next) else {
            let hint = rest.isEmpty ? "" : " Write \(typed)=\(value.name) where the value begins with a hyphen."
            throw error("\(typed) needs a value: \(typed) \(value.name).\(typed.hasPrefix("--") ? hint : "")")
        }
        rest = rest.dropFirst()
        return next
    }

    private func isOption(_ argument: String) -> Bool {
        if argument.hasPrefix("--") { return true }
        guard argument.hasPrefix("-"), let letter = argument.dropFirst().first else { return false }
        return options.contains { $0.short == letter }
    }

    private func check(_ text: String, _ value: Value, _ subject: String) throws(UsageError) {
        guard let expectation = value.expectation(unmetBy: text) else { return }
        var hint = ""
        if case .choice(let words) = value.kind, let near = Spelling.nearest(to: text, among: words) {
            hint = " Did you mean '\(near)'?"
        }
        throw error("\(subject) takes \(expectation), not '\(printable(text))'.\(hint)")
    }

    private func unknown(_ typed: String) -> UsageError {
        let name = String(typed.drop { $0 == "-" })
        if !name.isEmpty, let place = command.subcommands.first(where: { $0.takes(name) }) {
            let prefix = invocation.path.joined(separator: " ")
            return error("\(typed) goes after the command, as in '\(prefix) \(place.name) \(typed)'.")
        }
        let near = typed.hasPrefix("--") ? Spelling.nearest(to: name, among: options.map(\.name)) : nil
        let hint = near.map { " Did you mean '--\($0)'?" } ?? ""
        return error("There is no option '\(printable(typed))'.\(hint)")
    }

    private mutating func assignArguments() throws(UsageError) {
        var left = positional[...]
        for argument in command.arguments {
            let taken = argument.repeats ? left : left.prefix(1)
            left = left.dropFirst(taken.count)
            for text in taken { try check(text, argument.value, argument.value.name) }
            if taken.isEmpty {
                if !argument.isOptional { throw error("\(argument.value.name) is missing: \(argument.summary).") }
            } else {
                invocation.given[argument.value.name] = Array(taken)
            }
        }
        if let extra = left.first {
            let hint = command.arguments.isEmpty ? "takes no arguments" : "takes no more arguments"
            throw error("There is '\(printable(extra))' too many: \(command.name) \(hint).")
        }
        for option in options { invocation.fallbacks[option.name] = option.value?.fallback }
    }

    private func printable(_ text: String) -> String { text.escapingControls }
}

extension Command {
    /// Whether the command or a subcommand has an option of this name or letter.
    fileprivate func takes(_ name: String) -> Bool {
        options.contains { $0.name == name || $0.short.map(String.init) == name }
            || subcommands.contains { $0.takes(name) }
    }
}

import CommandLineKit

/// A command tree with one of everything.
let example = Command(
    "compass", "show where things are",
    options: [
        Option("socket", Value("PATH", .file), "where the daemon listens", isGlobal: true),
        Option("verbose", short: "v", "say more", isGlobal: true),
    ],
    subcommands: [
        Command(
            "find", "find things", discussion: ["Things are found by looking where they were lost."],
            options: [
                Option("accuracy", Value("M", .number(0...1_000)), "how near is near enough"),
                Option("since", Value("TIME"), "from then on"),
                Option("count", short: "n", Value("N", .integer(1...Int.max), default: "10"), "how many"),
                Option("kind", Value("K", .choice(["round", "square"])), "only these", repeats: true),
                Option("follow", short: "f", "go on"),
                Option("json", "for programs"),
            ],
            arguments: [Command.Argument(Value("PLACE"), "where to look")],
            examples: [Command.Example("compass find home", "Looks at home.")]),
        Command(
            "play", "play things", arguments: [Command.Argument(Value("FILE", .file), "what to play")],
            trailing: Command.Argument(Value("COMMAND"), "a program to run meanwhile")),
        Command(
            "settings", "look after the settings",
            subcommands: [
                Command(
                    "check", "find mistakes",
                    arguments: [Command.Argument(Value("FILE", .file), "the file", isOptional: true)]),
                Command("show", "print them", options: [Option("in", Value("DIR", .directory), "where")]),
            ]),
        Command(
            "tracks", "look after tracks",
            subcommands: [
                Command("list", "show them", options: [Option("watch", short: "w", "go on")]),
                Command(
                    "drop", "forget one",
                    options: [Option("why", Value("WHY", .named("reasons")), "why")],
                    arguments: [
                        Command.Argument(Value("NAME", .named("tracks")), "which"),
                        Command.Argument(Value("HOW", .choice(["soon", "now"])), "how", isOptional: true),
                    ]),
            ], usual: "list"),
    ])

/// The example's result for arguments: the invocation, or the error.
func parsed(_ arguments: String...) -> Result<Invocation, UsageError> { parse(arguments) }

/// The same for arguments in an array.
func parse(_ arguments: [String]) -> Result<Invocation, UsageError> {
    do throws(UsageError) {
        guard case .run(let invocation) = try example.parse(arguments) else {
            return .failure(UsageError("no invocation", command: ""))
        }
        return .success(invocation)
    } catch {
        return .failure(error)
    }
}

extension Result where Success == Invocation, Failure == UsageError {
    var invocation: Invocation? {
        guard case .success(let invocation) = self else { return nil }
        return invocation
    }

    var complaint: String? {
        guard case .failure(let error) = self else { return nil }
        return error.description
    }
}

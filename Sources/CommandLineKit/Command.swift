/// A program or one of its subcommands: the description from which its command line is parsed, explained and completed.
public struct Command: Sendable {
    /// The name to type.
    public var name: String
    /// Its purpose, in a few words without a full stop.
    public var summary: String
    /// Further explanation, in paragraphs. A paragraph that begins with a space is printed without wrapping.
    public var discussion: [String]
    /// The options.
    public var options: [Option]
    /// The positional arguments, in order.
    public var arguments: [Argument]
    /// The argument after `--`, such as another program's command line; nil where none is allowed.
    public var trailing: Argument?
    /// Examples of command lines.
    public var examples: [Example]
    /// The subcommands, each with options of its own.
    public var subcommands: [Command]
    /// The groups of the subcommands in the help; empty where they are one list.
    public var groups: [Group]
    /// The default subcommand; nil where one has to be given.
    public var usual: String?
    /// Whether everything after the name is for another program, which parses and explains it.
    public var isOtherProgram: Bool

    /// A command of these parts.
    public init(
        _ name: String, _ summary: String, discussion: [String] = [], options: [Option] = [],
        arguments: [Argument] = [], trailing: Argument? = nil, examples: [Example] = [], subcommands: [Command] = [],
        groups: [Group] = [], usual: String? = nil, isOtherProgram: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.options = options
        self.arguments = arguments
        self.trailing = trailing
        self.examples = examples
        self.subcommands = subcommands
        self.groups = groups
        self.usual = usual
        self.isOtherProgram = isOtherProgram
    }

    /// The default subcommand.
    var usualSubcommand: Command? { usual.flatMap { name in subcommands.first { $0.name == name } } }

    /// Subcommands that belong together: a heading in the help, and a page of the manual.
    public struct Group: Sendable {
        /// The heading.
        public var title: String
        /// The name of the page in section 1 of the manual.
        public var manual: String
        /// The names of the subcommands.
        public var commands: [String]

        /// A group of these parts.
        public init(_ title: String, manual: String, _ commands: [String]) {
            self.title = title
            self.manual = manual
            self.commands = commands
        }
    }

    /// A positional argument.
    public struct Argument: Sendable {
        /// Its value, whose name is the placeholder in help texts, such as `FILE`.
        public var value: Value
        /// Its purpose, in a few words.
        public var summary: String
        /// Whether it may be omitted.
        public var isOptional: Bool
        /// Whether there may be more than one.
        public var repeats: Bool

        /// An argument of these parts.
        public init(_ value: Value, _ summary: String, isOptional: Bool = false, repeats: Bool = false) {
            self.value = value
            self.summary = summary
            self.isOptional = isOptional
            self.repeats = repeats
        }
    }

    /// A command line and its effect.
    public struct Example: Sendable {
        /// The command line.
        public var line: String
        /// Its effect.
        public var summary: String

        /// An example of these two.
        public init(_ line: String, _ summary: String) {
            self.line = line
            self.summary = summary
        }
    }
}

/// A program or one of its subcommands, as its command line is to be understood, explained and completed.
public struct Command: Sendable {
    /// What is typed.
    public var name: String
    /// What it does, in a few words without a full stop.
    public var summary: String
    /// What else is to be said, in paragraphs. A paragraph that begins with a space is printed as it stands.
    public var discussion: [String]
    /// What may be given with a name.
    public var options: [Option]
    /// What may be given without a name, in order.
    public var arguments: [Argument]
    /// What stands after `--`, such as another program's command line; nil where nothing may.
    public var trailing: Argument?
    /// Command lines to learn from.
    public var examples: [Example]
    /// What may come after the name, each with options of its own.
    public var subcommands: [Command]
    /// The subcommand that is meant where none is typed; nil where one has to be.
    public var usual: String?
    /// Whether all that stands behind the name is for another program, which understands and explains it.
    public var isOtherProgram: Bool

    /// A command of these parts.
    public init(
        _ name: String, _ summary: String, discussion: [String] = [], options: [Option] = [],
        arguments: [Argument] = [], trailing: Argument? = nil, examples: [Example] = [], subcommands: [Command] = [],
        usual: String? = nil, isOtherProgram: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.options = options
        self.arguments = arguments
        self.trailing = trailing
        self.examples = examples
        self.subcommands = subcommands
        self.usual = usual
        self.isOtherProgram = isOtherProgram
    }

    /// The subcommand that is meant where none is typed.
    var usualSubcommand: Command? { usual.flatMap { name in subcommands.first { $0.name == name } } }

    /// Something that is given without a name.
    public struct Argument: Sendable {
        /// What it is: its name says what to write there, such as `FILE`.
        public var value: Value
        /// What it is for, in a few words.
        public var summary: String
        /// Whether it may be left out.
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

    /// A command line and what it does.
    public struct Example: Sendable {
        /// What is typed.
        public var line: String
        /// What happens then.
        public var summary: String

        /// An example of these two.
        public init(_ line: String, _ summary: String) {
            self.line = line
            self.summary = summary
        }
    }
}

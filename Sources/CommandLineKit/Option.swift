/// Something that is given with a name: `--name`, `--name VALUE` or `--name=VALUE`.
public struct Option: Sendable {
    /// What is typed after the two hyphens.
    public var name: String
    /// The one letter that may be typed after one hyphen instead.
    public var short: Character?
    /// What has to follow; nil for a flag.
    public var value: Value?
    /// What it is for, in a few words.
    public var summary: String
    /// Whether it may be given more than once.
    public var repeats: Bool
    /// Whether subcommands take it as well.
    public var isGlobal: Bool

    /// A flag: it is given or not.
    public init(_ name: String, short: Character? = nil, _ summary: String, isGlobal: Bool = false) {
        self.init(name, short: short, value: nil, summary, repeats: false, isGlobal: isGlobal)
    }

    /// An option that takes a value.
    public init(
        _ name: String, short: Character? = nil, _ value: Value, _ summary: String, repeats: Bool = false,
        isGlobal: Bool = false
    ) {
        self.init(name, short: short, value: value, summary, repeats: repeats, isGlobal: isGlobal)
    }

    private init(
        _ name: String, short: Character?, value: Value?, _ summary: String, repeats: Bool, isGlobal: Bool
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.summary = summary
        self.repeats = repeats
        self.isGlobal = isGlobal
    }

    /// What every command takes.
    static let help = Option("help", short: "h", "show this help", isGlobal: true)
    /// What every program takes.
    static let version = Option("version", "show the version")

    /// `-x, --name VALUE`.
    var heading: String {
        let long = "--" + name + (value.map { " " + $0.name } ?? "")
        return short.map { "-\($0), \(long)" } ?? "    \(long)"
    }
}

/// What is given to an option or as an argument.
public struct Value: Sendable {
    /// What may be given.
    public enum Kind: Sendable {
        /// Anything but nothing.
        case text
        /// The name of something that there is: the program's `completion --names WORD` lists those, one a line, each of
        /// letters, digits, dots, hyphens, underscores and at signs.
        case named(String)
        /// The name of a file.
        case file
        /// The name of a directory.
        case directory
        /// One of these words.
        case choice([String])
        /// A whole number within these limits.
        case integer(ClosedRange<Int>)
        /// A number within these limits.
        case number(ClosedRange<Double>)
        /// What a function accepts, and what it accepts in words that go after "takes".
        case checked(expected: String, accepts: @Sendable (String) -> Bool)
    }

    /// What stands for it in a help text, such as `FILE`.
    public var name: String
    /// What may be given.
    public var kind: Kind
    /// What holds where nothing is given.
    public var fallback: String?

    /// A value of these parts.
    public init(_ name: String, _ kind: Kind = .text, default fallback: String? = nil) {
        self.name = name
        self.kind = kind
        self.fallback = fallback
    }

    /// What would be right, in words that go after "takes", where this text is wrong; nil where it is right.
    func expectation(unmetBy text: String) -> String? {
        switch kind {
        case .text, .named: text.isEmpty ? "some text" : nil
        case .file: text.isEmpty ? "the name of a file" : nil
        case .directory: text.isEmpty ? "the name of a directory" : nil
        case .choice(let words): words.contains(text) ? nil : Self.list(words)
        case .integer(let range):
            Int(text).map(range.contains) == true
                ? nil
                : "a whole number\(Self.limits("\(range.lowerBound)", range.upperBound == .max ? nil : "\(range.upperBound)"))"
        case .number(let range):
            Double(text).map { $0.isFinite && range.contains($0) } == true
                ? nil
                : "a number\(Self.limits(Self.plain(range.lowerBound), range.upperBound.isInfinite ? nil : Self.plain(range.upperBound)))"
        case .checked(let expected, let accepts): accepts(text) ? nil : expected
        }
    }

    private static func limits(_ lower: String, _ upper: String?) -> String {
        upper.map { " from \(lower) to \($0)" } ?? " of at least \(lower)"
    }

    private static func plain(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }

    static func list(_ words: [String], _ conjunction: String = "or") -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
        return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }
}

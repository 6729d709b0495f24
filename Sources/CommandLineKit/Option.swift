/// A named option: `--name`, `--name VALUE` or `--name=VALUE`.
public struct Option: Sendable {
    /// The name after the two hyphens.
    public var name: String
    /// The letter that may be typed after one hyphen instead.
    public var short: Character?
    /// The option's value; nil for a flag.
    public var value: Value?
    /// Its purpose, in a few words.
    public var summary: String
    /// Whether it may be given more than once.
    public var repeats: Bool
    /// Whether subcommands have it as well.
    public var isGlobal: Bool

    /// A flag, which has no value.
    public init(_ name: String, short: Character? = nil, _ summary: String, isGlobal: Bool = false) {
        self.init(name, short: short, value: nil, summary, repeats: false, isGlobal: isGlobal)
    }

    /// An option with a value.
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

    /// The option that every command has.
    static let help = Option("help", short: "h", "show this help", isGlobal: true)
    /// The option that every program has.
    static let version = Option("version", "show the version")

    /// `-x, --name VALUE`.
    var heading: String {
        let long = "--" + name + (value.map { " " + $0.name } ?? "")
        return short.map { "-\($0), \(long)" } ?? "    \(long)"
    }
}

/// The value of an option or argument.
public struct Value: Sendable {
    /// The allowed values.
    public enum Kind: Sendable {
        /// Any text that is not empty.
        case text
        /// The name of an existing thing: the program's `completion --names WORD` lists them, one a line, each of
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
        /// A value that a function accepts, with a description that completes "takes …".
        case checked(expected: String, accepts: @Sendable (String) -> Bool)
    }

    /// The placeholder in a help text, such as `FILE`.
    public var name: String
    /// The allowed values.
    public var kind: Kind
    /// The default.
    public var fallback: String?

    /// A value of these parts.
    public init(_ name: String, _ kind: Kind = .text, default fallback: String? = nil) {
        self.name = name
        self.kind = kind
        self.fallback = fallback
    }

    /// A description of the allowed values that completes "takes …", if this text is not allowed; nil if it is.
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

/// A parsed command line.
public struct Invocation: Equatable, Sendable {
    /// The commands typed, the program's first: `["waymark", "config", "check"]`.
    public internal(set) var path: [String]
    /// The arguments after `--`, where the command allows them, or everything after the name of another program.
    public internal(set) var trailing: [String] = []
    var flags: Set<String> = []
    var values: [String: [String]] = [:]
    var fallbacks: [String: String] = [:]
    var given: [String: [String]] = [:]

    /// Whether a flag was given.
    public func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Whether a value was given for an option, rather than its default used.
    public func isGiven(_ option: String) -> Bool { values[option] != nil }

    /// The value given for an option, else its default, else nil.
    public func text(_ option: String) -> String? { values[option]?.last ?? fallbacks[option] }

    /// All values given for an option that may be repeated.
    public func texts(_ option: String) -> [String] { values[option] ?? fallbacks[option].map { [$0] } ?? [] }

    /// The number given for an option, else its default, else nil.
    public func number(_ option: String) -> Double? { text(option).flatMap(Double.init) }

    /// The whole number given for an option, else its default, else nil.
    public func integer(_ option: String) -> Int? { text(option).flatMap { Int($0) } }

    /// The argument given, by its value's name.
    public func argument(_ name: String) -> String? { given[name]?.first }

    /// All arguments given, for an argument that may be repeated.
    public func arguments(_ name: String) -> [String] { given[name] ?? [] }
}

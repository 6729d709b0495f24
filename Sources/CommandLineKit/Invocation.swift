/// A command line that was understood.
public struct Invocation: Equatable, Sendable {
    /// The commands typed, the program's first: `["waymark", "config", "check"]`.
    public internal(set) var path: [String]
    /// What stood after `--`, where the command takes something there, or all behind the name of another program.
    public internal(set) var trailing: [String] = []
    var flags: Set<String> = []
    var values: [String: [String]] = [:]
    var fallbacks: [String: String] = [:]
    var given: [String: [String]] = [:]

    /// Whether a flag was given.
    public func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Whether an option that takes a value was given, as against its default.
    public func isGiven(_ option: String) -> Bool { values[option] != nil }

    /// What an option was given, else its default, else nil.
    public func text(_ option: String) -> String? { values[option]?.last ?? fallbacks[option] }

    /// Everything that an option was given that may be repeated.
    public func texts(_ option: String) -> [String] { values[option] ?? fallbacks[option].map { [$0] } ?? [] }

    /// The number an option was given, else its default, else nil.
    public func number(_ option: String) -> Double? { text(option).flatMap(Double.init) }

    /// The whole number an option was given, else its default, else nil.
    public func integer(_ option: String) -> Int? { text(option).flatMap { Int($0) } }

    /// What was given for an argument, by its value's name.
    public func argument(_ name: String) -> String? { given[name]?.first }

    /// Everything that was given for an argument that may be repeated.
    public func arguments(_ name: String) -> [String] { given[name] ?? [] }
}

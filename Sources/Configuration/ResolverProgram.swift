/// The program that resolves names for the daemon.
public enum ResolverProgram: Equatable, Sendable, CustomStringConvertible {
    /// The `waymark-resolver` that was installed with the daemon.
    case own
    /// Names are not resolved.
    case none
    /// Another program with the same protocol, or a Unix socket behind which one runs.
    case program(path: String)

    /// Reads `own`, `none` or a path.
    public init(parsing text: String) throws(ValueError) {
        switch text {
        case "own": self = .own
        case "none": self = .none
        default: self = .program(path: try ValueType.absolutePath.parse(text))
        }
    }

    /// The text that reads back as the same program.
    public var description: String {
        switch self {
        case .own: "own"
        case .none: "none"
        case .program(let path): path
        }
    }
}

extension ValueType where Value == ResolverProgram {
    /// A program that resolves names.
    static var resolverProgram: Self {
        Self(
            allowed: "own, none or a path that begins with /",
            parse: { text throws(ValueError) in try ResolverProgram(parsing: text) },
            text: { $0.description })
    }
}

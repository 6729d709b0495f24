/// An invalid command line.
public struct UsageError: Error, Equatable, CustomStringConvertible {
    /// A sentence with the error, and the correction where it is known.
    public let message: String
    /// The command that was being parsed, such as `waymark watch`.
    public let command: String

    /// An error in the command line of that command.
    public init(_ message: String, command: String) {
        self.message = message
        self.command = command
    }

    /// The sentence, and the command for more help.
    public var description: String { "\(message) See `\(command) --help`." }
}

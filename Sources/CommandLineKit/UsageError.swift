/// A command line that was not understood.
public struct UsageError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and what would be right where that is known: a sentence.
    public let message: String
    /// The command that was being understood, such as `waymark watch`.
    public let command: String

    /// This is wrong with the command line of that command.
    public init(_ message: String, command: String) {
        self.message = message
        self.command = command
    }

    /// The sentence, and where to read more.
    public var description: String { "\(message) See '\(command) --help'." }
}

/// The result of an answer.
public enum AnswerOutcome: Equatable, Sendable {
    /// The answer is in force.
    case taken
    /// The answer could not be stored and is not in force: the person is asked again.
    case notStored
    /// The prompt was answered elsewhere, or no longer exists.
    case closed
    /// Another failure, described by the text: the prompt remains pending in the daemon.
    case failed(String)
}

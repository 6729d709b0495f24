/// What became of an answer.
public enum AnswerOutcome: Equatable, Sendable {
    /// It holds.
    case taken
    /// It could not be stored, so nothing holds: to be asked again.
    case notStored
    /// Somebody else answered, or it is no longer asked.
    case closed
    /// Something else went wrong, in words: the question stays with the daemon.
    case failed(String)
}

/// What Waymark says in the person's language. In braces: what is put there.
public enum Phrase: String, CaseIterable, Sendable {
    /// The question for positions while in use, `{app}`.
    case wantsLocation
    /// The question for positions also when not in use, `{app}`.
    case wantsAlways
    /// The question when the first position in the background is due, `{app}`.
    case confirmsAlways
    /// The question for full accuracy for a while, `{app}`.
    case wantsFullAccuracy
    /// In front of the app's own reason, `{text}`.
    case appSays
    /// Who it is, by its own listening socket, `{id}`.
    case provedBySocket
    /// Who it is, by the system service it is, `{id}`.
    case provedByUnit
    /// Who it is, by its user's unit, `{id}`.
    case provedByUser
    /// Who it is, by the file of its program, `{id}`.
    case provedByProgram
    /// Who it is, where that is not known any more, `{id}`.
    case notProved
    /// The answers.
    case allowOnce, allowWhileUsing, deny, keepWhileUsing, changeToAlways, allow
    /// The switch of accuracy and its two states.
    case preciseOn, preciseOff
    /// The answers that ask once more for how long.
    case allowPrecise, allowApproximate
    /// Asks for a number up to `{count}`.
    case yourAnswer
    /// Which letter switches accuracy.
    case switchHint
    /// Puts the question away.
    case later
    /// What was typed is no answer.
    case notAnAnswer
    /// What was answered, `{choice}`.
    case answered
    /// The question was put away without an answer.
    case dismissed
    /// The question is no longer asked.
    case withdrawn
    /// How many questions wait behind this one, `{count}`.
    case waitingBehind
    /// Nothing is to be answered now.
    case listening
    /// How many questions are left open at the end, `{count}`.
    case leftOpen
    /// The answer could not be stored.
    case notStored
    /// The indicator, `{app}`.
    case holding
    /// The indicator goes out.
    case holdingEnded
}

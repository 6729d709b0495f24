/// A fixed phrase in the person's language. Its parameters are in braces.
public enum Phrase: String, CaseIterable, Sendable {
    /// The prompt for positions while in use, `{app}`.
    case wantsLocation
    /// The prompt for positions also when not in use, `{app}`.
    case wantsAlways
    /// The prompt when the first position in the background is due, `{app}`.
    case confirmsAlways
    /// The prompt for temporary full accuracy, `{app}`.
    case wantsFullAccuracy
    /// The prompt for tracking, `{app}`.
    case wantsTracking
    /// The title of a notification for a prompt, at most 30 characters with the name, `{app}`.
    case shortTitle
    /// The same for the prompt for tracking.
    case shortTrackingTitle
    /// What a prompt for positions while in use is about: the first line of a notification.
    case scopeInUse
    /// The same for positions also when not in use.
    case scopeAlways
    /// The same when the first position in the background is due.
    case scopeBackground
    /// The same for temporary full accuracy.
    case scopeFullAccuracy
    /// The same for tracking.
    case scopeTracking
    /// In a notification without buttons: how to answer, `{command}`.
    case answerElsewhere
    /// Before the app's own reason, `{text}`.
    case appSays
    /// The app's identity, proved by its own listening socket, `{id}`.
    case provedBySocket
    /// The app's identity, proved by its system service, `{id}`.
    case provedByUnit
    /// The app's identity, proved by its user's unit, `{id}`.
    case provedByUser
    /// The app's identity, proved by the file of its program, `{id}`.
    case provedByProgram
    /// The app's identity, where its proof is no longer known, `{id}`.
    case notProved
    /// The answers.
    case allowOnce, allowWhileUsing, deny, keepWhileUsing, changeToAlways, allow
    /// The switch of accuracy and its two states.
    case preciseOn, preciseOff
    /// The answers that lead to a second step for the duration.
    case allowPrecise, allowApproximate
    /// Asks for a number up to `{count}`.
    case yourAnswer
    /// The letter that switches accuracy.
    case switchHint
    /// Dismisses the prompt.
    case later
    /// The typed line is no answer.
    case notAnAnswer
    /// The answer given, `{choice}`.
    case answered
    /// The prompt was dismissed without an answer.
    case dismissed
    /// The prompt was withdrawn.
    case withdrawn
    /// The number of prompts that follow, `{count}`.
    case waitingBehind
    /// There is no prompt now.
    case listening
    /// The number of unanswered prompts at the end, `{count}`.
    case leftOpen
    /// The program ended before the reply to an answer that was sent.
    case answerInterrupted
    /// The answer could not be stored.
    case notStored
    /// The indicator, `{app}`.
    case holding
    /// The title of the indicator's notification, at most 30 characters.
    case holdingTitle
    /// A line of the indicator's notification, `{app}`.
    case holdingLine
    /// The indicator is removed.
    case holdingEnded
    /// What an alert says that has no text of its own.
    case alertChanged
    /// The changes of an alert besides the one that is shown, `{count}`.
    case alertMore
}

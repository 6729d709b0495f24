/// How a call goes on that was in progress when the process ended.
public enum CallRepetition: Sendable {
    /// It is made again; what it says first is left out where that was the last thing said already.
    case unlessSame
    /// It is made again; of what it says at once, nothing is said that was said before.
    case unlessReported
    /// It is made again; its first reply is left out if it had one.
    case withoutFirstReply
    /// It is not made again, as it may be done already: the connection ends, and the client knows that it does not know.
    case never

    /// How many of a call's replies are remembered to find out what was said before.
    var rememberedReplies: Int {
        switch self {
        case .unlessSame, .withoutFirstReply: 1
        case .unlessReported: 64
        case .never: 0
        }
    }
}

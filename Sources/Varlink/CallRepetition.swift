/// How the next process continues a call that was in progress when this process ended.
public enum CallRepetition: Sendable {
    /// It is repeated. Its first reply is omitted if it equals the last reply before the restart.
    case unlessSame
    /// It is repeated. Of the replies that it sends at once, those that were sent before are omitted.
    case unlessReported
    /// It is repeated. Its first reply is omitted if the call had a reply before.
    case withoutFirstReply
    /// It is not repeated, because it may already have had its effect. The connection ends, so that the client knows
    /// that the result is unknown.
    case never

    /// How many of the latest replies are stored for the comparison.
    var rememberedReplies: Int {
        switch self {
        case .unlessSame, .withoutFirstReply: 1
        case .unlessReported: 64
        case .never: 0
        }
    }
}

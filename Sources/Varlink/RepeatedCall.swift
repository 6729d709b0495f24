/// A call that was in progress when an earlier process ended and is repeated. Its `CallRepetition` says which replies are
/// omitted because the client has received them already.
final class RepeatedCall: Call {
    private let repetition: CallRepetition
    /// The last replies that the client has received; empty ones for those that were too long to be remembered.
    private let earlier: [[UInt8]]
    private var mayOmit: Bool

    init(
        _ request: CallRequest, on connection: ServerConnection, _ repetition: CallRepetition, after replies: [[UInt8]]
    ) {
        self.repetition = repetition
        earlier = replies
        mayOmit = !replies.isEmpty
        super.init(
            request, on: connection, isResumed: !replies.isEmpty, remembering: repetition.rememberedReplies, replies)
    }

    /// Called when the handler has returned. What it has sent until then is the state at the start; with `unlessReported` later
    /// replies are never omitted.
    func handlerReturned() {
        if case .unlessReported = repetition { mayOmit = false }
    }

    override func reply(_ reply: EncodedReply) {
        if reply.continues, wantsMore, isOmitted(reply) { return }
        super.reply(reply)
    }

    override func offer(missed: Int = 0, _ offer: @escaping Offer) {
        if wantsMore, mayOmit, isOmitted(offer(missed)) { return }
        super.offer(missed: missed, offer)
    }

    private func isOmitted(_ reply: EncodedReply) -> Bool {
        guard mayOmit else { return false }
        switch repetition {
        case .unlessReported: return earlier.contains(reply.bytes)
        case .unlessSame:
            mayOmit = false
            return earlier.last == reply.bytes
        case .withoutFirstReply:
            mayOmit = false
            return true
        case .never: return false
        }
    }
}

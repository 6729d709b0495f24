/// A call that was in progress when an earlier process ended and is repeated, without the replies that the client has
/// already received.
final class RepeatedCall: Call {
    private let repetition: CallRepetition
    private let earlier: [[UInt8]]
    private var isOmitting: Bool

    init(
        _ request: CallRequest, on connection: ServerConnection, _ repetition: CallRepetition, after replies: [[UInt8]]
    ) {
        self.repetition = repetition
        earlier = replies
        isOmitting = !replies.isEmpty
        super.init(
            request, on: connection, isResumed: !replies.isEmpty, remembering: repetition.rememberedReplies, replies)
    }

    /// Its handler has returned. With `unlessReported`, only the replies before this are compared.
    func wasDispatched() {
        if case .unlessReported = repetition { isOmitting = false }
    }

    override func reply(_ reply: EncodedReply) {
        if reply.continues, wantsMore, isOmitted(reply) { return }
        super.reply(reply)
    }

    override func offer(_ offer: @escaping Offer) {
        if wantsMore, isOmitting, isOmitted(offer(0)) { return }
        super.offer(offer)
    }

    private func isOmitted(_ reply: EncodedReply) -> Bool {
        guard isOmitting else { return false }
        switch repetition {
        case .unlessReported: return earlier.contains(reply.bytes)
        case .unlessSame:
            isOmitting = false
            return earlier.last == reply.bytes
        case .withoutFirstReply:
            isOmitting = false
            return true
        case .never: return false
        }
    }
}

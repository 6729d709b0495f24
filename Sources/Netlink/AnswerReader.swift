import CNetlink

/// Finds the end of an answer among its datagrams, netlink(7).
struct AnswerReader {
    /// How an answer ends.
    enum End: Equatable {
        /// All there is was told.
        case complete
        /// All there is was told, but it changed meanwhile: something may be missing or there twice.
        case interrupted
        /// The kernel refuses, with this errno(3).
        case refused(Int32)
    }

    /// How it has ended; nil as long as more has to come.
    private(set) var end: End?
    private var isInterrupted = false

    /// Takes a datagram, and hands on its messages that tell something.
    mutating func receive(_ datagram: UnsafeRawBufferPointer, _ body: (NetlinkMessage) -> Void) {
        NetlinkMessage.forEach(in: datagram) { message in
            if message.flags & NLM_F_DUMP_INTR != 0 { isInterrupted = true }
            switch message.type {
            case Int(NLMSG_NOOP):
                return true
            case Int(NLMSG_ERROR):
                // Without a number it says no more than that something was cut off.
                let code = message.fixedPart(nlmsgerr.self)?.error ?? -EPROTO
                end = code == 0 ? .complete : .refused(Self.positive(code))
            case Int(NLMSG_DONE):
                let code = message.fixedPart(Int32.self) ?? 0
                end = code < 0 ? .refused(Self.positive(code)) : isInterrupted ? .interrupted : .complete
            case Int(NLMSG_OVERRUN):
                end = .refused(ENOBUFS)
            default:
                body(message)
                if message.flags & NLM_F_MULTI == 0 { end = .complete }
            }
            return end == nil
        }
    }

    private static func positive(_ code: Int32) -> Int32 { Int32(clamping: code.magnitude) }
}

import CNetlink

/// Finds the end of a reply that may consist of several datagrams, netlink(7).
struct AnswerReader {
    /// How a reply ends.
    enum End: Equatable {
        /// The reply is complete.
        case complete
        /// The reply is complete, but the kernel's data changed while it was sent: entries may be missing or duplicate.
        case interrupted
        /// The kernel refuses, with this errno(3).
        case refused(Int32)
    }

    /// How the reply has ended; nil as long as more datagrams have to follow.
    private(set) var end: End?
    private var isInterrupted = false

    /// Reads a datagram, and passes the messages with content to `body`.
    mutating func receive(_ datagram: UnsafeRawBufferPointer, _ body: (NetlinkMessage) -> Void) {
        NetlinkMessage.forEach(in: datagram) { message in
            if message.flags & NLM_F_DUMP_INTR != 0 { isInterrupted = true }
            switch message.type {
            case Int(NLMSG_NOOP):
                return true
            case Int(NLMSG_ERROR):
                // Without a code the message is truncated.
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

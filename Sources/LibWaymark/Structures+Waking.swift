import CWaymark
import Interfaces

// The structures of `waymark.h` about waking, made from the types of the interface.

/// The numbers of causes in `waymark.h`.
enum WakeCauses {
    /// The causes that a program can name, by their numbers.
    static let known: [(number: waymark_cause, word: WakingInterface.Cause)] = [
        (WAYMARK_CAUSE_REGIONS, .regions), (WAYMARK_CAUSE_VISITS, .visits),
        (WAYMARK_CAUSE_SIGNIFICANT_CHANGE, .significantChange), (WAYMARK_CAUSE_PATH, .path),
        (WAYMARK_CAUSE_TARGET, .target), (WAYMARK_CAUSE_PUSH, .push),
    ]

    /// The value in `enum waymark_cause`; nil for no cause.
    static func number(_ cause: WakingInterface.Cause?) -> Int32 {
        guard let cause else { return Int32(WAYMARK_CAUSE_NONE.rawValue) }
        return Int32((known.first { $0.word == cause }?.number ?? WAYMARK_CAUSE_OTHER).rawValue)
    }
}

extension waymark_launch_reason {
    init(_ reply: WakingInterface.GetLaunchReason.Reply, _ memory: EventMemory) {
        let cause = reply.launch == .woken ? reply.cause : nil
        self.init(
            is_woken: reply.launch == .woken, cause: WakeCauses.number(cause), cause_word: memory.text(cause?.rawValue),
            pending_count: reply.reasons.count, is_after_forced_quit: reply.isAfterForcedQuit == true)
    }
}

extension waymark_pending {
    init(_ reason: WakingInterface.Reason, _ memory: EventMemory) {
        self.init(
            cause: WakeCauses.number(reason.cause), cause_word: memory.text(reason.cause.rawValue),
            monitor: memory.text(reason.monitor), container: memory.text(reason.container), first: reason.first)
    }
}

extension waymark_wake {
    init(_ event: WakingInterface.Event, _ memory: EventMemory) {
        self.init(
            sequence: event.sequence, cause: WakeCauses.number(event.cause),
            cause_word: memory.text(event.cause.rawValue),
            host: memory.text(event.host), port: event.port.map { Int32($0) } ?? 0,
            container: memory.text(event.container), time: event.time)
    }
}

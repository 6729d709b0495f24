import Agent
import CLinux
import CommandLineKit
import Glibc
import Platform

/// An agent that shows prompts as desktop notifications.
///
/// It is registered with the daemon only while there is a notification service with buttons. Otherwise a requesting app
/// learns at once that no agent is available, and its request remains pending.
final class DesktopAgent {
    /// The reason for the end.
    enum End {
        /// The service has no buttons, and there is a terminal for prompts.
        case noButtons
    }

    private let link: AgentLink
    private let inbox: AlertInbox
    private let remark: (String) -> Void
    private let clock: any TimeSource
    private let interruption: Interruption
    private let hasTerminal: Bool
    private var dialogue: DesktopDialogue
    private var service: NotificationService?
    private var retry = Retry()
    private var canAsk = false
    /// Whether there is a notification service.
    private var canShow = false
    /// How long the end waits for the notification service.
    private static let longestEnd = Duration.seconds(5)
    /// The last message, so that a repeated failure is printed once.
    private var lastRemark = ""

    init(_ session: Session, _ preference: LanguagePreference, hasTerminal: Bool) throws(CommandFailure) {
        interruption = try session.interruption()
        link = AgentLink(session, until: interruption)
        clock = session.clock
        inbox = AlertInbox(clock: session.clock)
        remark = { session.remarks.say($0) }
        dialogue = DesktopDialogue(preference)
        self.hasTerminal = hasTerminal
    }

    /// Shows prompts until the program has to end, or the terminal has to be used instead.
    func run() throws(CommandFailure) -> End {
        do throws(CommandFailure) { return try iterate() } catch {
            // However the program is interrupted, no notification remains.
            if error.isSignal {
                try carryOut(dialogue.disconnected())
                try awaitNumbers()
            }
            throw error
        }
    }

    private func iterate() throws(CommandFailure) -> End {
        while true {
            openBus()
            if try serve() { return .noButtons }
            if canAsk { try register() }
            if canShow, !dialogue.isShowingAlerts { try carryOut(dialogue.received(inbox.alerts())) }
            try wait()
            if let code = interruption.received() { throw .ended(code) }
            if try link.hasMessage() { try receive() }
        }
    }

    /// Waits for the numbers of notifications that have none yet, without which they cannot be closed.
    private func awaitNumbers() throws(CommandFailure) {
        let deadline = PollDeadline(after: Self.longestEnd)
        while try !serve(), let service, service.awaitsNumber, !deadline.hasPassed {
            do throws(SystemError) {
                let interest = try service.interest
                _ = try deadline.poll(interest.descriptor, for: interest.events)
            } catch {
                throw CommandFailure(error)
            }
        }
    }

    private func say(_ text: String) {
        if text != lastRemark { remark(text) }
        lastRemark = text
    }

    private func openBus() {
        guard service == nil, retry.instant <= clock.monotonicNanoseconds else { return }
        do throws(SystemError) {
            service = try NotificationService()
        } catch {
            say("No desktop session: could not \(error). Waiting for one.")
            retry.failed(at: clock.monotonicNanoseconds)
        }
    }

    /// Handles the events of the desktop; returns whether it has no buttons and there is a terminal.
    private func serve() throws(CommandFailure) -> Bool {
        while let event = nextEvent() {
            switch event {
            case .available(let capabilities, let showsButtons):
                retry = Retry()
                canShow = true
                inbox.readAgain()
                canAsk = capabilities.contains("actions")
                dialogue.showsButtons = showsButtons
                if canAsk { continue }
                let remedy =
                    hasTerminal ? "Using the terminal." : "Run `waymark agent` in a terminal instead."
                say("This desktop's notification service has no buttons. \(remedy)")
                if hasTerminal { return true }
            case .unavailable(let why):
                say(why + " Waiting for one.")
                stopAsking()
            case .shown(let tag, let number): try carryOut(dialogue.shown(tag, as: number, now: now))
            case .notShown(let tag, let why):
                inbox.readLater()
                try carryOut(dialogue.notShown(tag, because: why))
            case .pressed(let number, let key): try carryOut(dialogue.pressed(number, key, now: now))
            case .closed(let number, let reason): try carryOut(dialogue.closed(number, reason: reason))
            }
        }
        return false
    }

    private func nextEvent() -> NotificationService.Event? {
        do throws(SystemError) { return try service?.next() } catch {
            loseBus(error)
            return nil
        }
    }

    private func loseBus(_ error: SystemError) {
        say("The desktop session was lost: could not \(error). Waiting for a new one.")
        service = nil
        retry.failed(at: clock.monotonicNanoseconds)
        stopAsking()
    }

    /// Closes the registration: the daemon retains the prompts until they can be shown again.
    private func stopAsking() {
        (canAsk, canShow) = (false, false)
        link.close()
        dialogue.reset()
    }

    private var now: UInt64 { clock.monotonicNanoseconds }

    private func register() throws(CommandFailure) {
        let wasConnected = link.isConnected
        try link.connect()
        if !wasConnected, !link.isConnected { say("The Waymark daemon cannot be reached. Waiting for it.") }
    }

    private func wait() throws(CommandFailure) {
        if try link.hasMessage() { return }
        var descriptors = [(interruption.descriptor, POLLIN)]
        if let descriptor = link.descriptor { descriptors.append((descriptor, POLLIN)) }
        var deadlines = canAsk ? [link.deadline].compactMap(\.self) : []
        if let descriptor = inbox.descriptor { descriptors.append((descriptor, POLLIN)) }
        if canShow, !dialogue.isShowingAlerts, let instant = inbox.deadline { deadlines.append(instant) }
        do throws(SystemError) {
            if service == nil { deadlines.append(retry.instant) }
            if let interest = try service?.interest { descriptors.append(interest) }
            if let instant = service?.deadline { deadlines.append(instant) }
        } catch {
            loseBus(error)
            deadlines.append(retry.instant)
        }
        let timeout = deadlines.min().map { Duration.nanoseconds($0 > now ? $0 - now : 0) }
        do throws(SystemError) { _ = try PollDeadline(after: timeout).wait(for: descriptors) } catch {
            throw CommandFailure(error)
        }
    }

    private func receive() throws(CommandFailure) {
        switch try link.receive() {
        case .message(let message, _):
            if message == .registered { say("Requests are shown on the desktop.") }
            try carryOut(dialogue.received(message))
        case .lost:
            say("The Waymark daemon closed the connection. Reconnecting.")
            try carryOut(dialogue.disconnected())
        case nil: return
        }
    }

    private func carryOut(_ effects: [DesktopDialogue.Effect]) throws(CommandFailure) {
        for effect in effects {
            switch effect {
            case .show(let tag, let notification, let replacing):
                send { (service) throws(SystemError) in
                    try service.show(tag: tag, notification, replacing: replacing)
                }
            case .close(let number): send { (service) throws(SystemError) in try service.close(number) }
            case .answer(let id, let choice, let precise):
                try carryOut(dialogue.decided(try link.answer(id, choice, precise: precise)))
            case .dismiss(let id): try carryOut(dialogue.decided(try link.dismiss(id)))
            case .acknowledge(let number, let count): inbox.acknowledge(number, count)
            case .remark(let text): say(text)
            }
        }
    }

    private func send(_ body: (NotificationService) throws(SystemError) -> Void) {
        guard let service else { return }
        do throws(SystemError) { try body(service) } catch {
            loseBus(error)
        }
    }
}

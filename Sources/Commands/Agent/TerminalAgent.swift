import Agent
import CLinux
import CommandLineKit
import Glibc
import Platform

/// An agent that shows prompts on the terminal.
///
/// The terminal stays in line mode, so that nothing has to be restored, however the program ends. An answer is a key
/// and Enter.
final class TerminalAgent {
    private let session: Session
    private let link: AgentLink
    private let interruption: Interruption
    private var dialogue: TerminalDialogue
    private var input = TypedLines(descriptor: STDIN_FILENO, limit: 4_096)
    /// Whether the cursor is behind the input mark.
    private var isAsking = false

    init(_ session: Session, _ preference: LanguagePreference) throws(CommandFailure) {
        self.session = session
        interruption = try session.interruption()
        link = AgentLink(session, until: interruption)
        dialogue = TerminalDialogue(preference, on: session.terminal)
    }

    /// Shows prompts until the person ends it.
    func run() throws(CommandFailure) {
        do throws(CommandFailure) {
            try link.connect(isFirst: true)
            while try iterate() {}
        } catch {
            if error.isSignal { try carryOut([.say([""] + dialogue.farewell)]) }
            throw error
        }
        try carryOut([.say(dialogue.farewell)])
    }

    /// One iteration; false at the end of the input.
    private func iterate() throws(CommandFailure) -> Bool {
        let ready = try link.wait(besides: [interruption.descriptor, STDIN_FILENO], until: dialogue.deadline)
        if let code = interruption.received() { throw .ended(code) }
        dialogue.terminal = Terminal(descriptor: STDOUT_FILENO)
        if let descriptor = link.descriptor, ready.contains(descriptor) { try receive() }
        try carryOut(dialogue.timePassed(now: now))
        if ready.contains(STDIN_FILENO), try !type() { return false }
        try link.connect()
        return true
    }

    private var now: UInt64 { session.clock.monotonicNanoseconds }

    private func receive() throws(CommandFailure) {
        switch try link.receive() {
        case .message(let message, _): try carryOut(dialogue.received(message, now: now))
        case .lost:
            try carryOut(dialogue.disconnected())
            session.remarks.say("The Waymark daemon closed the connection. Reconnecting.")
        case nil: return
        }
    }

    private func type() throws(CommandFailure) -> Bool {
        let reading: TypedLines.Reading
        do throws(SystemError) { reading = try input.read() } catch { throw CommandFailure(error) }
        switch reading {
        case .end: return false
        case .tooLong: try typed("?")
        case .lines(let lines):
            for line in lines { try typed(String(decoding: line, as: UTF8.self)) }
        }
        return true
    }

    private func typed(_ line: String) throws(CommandFailure) {
        // The line end of the typed line has moved the cursor.
        isAsking = false
        try carryOut(dialogue.typed(line))
    }

    private func carryOut(_ effects: [TerminalDialogue.Effect]) throws(CommandFailure) {
        for effect in effects {
            switch effect {
            case .say(let lines):
                if isAsking, !lines.isEmpty { session.output.text("\n") }
                isAsking = isAsking && lines.isEmpty
                try session.print(lines)
            case .discardInput:
                // Discards the terminal's input and the beginning of a line that is being typed. tcflush(3)
                _ = tcflush(STDIN_FILENO, TCIFLUSH)
                input.forget()
            case .ask:
                session.output.text(session.terminal.styled("> ", .bold))
                try session.flush()
                isAsking = true
            case .answer(let id, let choice, let precise):
                let outcome = try link.answer(id, choice, precise: precise)
                try carryOut(dialogue.decided(outcome, now: now))
            case .dismiss(let id):
                let outcome = try link.dismiss(id)
                try carryOut(dialogue.decided(outcome, now: now))
            }
        }
    }
}

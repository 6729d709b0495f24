import CommandLineKit
import Events
import Interfaces
import JSONText
import Varlink

/// Events of the journal for a person, one on a line.
struct EventText {
    let terminal: Terminal
    private let sentence = EventSentence()

    /// Text for this terminal.
    init(terminal: Terminal) { self.terminal = terminal }

    /// `2026-06-01 10:00:00  receiver lost  reason=…`, on a narrow terminal in several lines.
    func lines(_ event: JournalEntry) -> [String] {
        let time = ZonedTime(event.time, in: .local).map { "\($0.date) \($0.timeOfDay)" } ?? "unknown time"
        let words = Self.words(event.kind).escapingControls
        let padding = String(repeating: " ", count: max(0, 26 - words.displayWidth))
        let rest = (sentence.text(event) ?? Self.details(event)).escapingControls
        let line = terminal.styled(time, .dim) + "  " + terminal.styled(words, Self.style(event.kind))
        let beginning = time.displayWidth + 2 + words.displayWidth
        guard !terminal.isTerminal || beginning <= terminal.width else {
            // Not even the kind fits beside the time.
            let width = max(8, terminal.width - 2)
            let parts = words.wrapped(to: width).map { terminal.styled($0, Self.style(event.kind)) }
            let details = rest.isEmpty ? [] : terminal.encoding.shown(rest).wrapped(to: width, breaksWords: true)
            return [terminal.styled(time, .dim)] + (parts + details).map { "  " + $0 }
        }
        if rest.isEmpty { return [line] }
        let columns = beginning + padding.count + 2
        return terminal.wrapped(rest, after: line + padding + "  ", columns: columns)
    }

    private static func details(_ event: JournalEntry) -> String {
        var details = (event.details.objectValue ?? []).map { "\($0.key)=\(plain($0.value))" }
        if let user = event.user { details.insert("user=\(user)", at: 0) }
        if let app = event.app { details.insert("app=\(app)", at: 0) }
        return details.joined(separator: " ")
    }

    /// The event's kind in words; the kind itself where this version does not know it.
    static func words(_ kind: JournalInterface.EventKind) -> String {
        EventKind(rawValue: kind.rawValue)?.words ?? kind.rawValue
    }

    private static func style(_ kind: JournalInterface.EventKind) -> Terminal.Style? {
        switch EventKind(rawValue: kind.rawValue)?.color {
        case .green: .green
        case .yellow: .yellow
        case .cyan: .cyan
        case .red: .red
        case nil: nil
        }
    }

    private static func plain(_ value: JSON) -> String {
        switch value {
        case .string(let text): text.contains(" ") || text.isEmpty ? "\"\(text)\"" : text
        case .number(let number): "\((number * 10).rounded() / 10)"
        default: value.description
        }
    }
}

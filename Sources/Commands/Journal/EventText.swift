import CommandLineKit
import Interfaces
import JSONText
import Varlink

/// Events of the journal for a person, one on a line.
struct EventText {
    let terminal: Terminal
    private let sentence = EventSentence()

    /// Text for this terminal.
    init(terminal: Terminal) { self.terminal = terminal }

    /// `2026-06-01 10:00:00  receiver lost  reason=…`.
    func line(_ event: JournalEntry) -> String {
        let time = ZonedTime(event.time, in: .local).map { "\($0.date) \($0.timeOfDay)" } ?? "unknown time"
        let words = Self.words(event.kind).escapingControls
        let padding = String(repeating: " ", count: max(0, 26 - words.displayWidth))
        let rest = (sentence.text(event) ?? Self.details(event)).escapingControls
        let line = terminal.styled(time, .dim) + "  " + terminal.styled(words, Self.style(event.kind))
        return rest.isEmpty ? line : line + padding + "  " + rest
    }

    private static func details(_ event: JournalEntry) -> String {
        var details = (event.details.objectValue ?? []).map { "\($0.key)=\(plain($0.value))" }
        if let user = event.user { details.insert("user=\(user)", at: 0) }
        if let app = event.app { details.insert("app=\(app)", at: 0) }
        return details.joined(separator: " ")
    }

    /// The event's kind in words; the kind itself where this version does not know it.
    static func words(_ kind: String) -> String { known.first { $0.kind == kind }?.words ?? kind }

    /// The kinds this version knows.
    static let kinds = known.map(\.kind)

    private static let known: [(kind: String, words: String)] = [
        ("serviceStarted", "daemon started"),
        ("serviceStopped", "daemon stopped"),
        ("configurationReloaded", "configuration reloaded"),
        ("receiverConnected", "receiver connected"),
        ("receiverLost", "receiver lost"),
        ("receiverStale", "receiver silent"),
        ("fixAcquired", "position known"),
        ("fixLost", "position no longer known"),
        ("clockJumped", "a clock was set"),
        ("machineResumed", "machine woke up"),
        ("journalFull", "journal could not be written"),
        ("journalDamaged", "damaged journal set aside"),
        ("eventsDropped", "events missing"),
        ("stateRestored", "state restored"),
        ("stateSetAside", "unreadable state set aside"),
        ("authorizationRequested", "authorization requested"),
        ("authorizationAnswered", "prompt ended"),
        ("authorizationChanged", "authorization changed"),
        ("authorizationReset", "authorization erased"),
        ("servicesOn", "location services on"),
        ("servicesOff", "location services off"),
        ("restrictionsChanged", "restrictions changed"),
        ("appAttached", "app identified"),
        ("appInUse", "app in use"),
        ("appLeftUse", "app no longer in use"),
        ("appDetached", "app detached"),
        ("holdBegan", "background session began"),
        ("holdEnded", "background session ended"),
        ("manifestsChanged", "manifests changed"),
        ("reducedKeyRotated", "reduced key rotated"),
        ("userLocked", "login locked"),
        ("userUnlocked", "login unlocked"),
        ("agentRegistered", "agent registered"),
        ("agentUnregistered", "agent unregistered"),
        ("positionsSeen", "positions seen"),
        ("networkChanged", "network changed"),
        ("targetChanged", "watched host changed"),
        ("recordingStarted", "recording started"),
        ("recordingStopped", "recording stopped"),
        ("recordingErased", "recording erased"),
        ("recordingPaused", "recording paused"),
        ("recordingResumed", "recording resumed"),
        ("positionsDropped", "positions dropped"),
        ("uploadStarted", "uploader attached"),
        ("uploadPaused", "upload paused"),
        ("uploadResumed", "upload resumed"),
        ("uploadSucceeded", "upload works"),
        ("uploadFailed", "upload failed"),
        ("uploadRejected", "positions rejected"),
        ("note", "note"),
    ]

    private static func style(_ kind: String) -> Terminal.Style? {
        switch kind {
        case "fixAcquired", "receiverConnected", "servicesOn", "uploadSucceeded": .green
        case "fixLost", "receiverLost", "receiverStale", "clockJumped", "servicesOff", "uploadFailed", "uploadRejected":
            .yellow
        case "authorizationRequested", "holdBegan": .cyan
        case "journalFull", "journalDamaged", "stateSetAside", "eventsDropped", "positionsDropped": .red
        case "note": .cyan
        default: nil
        }
    }

    private static func plain(_ value: JSON) -> String {
        switch value {
        case .string(let text): text.contains(" ") || text.isEmpty ? "\"\(text)\"" : text
        // Earlier releases wrote a duration in nanoseconds.
        case .number(let number) where number.magnitude < 1e9: "\((number * 10).rounded() / 10)"
        default: value.description
        }
    }
}

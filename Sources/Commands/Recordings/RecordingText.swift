import CommandLineKit
import Interfaces

/// Recordings for a person.
struct RecordingText {
    /// Seconds since 1970.
    let now: Double
    let terminal: Terminal

    /// One line for each recording; empty without recordings.
    func table(_ recordings: [KnownRecording]) -> [String] {
        if recordings.isEmpty { return [] }
        var table = Table([
            .init("NAME"), .init("APP"), .init("USER"), .init("LAST", isNumeric: true),
            .init("WAITING", isNumeric: true), .init("OLDEST", isNumeric: true), .init("REJECTED", isNumeric: true),
            .init("LOST", isNumeric: true), .init("PROTECTION"), .init("STATE"),
        ])
        for recording in recordings {
            table.add([
                Table.Cell(recording.identifier), Table.Cell(recording.app),
                Table.Cell(UserName.text(Int64(recording.uid))), Table.Cell(Measure.grouped(recording.last)),
                Table.Cell(Measure.grouped(recording.waiting)),
                Table.Cell(recording.oldestWaiting.map { Measure.age(now - $0) } ?? "-"),
                Table.Cell(Measure.grouped(recording.deadLetters), recording.deadLetters > 0 ? .yellow : nil),
                Table.Cell(Measure.grouped(recording.dropped), recording.dropped > 0 ? .red : nil),
                Table.Cell(recording.protection?.rawValue ?? "-"),
                Table.Cell(Self.words(recording.state), Self.style(recording.state)),
            ])
        }
        return table.lines(for: terminal)
    }

    /// The state of a recording, as a sentence.
    static func sentence(_ recording: KnownRecording) -> String {
        let name = recording.identifier
        switch recording.state {
        case .recording: return "\(name) is being recorded."
        case .stopped:
            return "\(name) is stopped"
                + (recording.waiting > 0 ? ", \(Measure.count(recording.waiting, "position")) waiting." : ".")
        case .notDetermined:
            let decision = "waymark authorize \(recording.app) always --user \(UserName.text(Int64(recording.uid)))"
            return "\(name) is started, and nothing is recorded now: \(words(recording.state))."
                + " An operator decides with `\(decision)`."
        default: return "\(name) is started, and nothing is recorded now: \(words(recording.state))."
        }
    }

    /// The meaning of a state, in a few words; the word itself where this version does not know it.
    static func words(_ state: RecordingInterface.State) -> String {
        switch state {
        case .recording, .stopped: state.rawValue
        case .denied: "the app may not have positions"
        case .deniedGlobally: "location services are off"
        case .restricted: "a restriction of this machine forbids it"
        case .notDetermined: "nobody has decided yet whether the app may have positions"
        case .notInUse: "the app may have positions only while it is in use"
        case .alwaysUnconfirmed: "Always is not confirmed yet"
        case .manifestMissing: "the app's manifest was removed"
        case .notAllowed: "the app's manifest does not allow recording"
        case .locationUnavailable: "there is no position"
        case .protectedDataUnavailable: "the data is locked, see `waymark protection status`"
        case .journalUnavailable: "nothing can be stored, see waymark status"
        default: state.rawValue
        }
    }

    private static func style(_ state: RecordingInterface.State) -> Terminal.Style? {
        switch state {
        case .recording: .green
        case .stopped: .dim
        case .journalUnavailable: .red
        default: .yellow
        }
    }

    /// The title above the numbers of positions.
    static let numberTitle = number("NUMBER")

    /// A position's number, aligned to the right.
    static func number(_ number: some CustomStringConvertible) -> String {
        let text = number.description
        return String(repeating: " ", count: max(0, 9 - text.utf8.count)) + text
    }
}

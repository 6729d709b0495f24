import Interfaces

/// Findings about recordings: those without new positions, and those that are not read.
extension Diagnosis {
    /// The age in seconds above which unacknowledged positions are reported: a night without a network, and some more.
    private static let patience = 86_400.0
    /// The limit of reported recordings of each kind.
    private static let most = 3

    var recordings: [Finding] {
        let idle = facts.recordings.filter { $0.isStarted && $0.state != .recording }
        let full = facts.recordings.filter { recording in
            recording.waiting > 0 && recording.oldestWaiting.map { facts.now - $0 > Self.patience } ?? false
        }
        let losing = facts.recordings.filter { $0.dropped > 0 }
        return idle.prefix(Self.most).map(nothingRecorded) + full.prefix(Self.most).map(notEmptied)
            + losing.prefix(Self.most).map(lost)
    }

    private func nothingRecorded(_ recording: KnownRecording) -> Finding {
        Finding(
            severity: recording.state == .journalUnavailable ? .problem : .note, subject: "Recordings",
            text:
                "\(Self.name(recording)) is started, and nothing is recorded: \(RecordingText.words(recording.state)).",
            advice: Self.advice(recording))
    }

    private func notEmptied(_ recording: KnownRecording) -> Finding {
        let oldest = recording.oldestWaiting.map { Measure.age(facts.now - $0) } ?? "?"
        let rejected =
            recording.deadLetters > 0 ? " \(Measure.grouped(recording.deadLetters)) its destination has rejected." : ""
        return Finding(
            severity: .note, subject: "Recordings",
            text: "of \(Self.name(recording)) \(Measure.count(recording.waiting, "position"))"
                + " \(recording.waiting == 1 ? "waits" : "wait"), the oldest for \(oldest): they are not"
                + " acknowledged.\(rejected)",
            advice: "Its uploader may not run, or may not reach the destination: `waymark uploads`")
    }

    private func lost(_ recording: KnownRecording) -> Finding {
        Finding(
            severity: .note, subject: "Recordings",
            text: "of \(Self.name(recording)) \(Measure.count(recording.dropped, "position"))"
                + " \(recording.dropped == 1 ? "was" : "were") dropped before they were acknowledged.",
            advice: "For the times and reasons: waymark log --kind positionsDropped")
    }

    private static func name(_ recording: KnownRecording) -> String {
        "\(recording.identifier) of \(recording.app) (\(UserName.text(Int64(recording.uid))))"
    }

    private static func advice(_ recording: KnownRecording) -> String {
        let user = UserName.text(Int64(recording.uid))
        switch recording.state {
        case .denied, .notDetermined, .notInUse, .alwaysUnconfirmed:
            return "waymark authorize \(recording.app) always --user \(user)"
        case .deniedGlobally: return "waymark services on"
        case .restricted: return "waymark restrictions"
        case .manifestMissing, .notAllowed: return "waymark apps \(recording.app)"
        case .protectedDataUnavailable: return "waymark unlock"
        case .journalUnavailable: return "Free space on the disk of the journal: waymark status"
        default: return "See the findings about the receiver."
        }
    }
}

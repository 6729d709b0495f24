import Location

/// What no other point of Waymark's is called: `<recording>/<number>`.
struct PointID: Hashable, Sendable, CustomStringConvertible {
    var recording: RecordingID
    var sequence: Int64

    init(_ recording: RecordingID, _ sequence: Int64) {
        self.recording = recording
        self.sequence = sequence
    }

    /// The id that is written so; nil for anything else, as other programs' ids are.
    init?(_ text: String) {
        guard let slash = text.lastIndex(of: "/"), let recording = RecordingID(String(text[..<slash])),
            let sequence = Int64(text[text.index(after: slash)...]), sequence > 0
        else { return nil }
        self.init(recording, sequence)
    }

    var description: String { "\(recording)/\(sequence)" }
}

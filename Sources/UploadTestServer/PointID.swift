import Location

/// The unique id of a point of Waymark: `<recording>/<number>`.
struct PointID: Hashable, Sendable, CustomStringConvertible {
    var recording: RecordingID
    var sequence: Int64

    init(_ recording: RecordingID, _ sequence: Int64) {
        self.recording = recording
        self.sequence = sequence
    }

    /// Parses an id; nil for any other text, such as the ids of other programs.
    init?(_ text: String) {
        guard let slash = text.lastIndex(of: "/"), let recording = RecordingID(String(text[..<slash])),
            let sequence = Int64(text[text.index(after: slash)...]), sequence > 0
        else { return nil }
        self.init(recording, sequence)
    }

    var description: String { "\(recording)/\(sequence)" }
}

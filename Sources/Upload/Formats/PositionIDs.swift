import JSONText
import Location

/// The ids of positions that are written one after the other, nearly always of one recording: its part is made only once.
struct PositionIDs {
    private var recording: RecordingID?
    /// The recording of the last one, as it is usually written.
    private(set) var recordingText = ""
    /// The same with the slash behind it.
    private var beginning = ""

    /// What the id begins with; the position's number follows.
    fileprivate mutating func beginning(of position: RecordedPosition) -> String {
        if position.recording != recording {
            recording = position.recording
            recordingText = position.recording.description
            beginning = recordingText + "/"
        }
        return beginning
    }
}

extension JSONWriter {
    /// Writes a member with a position's id.
    mutating func member(_ name: String, of position: RecordedPosition, _ ids: inout PositionIDs) {
        member(name, ids.beginning(of: position), numbered: position.sequence)
    }
}

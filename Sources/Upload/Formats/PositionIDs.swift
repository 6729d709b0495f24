import JSONText
import Location

/// Writes the ids of positions one after the other. Nearly all belong to one recording, so its part of the id is made
/// only once.
struct PositionIDs {
    private var recording: RecordingID?
    /// The recording of the last position, as text.
    private(set) var recordingText = ""
    /// The same text followed by a slash.
    private var beginning = ""

    /// The beginning of the id; the position's number follows.
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

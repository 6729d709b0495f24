/// A position as a recording keeps it for its app.
public struct RecordedPosition: Equatable, Sendable {
    /// Which recording.
    public var recording: RecordingID
    /// Its number there: 1, 2, 3 … in the order of recording. A reader may miss some: dead letters, and what was dropped.
    public var sequence: Int64
    /// Where the app's user was, as exact as the app may know.
    public var position: Position

    /// A position of a recording.
    public init(recording: RecordingID, sequence: Int64, position: Position) {
        self.recording = recording
        self.sequence = sequence
        self.position = position
    }

    /// What no other position of any recording is called: `<recording>/<sequence>`.
    public var id: String { "\(recording)/\(sequence)" }
}

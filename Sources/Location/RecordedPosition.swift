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
    public var id: String {
        // A slash, and at most twenty digits with their sign.
        String(unsafeUninitializedCapacity: RecordingID.length + 21) { text in
            recording.write(to: text)
            text[RecordingID.length] = UInt8(ascii: "/")
            var count = 0
            var rest = sequence.magnitude
            repeat {
                count += 1
                rest /= 10
            } while rest > 0
            var place = RecordingID.length + 1
            if sequence < 0 {
                text[place] = UInt8(ascii: "-")
                place += 1
            }
            rest = sequence.magnitude
            for index in stride(from: place + count - 1, through: place, by: -1) {
                text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            return place + count
        }
    }
}

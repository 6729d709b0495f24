/// A position of an app's recording.
public struct RecordedPosition: Equatable, Sendable {
    /// The recording.
    public var recording: RecordingID
    /// Its number in the recording: 1, 2, 3 … in the order of recording. A reader may miss some: dead letters, and
    /// dropped positions.
    public var sequence: Int64
    /// The position of the app's user, with the accuracy that the app may receive.
    public var position: Position

    /// Creates a position of a recording.
    public init(recording: RecordingID, sequence: Int64, position: Position) {
        self.recording = recording
        self.sequence = sequence
        self.position = position
    }

    /// An ID that is unique across all recordings: `<recording>/<sequence>`.
    public var id: String {
        // A slash, and at most twenty digits including the sign.
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

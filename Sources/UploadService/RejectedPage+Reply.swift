import Interfaces
import Location
import Upload

extension RejectedPage {
    /// The dead letters of a reply of `io.waymark.Recording.ReadRejected`. One without a time that there is counts as very old.
    init(_ letters: [KnownDeadLetter], of recording: RecordingID) {
        self.init(
            letters.map {
                Letter(
                    RecordedPosition(recording: recording, sequence: $0.sequence, position: $0.position),
                    rejectedAt: UTCTime(secondsSinceEpoch: $0.rejectedAt) ?? UTCTime(microseconds: 0))
            })
    }
}

import Interfaces
import Location
import Upload

extension RejectedPage {
    /// The dead letters of a reply to `io.waymark.Recording.ReadRejected`. A letter without a valid time counts as very
    /// old.
    init(_ letters: [KnownDeadLetter], of recording: RecordingID) {
        self.init(
            letters.map {
                Letter(
                    RecordedPosition(recording: recording, sequence: $0.sequence, position: $0.position),
                    rejectedAt: UTCTime(secondsSinceEpoch: $0.rejectedAt) ?? UTCTime(microseconds: 0))
            })
    }
}

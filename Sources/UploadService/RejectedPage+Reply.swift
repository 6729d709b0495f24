import Interfaces
import JSONText
import Location
import Upload
import Varlink

extension RejectedPage {
    /// Reads the parameters of a reply of `io.waymark.Recording.ReadRejected`. What is no dead letter is left out; one without a
    /// time counts as very old.
    init(_ reply: JSON, of recording: RecordingID) {
        let letters = reply["deadLetters"]?.arrayValue?.compactMap(KnownDeadLetter.init) ?? []
        self.init(
            letters.map {
                Letter(
                    RecordedPosition(recording: recording, sequence: $0.sequence, position: $0.position),
                    rejectedAt: UTCTime(secondsSinceEpoch: $0.rejectedAt) ?? UTCTime(microseconds: 0))
            })
    }
}

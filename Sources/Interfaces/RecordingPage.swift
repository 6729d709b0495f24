import JSONText
import Location
import Varlink

/// Positions of a recording with the recording's id: a reply of `io.waymark.Recording.Read`.
public struct RecordingPage: Equatable, Sendable {
    /// The most positions in one reply.
    public static let mostPositions: Int64 = 1_000

    /// The recording's id.
    public var id: RecordingID
    /// The positions, in the order of their numbers.
    public var points: [RecordedPosition]
    /// The largest number that the recording has.
    public var last: Int64
    /// Everything up to this number is acknowledged.
    public var acknowledged: Int64

    /// The page of a reply.
    public init(_ reply: RecordingInterface.Read.Reply) {
        id = reply.id
        points = reply.points.map {
            RecordedPosition(recording: reply.id, sequence: $0.sequence, position: $0.position)
        }
        last = reply.last
        acknowledged = reply.acknowledged
    }
}

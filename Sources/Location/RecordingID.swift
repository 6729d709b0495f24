/// The ID of a recording.
public typealias RecordingID = UniqueID

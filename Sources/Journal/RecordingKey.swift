import Authorization

/// The key of a recording: its app, and the app's name for it.
public struct RecordingKey: Hashable, Sendable, CustomStringConvertible {
    /// The app that owns the recording.
    public var app: AppID
    /// The app's name for the recording.
    public var identifier: String

    /// The recording with this name of this app.
    public init(app: AppID, identifier: String) {
        self.app = app
        self.identifier = identifier
    }

    /// Identifier, app and uid, for people.
    public var description: String { "\(identifier) of \(app)" }

    /// Sorts by user, app and identifier: the order of lists of recordings.
    static func precedes(_ left: RecordingKey, _ right: RecordingKey) -> Bool {
        (left.app.uid, left.app.name, left.identifier) < (right.app.uid, right.app.name, right.identifier)
    }
}

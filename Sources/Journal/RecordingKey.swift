import Authorization

/// Whose recording, and which of theirs: what an app calls it.
public struct RecordingKey: Hashable, Sendable, CustomStringConvertible {
    /// The app that it belongs to.
    public var app: AppID
    /// The name that the app has for it.
    public var identifier: String

    /// The recording of this name of this app.
    public init(app: AppID, identifier: String) {
        self.app = app
        self.identifier = identifier
    }

    /// Identifier, app and uid, for a person.
    public var description: String { "\(identifier) of \(app)" }

    /// By user, app and identifier: the order in which recordings are listed.
    static func precedes(_ left: RecordingKey, _ right: RecordingKey) -> Bool {
        (left.app.uid, left.app.name, left.identifier) < (right.app.uid, right.app.name, right.identifier)
    }
}

/// Identifies an app of a user by the name of its manifest.
public struct AppID: Hashable, Sendable, CustomStringConvertible {
    /// The user.
    public let uid: UInt32
    /// The app id: the name of its manifest without `.app`.
    public let name: String

    /// The app of this name of this user.
    public init(uid: UInt32, name: String) {
        self.uid = uid
        self.name = name
    }

    /// Name and user id, as text for a person.
    public var description: String { "\(name) of uid \(uid)" }
}

/// Whose monitors: an app's of a user, or those of an operator's programs that are no app.
public struct RegionOwner: Hashable, Sendable {
    /// The user.
    public var uid: UInt32
    /// The name of the app; nil for an operator's programs that are no app.
    public var app: String?

    /// An owner.
    public init(uid: UInt32, app: String?) {
        (self.uid, self.app) = (uid, app)
    }
}

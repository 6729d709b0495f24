/// A descriptor that several values hold, closed with the last of them.
public final class SharedDescriptor: Sendable {
    private let owned: OwnedDescriptor

    /// Shares what has one owner until now.
    public init(_ owned: consuming OwnedDescriptor) { self.owned = owned }

    /// Its number, valid as long as this is held.
    public var number: Int32 { owned.number }
}

/// A descriptor with several owners, closed when the last one releases it.
public final class SharedDescriptor: Sendable {
    private let owned: OwnedDescriptor

    /// Shares an owned descriptor.
    public init(_ owned: consuming OwnedDescriptor) { self.owned = owned }

    /// The number, valid as long as this object exists.
    public var number: Int32 { owned.number }
}

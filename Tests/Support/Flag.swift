import Synchronization

/// Whether something has happened, for several threads.
public final class Flag: Sendable {
    private let value = Atomic(false)

    /// It has not happened yet.
    public init() {}

    /// Whether it has happened.
    public var isSet: Bool { value.load(ordering: .acquiring) }
    /// It has happened.
    public func set() { value.store(true, ordering: .releasing) }
}

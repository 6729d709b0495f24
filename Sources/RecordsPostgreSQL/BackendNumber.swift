import Synchronization

/// The server's process for a connection; 0 without one. The connection is used by another thread.
public final class BackendNumber: Sendable {
    private let value = Atomic<Int32>(0)

    /// There is no connection yet.
    public init() {}

    var number: Int32 {
        get { value.load(ordering: .relaxed) }
        set { value.store(newValue, ordering: .relaxed) }
    }
}

import Synchronization

/// A value that one thread passes to another; a newer one replaces it.
final class Latest<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    /// Stores a value.
    func put(_ new: Value) { value.withLock { $0 = new } }

    /// Removes and returns the value; nil if there is none.
    func remove() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}

import Synchronization

/// One value that threads hand to each other; a new one takes the place of the old.
final class Latest<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    /// Leaves a value.
    func put(_ new: Value) { value.withLock { $0 = new } }

    /// Takes the value away; nil where there is none.
    func remove() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}

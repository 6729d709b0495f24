import Platform
import Synchronization

/// Something that is done on a thread of its own.
public final class InBackground<Value: Sendable>: Sendable {
    /// It has not ended within two minutes.
    public struct NotFinished: Error {}

    private let outcome = Mutex<Result<Value, any Error>?>(nil)

    /// Begins it.
    public init(_ body: @escaping @Sendable () throws -> Value) throws {
        try DetachedThread.start(name: "background") { [self] in
            let result = Result(catching: body)
            outcome.withLock { $0 = result }
        }
    }

    /// Waits for its result.
    public func result() throws -> Value {
        guard eventually({ outcome.withLock { $0 != nil } }), let result = outcome.withLock({ $0 }) else {
            throw NotFinished()
        }
        return try result.get()
    }
}

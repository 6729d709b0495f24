/// The isolation of all mutable state of the daemon: one thread, the main event loop's.
@globalActor
public actor DaemonActor {
    /// The one instance.
    public static let shared = DaemonActor()

    /// The main event loop.
    nonisolated public var unownedExecutor: UnownedSerialExecutor {
        EventLoop.main.asUnownedSerialExecutor()
    }

    /// Runs an operation at once where the caller is known to be on the loop's thread but the compiler cannot know it,
    /// as in a callback from C. Stops the program where that is not so.
    public static func assumeIsolated<Result>(
        _ operation: @DaemonActor () throws -> Result
    ) rethrows -> Result {
        EventLoop.main.checkIsolated()
        return try withoutActuallyEscaping(operation) { operation in
            // Isolation is part of a function's type but not of its representation, and it was just checked.
            try unsafeBitCast(operation, to: (() throws -> Result).self)()
        }
    }

    /// Runs an operation on the loop's thread soon, from any thread, in the order of the calls.
    nonisolated public static func post(_ operation: @escaping @Sendable @DaemonActor () -> Void) {
        EventLoop.main.post(operation)
    }
}

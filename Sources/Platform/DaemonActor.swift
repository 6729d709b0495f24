/// The isolation of all mutable state of the daemon: the thread of the main event loop.
@globalActor
public actor DaemonActor {
    /// The only instance.
    public static let shared = DaemonActor()

    /// The main event loop.
    nonisolated public var unownedExecutor: UnownedSerialExecutor {
        EventLoop.main.asUnownedSerialExecutor()
    }

    /// Runs an operation synchronously when the caller is known to be on the loop's thread but the compiler cannot
    /// prove it, as in a callback from C. Stops the program if the caller is on another thread.
    public static func assumeIsolated<Result>(
        _ operation: @DaemonActor () throws -> Result
    ) rethrows -> Result {
        EventLoop.main.checkIsolated()
        return try withoutActuallyEscaping(operation) { operation in
            // Isolation is a part of a function's type but not of its representation, and the thread was just checked.
            try unsafeBitCast(operation, to: (() throws -> Result).self)()
        }
    }

    /// Runs an operation later on the loop's thread; callable from any thread. Operations run in the order of the
    /// calls.
    nonisolated public static func post(_ operation: @escaping @Sendable @DaemonActor () -> Void) {
        EventLoop.main.post(operation)
    }
}

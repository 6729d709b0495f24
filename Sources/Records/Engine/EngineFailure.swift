/// The error of an engine: a transaction that was not committed, or whose commit may or may not have happened.
///
/// The request is answered with a temporary error. The client repeats it with the same idempotency key.
public struct EngineFailure: Error, Equatable, CustomStringConvertible {
    /// What was attempted.
    public let operation: String
    /// The reason, without any content of a record.
    public let reason: String

    /// A failure of an operation.
    public init(_ operation: String, reason: String) {
        self.operation = operation
        self.reason = reason
    }

    /// The operation and the reason.
    public var description: String { "cannot \(operation): \(reason)" }
}

import Glibc

/// A file descriptor with a single owner, closed once.
public struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number, valid as long as the value exists.
    public let number: Int32

    /// Takes over an open descriptor.
    public init(adopting number: Int32) {
        self.number = number
    }

    /// Adopts the result of a call that returns a descriptor or -1. The call itself has to request close-on-exec.
    public init(_ operation: String, subject: String = "", _ call: () -> Int32) throws(SystemError) {
        number = try retrying(operation, subject: subject, call)
    }

    /// Releases the ownership: the caller has to close the descriptor.
    public consuming func release() -> Int32 {
        let number = self.number
        discard self
        return number
    }

    /// Closes it now.
    public consuming func close() {}

    deinit {
        _ = Glibc.close(number)
    }
}

import Glibc

/// A file descriptor that is closed once, by whoever owns it last.
public struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number, valid as long as the value lives.
    public let number: Int32

    /// Takes over an open descriptor.
    public init(adopting number: Int32) {
        self.number = number
    }

    /// Takes over the result of a call that returns a descriptor or -1, `close`-on-exec being the caller's business.
    public init(_ operation: String, subject: String = "", _ call: () -> Int32) throws(SystemError) {
        number = try retrying(operation, subject: subject, call)
    }

    /// Gives the descriptor away: the caller closes it.
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

import Platform

/// A connection to gpsd that is handed over between two processes. Data that arrives meanwhile stays in the kernel.
public struct LeftConnection: ~Copyable {
    /// The socket.
    public let socket: OwnedDescriptor
    /// When it was last read, in nanoseconds of CLOCK_MONOTONIC.
    public let lastRead: UInt64
    /// The part of an incomplete line that was read.
    public let remainder: LineSplitter.Remainder

    /// A connection with its state of reading.
    public init(socket: consuming OwnedDescriptor, lastRead: UInt64, remainder: LineSplitter.Remainder) {
        self.socket = socket
        self.lastRead = lastRead
        self.remainder = remainder
    }
}

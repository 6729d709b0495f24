import Platform

/// A connection to gpsd between two processes: what gpsd says meanwhile waits in the kernel.
public struct LeftConnection: ~Copyable {
    /// The socket.
    public let socket: OwnedDescriptor
    /// When it was read last, in nanoseconds of CLOCK_MONOTONIC.
    public let lastRead: UInt64
    /// What was read of a line whose end had not come yet.
    public let remainder: LineSplitter.Remainder

    /// A connection that was read so far.
    public init(socket: consuming OwnedDescriptor, lastRead: UInt64, remainder: LineSplitter.Remainder) {
        self.socket = socket
        self.lastRead = lastRead
        self.remainder = remainder
    }
}

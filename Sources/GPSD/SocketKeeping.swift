import Platform

/// Puts the socket of a connection where the next process of the service finds it.
@DaemonActor
public protocol SocketKeeping: AnyObject {
    /// Keeps it from now on; false where that is not possible, or not now.
    func keep(_ socket: Int32) -> Bool

    /// Keeps it no longer.
    func letGo()

    /// The socket is about to be read. A process that ends before `wasRead` leaves a line of which the beginning is lost.
    func willRead()

    /// What had come was read at this time, in nanoseconds of CLOCK_MONOTONIC, up to and including this part of a line.
    func wasRead(at monotonicNanoseconds: UInt64, remainder: LineSplitter.Remainder)
}

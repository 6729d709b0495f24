/// The transport of requests to the kernel and of its replies: a socket, or a recording of one.
public protocol KernelExchange: AnyObject {
    /// Sends a request, and passes the reply's datagrams to `handle`, one after another, until `handle` returns true.
    /// Returns false if the reply is missing or incomplete. Never blocks.
    ///
    /// The request's header has no sequence number; the exchange may write one into it.
    func perform(_ request: UnsafeMutableRawBufferPointer, _ handle: (UnsafeRawBufferPointer) -> Bool) -> Bool

    /// Sends requests with one reply datagram each in one batch. Passes each reply that arrives to `handle` with the
    /// index of its request; a request without a reply has to be sent on its own. Never blocks.
    ///
    /// The requests are concatenated, and the exchange may write sequence numbers into their headers. The replies are
    /// valid until the next call of this function, or until the exchange is released.
    func performAll(_ requests: UnsafeMutableRawBufferPointer, _ handle: (Int, UnsafeRawBufferPointer) -> Void)
}

extension KernelExchange {
    /// No batch: each request has to be sent on its own.
    public func performAll(_ requests: UnsafeMutableRawBufferPointer, _ handle: (Int, UnsafeRawBufferPointer) -> Void) {
    }
}

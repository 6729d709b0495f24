/// What carries requests to the kernel and its answers back: a socket, or a recording of one.
public protocol KernelExchange: AnyObject {
    /// Sends a request, and hands on the datagrams that answer it, one after another until `take` says that it has all.
    /// False where the request was not answered, or not to its end. Nothing here waits.
    ///
    /// The request's header lacks a sequence number, which the exchange may write into it.
    func perform(_ request: UnsafeMutableRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool

    /// Sends requests that are answered by one datagram each, all at once, and hands on those answers that come, each with
    /// the place of its request: what is not answered so is to be asked by itself. Nothing here waits.
    ///
    /// The requests stand one behind the other, and the exchange may write sequence numbers into their headers. The answers
    /// are valid until the next call of this, or until the exchange is gone.
    func performAll(_ requests: UnsafeMutableRawBufferPointer, _ take: (Int, UnsafeRawBufferPointer) -> Void)
}

extension KernelExchange {
    /// Each has to be asked by itself.
    public func performAll(_ requests: UnsafeMutableRawBufferPointer, _ take: (Int, UnsafeRawBufferPointer) -> Void) {}
}

/// What carries requests to the kernel and its answers back: a socket, or a recording of one.
public protocol KernelExchange: AnyObject {
    /// Sends a request, and hands on the datagrams that answer it, one after another until `take` says that it has all.
    /// False where the request was not answered, or not to its end. Nothing here waits.
    ///
    /// The request's header lacks a sequence number, which the exchange may write into it.
    func perform(_ request: UnsafeMutableRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool
}

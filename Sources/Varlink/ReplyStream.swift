import Platform

/// The replies of one call, in the order of their arrival.
public final class ReplyStream {
    /// The connection of the stream.
    public let client: Client

    init(_ client: Client) {
        self.client = client
    }

    /// The next reply; nil after the last one.
    /// - Throws: The error that ended the stream; `timedOut` if there was none within the timeout, and then the stream
    ///   is closed. To wait without ending the stream, see `Client.waitReadable`.
    public func next(timeout: Duration? = nil) throws(VarlinkError) -> Reply? {
        try client.nextReply(PollDeadline(after: timeout))
    }

    /// Ends the stream by closing its connection, as Varlink requires.
    public func cancel() {
        client.close()
    }
}

import Platform

/// The replies of one call, one by one as they come.
public final class ReplyStream {
    /// The connection that the stream runs on.
    public let client: Client

    init(_ client: Client) {
        self.client = client
    }

    /// The next reply; nil after the last one.
    /// - Throws: The error that ended the stream, `timedOut` where none came within the time given: the stream is then
    ///   closed. To wait without ending the stream, see `Client.waitReadable`.
    public func next(timeout: Duration? = nil) throws(VarlinkError) -> Reply? {
        try client.nextReply(PollDeadline(after: timeout))
    }

    /// Ends the stream and its connection: Varlink has no other way.
    public func cancel() {
        client.close()
    }
}

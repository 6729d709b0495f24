import Interfaces

/// The app's authorization, now and after every change: the equivalent of Core Location's
/// `locationManagerDidChangeAuthorization(_:)`. It never causes a prompt.
///
/// Only the newest element is buffered for a slow reader. If the daemon is not running when the sequence begins, the
/// sequence ends with an error. If the daemon stops later, the sequence waits until it is available again. Each
/// iterator has a connection and a thread of its own, which end with it.
public struct AuthorizationUpdates: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = AppAuthorization
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let client: WaymarkClient

    /// Starts the stream.
    public func makeAsyncIterator() -> AsyncIterator {
        let updates = client.replies(of: LocationInterface.MonitorAuthorization(), lasting: .onceBegun) {
            $0.authorization
        }
        return AsyncIterator(updates: updates.makeAsyncIterator())
    }

    /// An iterator over authorizations.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var updates: AsyncThrowingStream<AppAuthorization, any Error>.AsyncIterator

        /// The next authorization; nil after the task was cancelled. Throws a `WaymarkError`.
        public mutating func next() async throws -> AppAuthorization? {
            try await updates.next()
        }
    }
}

import Interfaces

/// What the app is allowed, now and after every change: what `locationManagerDidChangeAuthorization(_:)` reports to an app
/// Core Location.
///
/// Only the newest waits for a slow reader: it is all that counts. The sequence ends with an error where the daemon does
/// not run at first; when it goes away later the sequence waits until it is back. It never asks anybody. Each iterator has a connection and a thread of its own, both gone when it is.
public struct AuthorizationUpdates: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = AppAuthorization
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let client: WaymarkClient

    /// Starts to listen.
    public func makeAsyncIterator() -> AsyncIterator {
        let updates = client.replies(of: LocationInterface.MonitorAuthorization(), lasting: .onceBegun) {
            $0.authorization
        }
        return AsyncIterator(updates: updates.makeAsyncIterator())
    }

    /// Reads authorizations one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var updates: AsyncThrowingStream<AppAuthorization, any Error>.AsyncIterator

        /// The next authorization; throws a `WaymarkError`. Nil after the task was cancelled.
        public mutating func next() async throws -> AppAuthorization? {
            try await updates.next()
        }
    }
}

import Interfaces

/// Positions as they come, in the manner of Core Location's `CLLocationUpdate.liveUpdates()`.
///
///     for try await update in WaymarkClient().updates() {
///         if let position = update.position { … }
///     }
///
/// The first update comes at once, with or without a position; further ones for every position that is due and whenever
/// the reason changes why there is none. Only the newest waits for a slow reader: what it misses is counted in
/// `dropped`. The sequence ends with an error when the daemon refuses, and so when the app is not authorized any more, or
/// does not run at first. When it goes away later the sequence waits until it is back, and goes on. Each iterator has a
/// connection and a thread of its own, both gone when it is.
public struct LocationUpdates: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = LocationUpdate
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let client: WaymarkClient
    let request: MonitorRequest

    /// Starts to listen.
    public func makeAsyncIterator() -> AsyncIterator {
        let updates = client.replies(of: request, lasting: .onceBegun) {
            $0.update
        } merging: { update, unread in
            update.dropped += unread.dropped + 1
        }
        return AsyncIterator(updates: updates.makeAsyncIterator())
    }

    /// Reads updates one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var updates: AsyncThrowingStream<LocationUpdate, any Error>.AsyncIterator

        /// The next update; throws a `WaymarkError`. Nil after the task was cancelled.
        public mutating func next() async throws -> LocationUpdate? {
            try await updates.next()
        }
    }
}

import Interfaces

/// Positions as they are received: the equivalent of Core Location's `CLLocationUpdate.liveUpdates()`.
///
///     for try await update in WaymarkClient().updates() {
///         if let position = update.position { … }
///     }
///
/// The first update arrives at once, with or without a position. Further ones arrive for every position that is due,
/// and when the reason changes why there is none. Only the newest is buffered for a slow reader, and with `maximumDelay`
/// the newest 256; `dropped` counts those that it missed. The sequence ends with an error when the daemon refuses it, also when the app is no longer
/// authorized, and if the daemon is not running at first. If the daemon stops later, the sequence waits until it is
/// available again, and continues. Each iterator has a connection and a thread of its own, which end with it.
public struct LocationUpdates: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = LocationUpdate
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let client: WaymarkClient
    let request: MonitorRequest

    /// Starts the stream.
    public func makeAsyncIterator() -> AsyncIterator {
        // Delayed updates come together, at most 256 of them.
        let count = request.maximumDelay == nil ? 1 : 256
        let updates = client.replies(of: request, lasting: .onceBegun, buffering: count) {
            $0.update
        } merging: { update, unread in
            update.dropped += unread.dropped + 1
        }
        return AsyncIterator(updates: updates.makeAsyncIterator())
    }

    /// An iterator over updates.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var updates: AsyncThrowingStream<LocationUpdate, any Error>.AsyncIterator

        /// The next update; nil after the task was cancelled. Throws a `WaymarkError`.
        public mutating func next() async throws -> LocationUpdate? {
            try await updates.next()
        }
    }
}

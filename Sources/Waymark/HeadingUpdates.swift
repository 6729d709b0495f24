import Interfaces
import Location

/// The directions in which the machine points, in the manner of Core Location's `startUpdatingHeading()` and `CLHeading`.
///
///     for try await heading in WaymarkClient().headings() {
///         if let degrees = heading.trueHeading { … }
///     }
///
/// The first heading comes as soon as a compass reports one, further ones when it has changed by the filter. Needs full
/// accuracy; nothing comes while the app is not in use. Only the newest is buffered for a slow reader. The sequence ends with
/// an error when the daemon refuses; a daemon that stops later is waited for.
public struct HeadingUpdates: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = Heading
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let client: WaymarkClient
    let request: LocationInterface.MonitorHeading

    /// Starts to listen.
    public func makeAsyncIterator() -> AsyncIterator {
        let headings = client.replies(of: request, lasting: .onceBegun) { $0.heading }
        return AsyncIterator(headings: headings.makeAsyncIterator())
    }

    /// Reads headings one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var headings: AsyncThrowingStream<Heading, any Error>.AsyncIterator

        /// The next heading; nil after the task was cancelled. Throws a `WaymarkError`.
        public mutating func next() async throws -> Heading? {
            try await headings.next()
        }
    }
}

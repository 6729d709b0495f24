import Interfaces
import NetworkPaths

/// Whether and how a host is reachable, now and after every change: the equivalent of a scheduled
/// `SCNetworkReachability`.
///
///     for try await target in WaymarkClient().targets(host: "tracker.example.org", port: 443) {
///         if target.status == .reachable { … }
///     }
///
/// It continues and ends as `NetworkPathUpdates` does. Each iterator has a connection and a thread of its own, which
/// end with it.
public struct TargetUpdates: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = TargetReachability
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let client: WaymarkClient
    let request: ReachabilityInterface.MonitorTarget

    /// Starts the stream.
    public func makeAsyncIterator() -> AsyncIterator {
        let targets = client.replies(of: request, lasting: .always) { $0.target }
        return AsyncIterator(targets: targets.makeAsyncIterator())
    }

    /// An iterator over the host's states.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var targets: AsyncThrowingStream<TargetReachability, any Error>.AsyncIterator

        /// The next state of the host; nil after the task was cancelled. Throws a `WaymarkError`.
        public mutating func next() async throws -> TargetReachability? {
            try await targets.next()
        }
    }
}

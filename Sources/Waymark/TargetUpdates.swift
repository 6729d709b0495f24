import Interfaces
import NetworkPaths

/// Whether and how one host can be reached, now and after every change: what a scheduled `SCNetworkReachability` reports.
///
///     for try await target in WaymarkClient().targets(host: "tracker.example.org", port: 443) {
///         if target.status == .reachable { … }
///     }
///
/// It goes on and ends as `NetworkPathUpdates` does. Each iterator has a connection and a thread of its own, both gone
/// when it is.
public struct TargetUpdates: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = TargetReachability
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let client: WaymarkClient
    let request: ReachabilityInterface.MonitorTarget

    /// Starts to listen.
    public func makeAsyncIterator() -> AsyncIterator {
        let targets = client.replies(of: request, lasting: .always) { $0.target }
        return AsyncIterator(targets: targets.makeAsyncIterator())
    }

    /// Reads targets one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var targets: AsyncThrowingStream<TargetReachability, any Error>.AsyncIterator

        /// The next state of the host; throws a `WaymarkError`. Nil after the task was cancelled.
        public mutating func next() async throws -> TargetReachability? {
            try await targets.next()
        }
    }
}

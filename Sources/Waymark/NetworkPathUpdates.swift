import Interfaces
import NetworkPaths

/// How this machine would send to the rest of the world, now and after every change, in the manner of `NWPathMonitor`.
///
///     for try await path in WaymarkClient().paths() {
///         if path.status == .satisfied { … }
///     }
///
/// A loss is reported at once, and so is a gain after a calm period. Soon after another loss a gain is reported once it has held. Only
/// the newest waits for a slow reader: what it missed shows in `generation`, which an interruption that left everything as
/// it was raises by two. While the daemon is unavailable nothing is reported, and when it is back the path is reported anew, its
/// `generation` counted from that start on. The sequence ends with an error where waiting does not help, as where the daemon
/// cannot ask the kernel. Each iterator has a connection and a thread of its own, both gone when it is.
public struct NetworkPathUpdates: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = NetworkPath
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let client: WaymarkClient

    /// Starts to listen.
    public func makeAsyncIterator() -> AsyncIterator {
        let paths = client.replies(of: ReachabilityInterface.MonitorPath(), lasting: .always) { $0.path }
        return AsyncIterator(paths: paths.makeAsyncIterator())
    }

    /// Reads paths one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var paths: AsyncThrowingStream<NetworkPath, any Error>.AsyncIterator

        /// The next path; throws a `WaymarkError`. Nil after the task was cancelled.
        public mutating func next() async throws -> NetworkPath? {
            try await paths.next()
        }
    }
}

import Interfaces
import NetworkPaths

/// The path to the rest of the Internet, now and after every change: the equivalent of `NWPathMonitor`.
///
///     for try await path in WaymarkClient().paths() {
///         if path.status == .satisfied { … }
///     }
///
/// A loss is reported at once, and so is a recovery after a calm period. A recovery soon after another loss is reported
/// once it has lasted. Only the newest path is buffered for a slow reader. `generation` shows what it missed: an
/// interruption after which the path is the same as before increases it by two. While the daemon is unavailable nothing
/// is reported; when it is available again the path is reported once more, with a `generation` counted from that start.
/// The sequence ends with an error if waiting is useless, for example if the daemon cannot query the kernel. Each
/// iterator has a connection and a thread of its own, which end with it.
public struct NetworkPathUpdates: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = NetworkPath
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let client: WaymarkClient

    /// Starts the stream.
    public func makeAsyncIterator() -> AsyncIterator {
        let paths = client.replies(of: ReachabilityInterface.MonitorPath(), lasting: .always) { $0.path }
        return AsyncIterator(paths: paths.makeAsyncIterator())
    }

    /// An iterator over paths.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var paths: AsyncThrowingStream<NetworkPath, any Error>.AsyncIterator

        /// The next path; nil after the task was cancelled. Throws a `WaymarkError`.
        public mutating func next() async throws -> NetworkPath? {
            try await paths.next()
        }
    }
}

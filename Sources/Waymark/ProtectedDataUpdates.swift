import Interfaces

/// Whether protected data can be read, now and after every change: the equivalent of UIKit's notifications
/// `protectedDataWillBecomeUnavailable` and `protectedDataDidBecomeAvailable`.
///
///     for try await state in WaymarkClient().protectedDataUpdates() {
///         if case .becomingUnavailable = state { … }
///     }
///
/// The first element is the present state, and every other one differs from the one before. Only the newest state is
/// buffered for a slow reader. The sequence can begin without a daemon. While the daemon is unavailable nothing is
/// reported; when it is available again the sequence continues. A daemon that was started again has no keys, so the data is
/// then `unavailable` without an announcement. The sequence ends with an error if waiting is useless, for example with an
/// older daemon. Each iterator has a connection and a thread of its own, which end with it.
public struct ProtectedDataUpdates: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = ProtectedData
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let client: WaymarkClient

    /// Starts the stream.
    public func makeAsyncIterator() -> AsyncIterator {
        let states = client.replies(of: ProtectionInterface.Monitor(), lasting: .always) { reply in
            ProtectedData(reply, receivedAt: .now)
        }
        return AsyncIterator(states: states.makeAsyncIterator())
    }

    /// An iterator over states.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var states: AsyncThrowingStream<ProtectedData, any Error>.AsyncIterator
        private var last: ProtectedData?

        fileprivate init(states: AsyncThrowingStream<ProtectedData, any Error>.AsyncIterator) { self.states = states }

        /// The next state; nil after the task was cancelled. Throws a `WaymarkError`.
        public mutating func next() async throws -> ProtectedData? {
            // The daemon reports a state again after a restart, and while it erases the keys.
            while let state = try await states.next() {
                if let last, state.isRepetition(of: last) { continue }
                last = state
                return state
            }
            return nil
        }
    }
}

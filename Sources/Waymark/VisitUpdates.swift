import Interfaces
import Location

/// The places where the machine stays, in the manner of Core Location's `startMonitoringVisits()` and `CLVisit`.
///
///     for try await visit in WaymarkClient().visits() {
///         if let departure = visit.departure { … } else { … }
///     }
///
/// A visit comes when it has lasted five minutes, and again with its departure when it has ended. `arrival` is nil where the
/// stay began before it was observed for this app. Visits are observed while the loop runs; the last 100 are stored, and `since`
/// begins with those that have ended since then. Needs full accuracy. The sequence ends with an error when the daemon refuses; a
/// daemon that goes away later is waited for. Up to 100 visits wait for a slow reader.
public struct VisitUpdates: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = Visit
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let client: WaymarkClient
    let request: LocationInterface.MonitorVisits

    /// Starts to listen.
    public func makeAsyncIterator() -> AsyncIterator {
        let visits = client.replies(of: request, lasting: .onceBegun, buffering: 100) { $0.visit }
        return AsyncIterator(visits: visits.makeAsyncIterator())
    }

    /// Reads visits one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var visits: AsyncThrowingStream<Visit, any Error>.AsyncIterator
        private var lastDeparture: UTCTime?
        private var lastArrival: Visit?

        fileprivate init(visits: AsyncThrowingStream<Visit, any Error>.AsyncIterator) {
            self.visits = visits
        }

        /// The next visit; throws a `WaymarkError`. Nil after the task was cancelled.
        public mutating func next() async throws -> Visit? {
            // A daemon that was restarted sends again what it has stored.
            while let visit = try await visits.next() {
                if let departure = visit.departure {
                    if let lastDeparture, departure <= lastDeparture { continue }
                    lastDeparture = departure
                    lastArrival = nil
                    return visit
                }
                if let lastArrival, lastArrival.arrival == visit.arrival { continue }
                lastArrival = visit
                return visit
            }
            return nil
        }
    }
}

import Interfaces
import Location

extension LocationMonitor {
    /// Something that happened at the border of a region, or to what is known about it.
    public struct Event: Equatable, Sendable {
        /// 1, 2, 3 … in the monitor.
        public var sequence: Int64
        /// The identifier of the region; nil where events were dropped.
        public var identifier: String?
        /// Whether the machine is in the region now.
        public var state: State
        /// What happened. Later releases may have other words.
        public var kind: RegionsInterface.Kind
        /// Why the state is unknown.
        public var reason: RegionsInterface.Doubt?
        /// The time of the fix that decided, or when the state became unknown.
        public var date: UTCTime
        /// When the border was crossed, interpolated between the fixes before and after it.
        public var crossed: UTCTime?
        /// Whether the machine passed through the region, or across a gap in it, between two fixes.
        public var passedThrough: Bool
        /// From a replay or a simulator.
        public var isSimulated: Bool
        /// The position of the fix that decided; nil for `unknown` and `overflowed`.
        public var coordinate: Coordinate?
        /// Metres, the 68 % radius of that fix.
        public var horizontalAccuracy: Double?
        /// The number of events that were dropped, because too many were not acknowledged.
        public var lost: Int64?

        init(_ event: RegionsInterface.Event) {
            sequence = event.sequence
            identifier = event.region
            state =
                switch event.kind {
                case .entered, .loitered: .satisfied
                case .left: .unsatisfied
                default: State(event.state)
                }
            kind = event.kind
            reason = event.reason
            date = UTCTime(secondsSinceEpoch: event.time) ?? UTCTime(microseconds: 0)
            crossed = event.crossed.flatMap { UTCTime(secondsSinceEpoch: $0) }
            passedThrough = event.passedThrough
            isSimulated = event.isSimulated
            if let latitude = event.latitude, let longitude = event.longitude {
                coordinate = Coordinate(latitude: latitude, longitude: longitude)
            }
            horizontalAccuracy = event.horizontalAccuracy
            lost = event.lost
        }
    }

    /// The events of a monitor in order, for `for try await`.
    ///
    /// None is omitted for a slow reader: up to 1,000 are buffered, and the daemon stores the others. An event that is not
    /// acknowledged comes again when the app was restarted. If the daemon stops, the sequence waits until it is available
    /// again, and while the data is locked since a start, until it is unlocked. It ends with an error when the app is not authorized, or no longer: the daemon has then erased the events.
    public struct Events: AsyncSequence, Sendable {
        /// The elements of the sequence.
        public typealias Element = Event
        /// A `WaymarkError`.
        public typealias Failure = any Error

        let monitor: LocationMonitor
        let after: Int64?

        /// Starts to listen.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(monitor: monitor, after: after) }

        /// Reads events one by one.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private let monitor: LocationMonitor
            private var after: Int64?
            private var replies: AsyncThrowingStream<RegionsInterface.Event, any Error>.AsyncIterator

            fileprivate init(monitor: LocationMonitor, after: Int64?) {
                self.monitor = monitor
                self.after = after
                replies = Self.open(monitor, after: after)
            }

            /// The next event; nil after the task was cancelled. Throws a `WaymarkError`.
            public mutating func next() async throws -> Event? {
                while true {
                    guard let reply = try await replies.next() else {
                        // Either the reader was slow, and the rest is read from the daemon, or nobody reads any more.
                        if Task.isCancelled { return nil }
                        replies = Self.open(monitor, after: after)
                        continue
                    }
                    // A daemon that was restarted sends again what is not acknowledged.
                    if let after, reply.sequence <= after { continue }
                    after = reply.sequence
                    let event = Event(reply)
                    if !monitor.isAssumed(event) { return event }
                }
            }

            private static func open(
                _ monitor: LocationMonitor, after: Int64?
            ) -> AsyncThrowingStream<RegionsInterface.Event, any Error>.AsyncIterator {
                let thread = CallThread()
                let request = RegionsInterface.Monitor(monitor: monitor.name, after: after)
                let stream = AsyncThrowingStream<RegionsInterface.Event, any Error>(
                    bufferingPolicy: .bufferingOldest(1_000)
                ) { output in
                    output.onTermination = { _ in thread.stop() }
                    thread.start(name: "waymark-events", monitor.client, request, lasting: .always) { reply in
                        guard case .enqueued = output.yield(reply.event) else { return false }
                        return true
                    } onEnd: { error in
                        output.finish(throwing: error)
                    }
                }
                return stream.makeAsyncIterator()
            }
        }
    }
}

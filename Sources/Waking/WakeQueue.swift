import Containers
import Location

/// The events of an app's subscriptions that it has not acknowledged, in their order.
public struct WakeQueue: Equatable, Sendable {
    /// The most events of an app. Of more, the oldest are dropped and counted: for paths and hosts only the latest matter. Pushes
    /// are dropped last, because there is one for each container at most.
    public static let most = 64

    /// The stored events.
    public internal(set) var events: [WakeEvent] = []
    /// The number of the latest event; 0 for none.
    public internal(set) var last: Int64 = 0
    /// Everything up to this number is acknowledged.
    public internal(set) var acknowledged: Int64 = 0
    /// The number of events that were dropped because there were too many.
    public internal(set) var lost: Int64 = 0

    /// An empty queue.
    public init() {}

    /// Adds an event and returns it with its number.
    @discardableResult
    mutating func append(
        _ subscription: WakeSubscription, fired: [FiredSubscription] = [], at time: UTCTime
    ) -> WakeEvent {
        last += 1
        let event = WakeEvent(sequence: last, subscription: subscription, fired: fired, time: time)
        events.append(event)
        if events.count > Self.most {
            events.remove(at: events.firstIndex { $0.subscription.cause != .push } ?? 0)
            lost += 1
        }
        return event
    }

    /// Erases the events up to a number. Returns false if there is no such event.
    mutating func acknowledge(upTo number: Int64) -> Bool {
        guard number <= last else { return false }
        acknowledged = max(acknowledged, number)
        events.removeAll { $0.sequence <= number }
        return true
    }

    /// Erases the events of a subscription that the app has withdrawn.
    mutating func remove(_ subscription: WakeSubscription) {
        events.removeAll { $0.subscription == subscription }
    }

    /// The events after a number.
    public func events(after number: Int64) -> ArraySlice<WakeEvent> { events.drop { $0.sequence <= number } }
}

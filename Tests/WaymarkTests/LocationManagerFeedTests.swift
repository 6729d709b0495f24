import Synchronization
import Testing

@testable import Waymark

/// What a feed of a `LocationManager` confirms to the daemon.
struct LocationManagerFeedTests {
    @Test func `an event that no manager has received is not confirmed`() async {
        let feed = LocationManagerFeed(
            manager: LocationManagerReference(), owner: MainActor.shared, source: .regions, number: 1)
        let confirmed = Mutex<[Int]>([])
        let events = AsyncStream<Int> { continuation in
            continuation.yield(1)
            continuation.finish()
        }
        await feed.forward(events, onDelivery: { element in confirmed.withLock { $0.append(element) } }) { _ in
            .ended(.disconnected)
        }
        #expect(confirmed.withLock { $0 }.isEmpty)
    }
}

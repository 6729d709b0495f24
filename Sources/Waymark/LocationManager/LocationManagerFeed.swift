import Interfaces
import Platform

/// Carries what the daemon reports to a manager, on the manager's actor. `LocationManager` runs each feed in a task of its
/// own, and cancels the task when it does not need the feed any more.
///
/// A feed waits until the manager and its delegate have handled an event. Meanwhile events are in the buffer of the
/// library's sequence, whose documentation has its limit.
struct LocationManagerFeed: Sendable {
    typealias Source = LocationManagerState.Source
    typealias Event = LocationManagerState.Event

    let manager: LocationManagerReference
    let owner: any Actor
    let source: Source
    /// The number of this feed among those of its source: the manager ignores the events of an earlier one.
    let number: Int

    /// Forwards the elements of a sequence, which can be iterated again after an error. While the daemon is unavailable, a
    /// new iteration is begun after a pause; the absence is reported once, until the next element.
    ///
    /// `onDelivery` is called when the delegate has handled an element, and not for an element that the manager did not
    /// receive, because it has ended or has begun another feed.
    func forward<Sequence: AsyncSequence>(
        _ sequence: Sequence, onDelivery: (Sequence.Element) async throws -> Void = { _ in },
        _ event: (Sequence.Element) -> Event
    ) async where Sequence.Element: Sendable {
        var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(5))
        var isReported = false
        while !Task.isCancelled {
            do {
                for try await element in sequence {
                    pause.reset()
                    isReported = false
                    if await deliver(event(element)) { try await onDelivery(element) }
                }
                return
            } catch let error as WaymarkError where error.isAbsence {
                if !isReported { _ = await deliver(.interrupted(error)) }
                isReported = true
            } catch {
                return await end(error)
            }
            // The sleep throws only if the task is cancelled.
            do { try await Task.sleep(for: pause.nextAtRandom()) } catch { return }
        }
    }

    /// Forwards the reply to one call. A call is not repeated, because a person may have been asked.
    func forward<Reply: Sendable>(_ reply: () async throws -> Reply, _ event: (Reply) -> Event) async {
        do { _ = await deliver(event(try await reply())) } catch { await end(error) }
    }

    private func end(_ error: any Error) async {
        // The library's sequences and calls throw no other error but CancellationError, which nobody waits for.
        if let error = error as? WaymarkError { _ = await deliver(.ended(error)) }
    }

    /// Returns whether the manager has handled the event.
    private func deliver(_ event: Event) async -> Bool {
        guard !Task.isCancelled else { return false }
        return await manager.receive(event, from: source, feed: number, on: owner)
    }
}

/// A weak reference to a manager. Tasks pass it on; it is read on the manager's actor only.
final class LocationManagerReference: @unchecked Sendable {
    // Invariant: read and written on the manager's actor only, in `LocationManager.init` and the functions below.
    weak var manager: LocationManager?

    /// Delivers the result of an operation on regions.
    func receive(_ report: LocationManagerRegions.Report, on owner: isolated any Actor) {
        manager?.receive(report)
    }

    fileprivate func receive(
        _ event: LocationManagerState.Event, from source: LocationManagerState.Source, feed: Int,
        on owner: isolated any Actor
    ) -> Bool {
        manager?.receive(event, from: source, feed: feed) ?? false
    }
}

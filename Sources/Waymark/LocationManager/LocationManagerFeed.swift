import Interfaces
import Platform

/// Carries what the daemon reports to a manager, on the manager's actor. A feed waits until the manager and its delegate
/// have handled an event; meanwhile the library's sequences buffer no more than they say.
struct LocationManagerFeed: Sendable {
    typealias Source = LocationManagerState.Source
    typealias Event = LocationManagerState.Event

    let manager: LocationManagerReference
    let owner: any Actor
    let source: Source
    let number: Int

    /// Forwards the elements of a sequence. If the daemon is unavailable when a sequence begins, that is reported once, and
    /// tried again.
    ///
    /// `onDelivery` is called when the delegate has handled an element.
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
                    await deliver(event(element))
                    try await onDelivery(element)
                }
                return
            } catch let error as WaymarkError where error.isAbsence {
                if !isReported { await deliver(.interrupted(error)) }
                isReported = true
            } catch {
                return await end(error)
            }
            // Throws only if the task is cancelled, which ends the loop.
            do { try await Task.sleep(for: pause.nextAtRandom()) } catch { return }
        }
    }

    /// Forwards the reply to one call.
    func forward<Reply: Sendable>(_ reply: () async throws -> Reply, _ event: (Reply) -> Event) async {
        do { await deliver(event(try await reply())) } catch { await end(error) }
    }

    private func end(_ error: any Error) async {
        // Any other error is CancellationError: nobody waits for the end of a cancelled feed.
        if let error = error as? WaymarkError { await deliver(.ended(error)) }
    }

    private func deliver(_ event: Event) async {
        guard !Task.isCancelled else { return }
        await manager.receive(event, from: source, feed: number, on: owner)
    }
}

/// A reference to a manager that other tasks carry, but only the manager's actor uses.
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
    ) {
        manager?.receive(event, from: source, feed: feed)
    }
}

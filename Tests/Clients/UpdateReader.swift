import Interfaces
import JSONText
import Location
import Platform
import Synchronization
import TestSupport
import Varlink

/// A client that stores every update of one `Monitor` call with its time of arrival, on a thread of its own.
public final class UpdateReader: Sendable {
    /// An update and its time of arrival.
    public struct Received {
        /// The update.
        public let update: LocationUpdate
        /// Nanoseconds of CLOCK_MONOTONIC.
        public let at: UInt64
    }

    private struct State {
        var received: [Received] = []
        var ending: String?
    }

    private let state = Mutex(State())
    private let stopped = WakeDescriptor()
    private let began = SystemClock().monotonicNanoseconds

    /// Connects and calls.
    public init(_ socketPath: String, _ request: MonitorRequest = MonitorRequest()) throws {
        try DetachedThread.start(name: "update-reader") { [self] in
            var ending = "stopped"
            do throws(VarlinkError) { try read(socketPath, request) } catch { ending = "\(error)" }
            state.withLock { $0.ending = ending }
        }
    }

    /// Everything so far.
    public var received: [Received] { state.withLock { $0.received } }
    /// The positions so far.
    public var positions: [Position] { received.compactMap(\.update.position) }
    /// The reported number of missed updates.
    public var dropped: Int64 { received.reduce(0) { $0 + $1.update.dropped } }
    /// Whether the daemon has left out updates that this reader would have read in time. The kernel has room for less than
    /// a hundred updates, which a reader finds together once the machine runs it again: one that was not run for half a
    /// second before these may have missed some.
    public var wasNeglected: Bool {
        let received = received
        return received.indices.contains { index in
            guard received[index].update.dropped > 0 else { return false }
            let start = max(0, index - 100)
            let instants = (start == 0 ? [began] : []) + received[start...index].map(\.at)
            return zip(instants, instants.dropFirst()).allSatisfy { $1 - $0 < 500_000_000 }
        }
    }
    /// Why it has ended; nil while it runs.
    public var ending: String? { state.withLock { $0.ending } }

    /// The first matching update from an index on, as soon as it arrives; nil where it does not arrive in time.
    public func first(
        from index: Int = 0, within seconds: Double = Patience.daemon, where isWanted: (LocationUpdate) -> Bool
    ) -> Received? {
        var found: Received?
        _ = eventually(within: seconds) {
            found = received.dropFirst(index).first { isWanted($0.update) }
            return found != nil || ending != nil
        }
        return found
    }

    /// The first position from an index on.
    public func firstPosition(from index: Int = 0, within seconds: Double = Patience.daemon) -> Received? {
        first(from: index, within: seconds) { $0.position != nil }
    }

    /// The first update from an index on with the reason for a missing position.
    public func firstLoss(_ reason: String, from index: Int = 0, within seconds: Double = Patience.daemon) -> Received?
    {
        first(from: index, within: seconds) {
            $0.position == nil && $0.diagnostics == [.locationUnavailable, .init(rawValue: reason)]
        }
    }

    /// Whether this number of further positions arrives in time.
    public func receives(_ more: Int, within seconds: Double = Patience.daemon) -> Bool {
        let goal = positions.count + more
        return eventually(within: seconds) { positions.count >= goal }
    }

    /// Ends the call and waits for the thread.
    public func stop() {
        stopped.signal()
        _ = eventually(within: 60) { ending != nil }
    }

    private func read(_ socketPath: String, _ request: MonitorRequest) throws(VarlinkError) {
        let client = try Client(path: socketPath, timeout: .seconds(60))
        let stream = try client.stream(MonitorRequest.name, request.parameters, timeout: .seconds(60))
        while try client.waitReadable(alsoWatching: [stopped.number]) == .reply {
            guard let reply = try stream.next() else { return }
            let update = try MonitorRequest.reply(reply.parameters).update
            let at = SystemClock().monotonicNanoseconds
            state.withLock { $0.received.append(Received(update: update, at: at)) }
        }
    }
}

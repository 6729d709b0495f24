import Location

/// The machine's current position: the latest fix, and whether it is still valid.
public struct Tracker {
    /// Whether there is a fix.
    public enum State: Equatable, Sendable {
        /// None since the start, or none that is remembered.
        case searching
        /// This fix, which is valid until the deadline in nanoseconds of CLOCK_MONOTONIC.
        case fixed(Fix, until: UInt64)
        /// This was the last fix.
        case lost(Fix, Loss)
    }

    /// Why a fix is no longer valid.
    public enum Loss: String, CaseIterable, Sendable {
        /// No newer fix was received in time.
        case stale
        /// Its receiver was removed.
        case receiverRemoved
        /// The connection to gpsd was lost.
        case disconnected
        /// No client wants positions, so gpsd is not queried.
        case unwatched
    }

    /// A transition, for the journal.
    public enum Event: Equatable, Sendable {
        /// A fix is available again; the seconds without one, nil for the first.
        case acquired(afterSeconds: Double?)
        /// No fix is available any more.
        case lost(Loss)
    }

    /// Nanoseconds after which a fix is stale; a slower receiver is allowed 3 of its own intervals, at most 5 minutes.
    public var patience: UInt64
    /// Whether there is a fix.
    public private(set) var state = State.searching
    /// The latest view of the sky of each receiver, for at most as many as gpsd has devices.
    public private(set) var skyViews: [String: SkyView] = [:]

    static let maximumSkyViews = 16
    private var lostAt: UInt64?

    /// A tracker without a fix.
    public init(patience: UInt64 = 5_000_000_000) {
        self.patience = patience
    }

    /// The latest fix, whether or not it is still valid.
    public var latestFix: Fix? {
        switch state {
        case .searching: nil
        case .fixed(let fix, _), .lost(let fix, _): fix
        }
    }

    /// The fix that is valid now.
    public var currentFix: Fix? {
        if case .fixed(let fix, _) = state { fix } else { nil }
    }

    /// When `timerFired` has to be called, in nanoseconds of CLOCK_MONOTONIC.
    public var deadline: UInt64? {
        if case .fixed(_, let until) = state { until } else { nil }
    }

    /// Handles a fix.
    public mutating func receive(_ fix: Fix) -> [Event] {
        let wait: UInt64
        let events: [Event]
        if case .fixed(let previous, _) = state {
            let interval = fix.receivedAt - min(fix.receivedAt, previous.receivedAt)
            wait = max(patience, 3 * min(interval, 100_000_000_000))
            events = []
        } else {
            wait = patience
            let seconds = lostAt.map { Double(fix.receivedAt - min(fix.receivedAt, $0)) / 1e9 }
            events = [.acquired(afterSeconds: seconds)]
        }
        state = .fixed(fix, until: fix.receivedAt + wait)
        return events
    }

    /// Discards a fix that is no longer valid.
    public mutating func forgetPast() {
        if case .lost = state { state = .searching }
    }

    /// Handles a view of the sky. A view without satellites leaves the list unchanged.
    public mutating func receive(_ sky: SkyView) {
        var sky = sky
        if !sky.listsSatellites, let known = skyViews[sky.receiver] {
            sky.satellites = known.satellites
            sky.listsSatellites = known.listsSatellites
            sky.hdop = sky.hdop ?? known.hdop
            sky.pdop = sky.pdop ?? known.pdop
        }
        guard skyViews[sky.receiver] != nil || skyViews.count < Self.maximumSkyViews else { return }
        skyViews[sky.receiver] = sky
    }

    /// Handles the timer, if the deadline has passed.
    public mutating func timerFired(at monotonicNanoseconds: UInt64) -> [Event] {
        guard case .fixed(_, let until) = state, monotonicNanoseconds >= until else { return [] }
        return lose(.stale, at: monotonicNanoseconds)
    }

    /// Handles the removal of a receiver.
    public mutating func receiverRemoved(_ receiver: String, at monotonicNanoseconds: UInt64) -> [Event] {
        skyViews[receiver] = nil
        guard case .fixed(let fix, _) = state, fix.receiver == receiver else { return [] }
        return lose(.receiverRemoved, at: monotonicNanoseconds)
    }

    /// The connection was lost, or was closed by the daemon.
    public mutating func disconnected(_ loss: Loss = .disconnected, at monotonicNanoseconds: UInt64) -> [Event] {
        skyViews = [:]
        return lose(loss, at: monotonicNanoseconds)
    }

    private mutating func lose(_ loss: Loss, at monotonicNanoseconds: UInt64) -> [Event] {
        guard case .fixed(let fix, _) = state else { return [] }
        state = .lost(fix, loss)
        lostAt = monotonicNanoseconds
        return [.lost(loss)]
    }
}

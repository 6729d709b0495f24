import Location

/// The messages about a destination's regions: the daemon's events, and which of them are settled; the waypoints that the
/// destination does not have yet.
///
/// An event is settled when the destination has acknowledged its message, when it has none, or when the destination has
/// refused the message alone, has accepted another one since, and has refused it again. Events are settled in their order,
/// and only a settled one is acknowledged to the daemon, which stores the others.
struct RegionOutbox: Sendable {
    /// An event that is not settled, with its message; nil for an event without one.
    private struct PendingEvent: Sendable {
        var sequence: Int64
        var transition: Transition?
    }

    /// A message that the destination has refused.
    private struct Doubt: Equatable, Sendable {
        /// The transfer that was refused. Only the acceptance of a later one proves something.
        var transferID: UInt64
        /// The status of the refusal.
        var status: Int
        /// When it is sent again without a proof, nanoseconds of the monotonic clock.
        var until: UInt64
        /// Whether the destination has accepted another transfer since.
        var isProven = false
    }

    /// What a message belongs to.
    private enum Subject: Hashable {
        case waypoint(String)
        case event(Int64)
    }

    /// The most events in memory. The daemon stores the others.
    static let mostEvents = 512

    /// The regions of the destination by their names; nil while they are not known.
    private(set) var waypoints: [String: Waypoint]?
    /// The waypoints to send, in their order, and when they became pending.
    private var pendingWaypoints: [(name: String, queued: UTCTime)] = []
    private var lastQueued = UTCTime(microseconds: 0)
    private var events: ArraySlice<PendingEvent> = []
    /// On which side of each border the machine was after the last event that was received, and before it according to the
    /// daemon at the start.
    private var sides: [String: Bool] = [:]
    private var initialSides: [String: KnownSide] = [:]
    /// The largest number that was received.
    private(set) var received: Int64 = 0
    /// Whether events after `received` were left in the daemon.
    private(set) var isBehind = false
    /// The number up to which the daemon has stored that all are settled, and that of the call in progress.
    private var acknowledged: Int64 = 0
    private var acknowledging: Int64?
    private var doubts: [Subject: Doubt] = [:]
    /// The message in flight.
    private(set) var inFlight: RegionMessage?

    /// Events without a message: their states are unknown, or their regions are none of the destination any more.
    private(set) var skipped: UInt64 = 0

    /// The number of waypoints and events that are not settled.
    var count: Int { pendingWaypoints.count + events.count }
    /// The status of a refusal that may not be final; nil for none.
    var refusal: Int? { doubts.values.first?.status }
    /// The time since which the oldest message is pending.
    var oldest: UTCTime? {
        [events.first?.transition?.time, pendingWaypoints.first?.queued].compactMap { $0 }.min()
    }

    // The regions.

    /// The regions of the destination are these. Waypoints that are new or have changed are pending.
    mutating func replaceWaypoints(_ list: [Waypoint], at now: UTCTime) {
        let old = waypoints ?? [:]
        let new = Dictionary(list.map { ($0.name, $0) }) { first, _ in first }
        waypoints = new
        pendingWaypoints.removeAll { new[$0.name]?.circle == nil || new[$0.name] != old[$0.name] }
        for waypoint in list where waypoint.circle != nil && old[waypoint.name] != waypoint {
            queue(waypoint, at: now)
        }
        sides = sides.filter { new[$0.key] != nil }
        doubts = [:]
    }

    /// The destination has none of the waypoints.
    mutating func queueAllWaypoints(at now: UTCTime) {
        pendingWaypoints = []
        for waypoint in (waypoints ?? [:]).values.sorted(by: { $0.name < $1.name }) where waypoint.circle != nil {
            queue(waypoint, at: now)
        }
        doubts = [:]
    }

    /// Each time is used once, because it is part of the message's identity.
    private mutating func queue(_ waypoint: Waypoint, at now: UTCTime) {
        lastQueued = max(now, UTCTime(microseconds: lastQueued.microseconds + 1))
        pendingWaypoints.append((waypoint.name, lastQueued))
    }

    // The daemon.

    /// The daemon sends the events that are not acknowledged. Those of a new monitor are numbered from 1.
    mutating func open(isNew: Bool, _ known: [String: KnownSide]) {
        acknowledging = nil
        isBehind = false
        if isNew {
            withdrawEvents()
            (received, acknowledged) = (0, 0)
        }
        initialSides = known
    }

    /// The events may not be sent. Those that the daemon has not erased are read again.
    mutating func withdrawEvents() {
        received = settled
        events = []
        (sides, initialSides) = ([:], [:])
        acknowledging = nil
        doubts = doubts.filter { if case .waypoint = $0.key { true } else { false } }
        if case .transition = inFlight { inFlight = nil }
    }

    /// Adds an event with a larger number than all before; others are known.
    mutating func append(_ event: BorderEvent) {
        guard event.sequence > received else { return }
        guard events.count < Self.mostEvents, !isBehind else {
            isBehind = true
            return
        }
        received = event.sequence
        let transition = transition(of: event)
        if transition == nil { skipped += 1 }
        events.append(PendingEvent(sequence: event.sequence, transition: transition))
        settleSilentEvents()
    }

    /// An event without a message is settled as soon as those before it are.
    private mutating func settleSilentEvents() {
        while let first = events.first, first.transition == nil { events.removeFirst() }
    }

    /// The message of an event. One that only determines a state has a message if the state differs from the last known one,
    /// and at first only inside.
    private mutating func transition(of event: BorderEvent) -> Transition? {
        guard let name = event.region, let waypoint = waypoints?[name] else { return nil }
        let before = sides[name] ?? initialSides[name].flatMap { $0.since < event.time ? $0.isInside : nil }
        let isInside: Bool
        switch event.kind {
        case .determined(let side):
            isInside = side
            guard isInside != before ?? false else {
                sides[name] = isInside
                return nil
            }
        case .entered: isInside = true
        case .left: isInside = false
        case .other: return nil
        }
        sides[name] = isInside
        guard let place = event.place else { return nil }
        return Transition(
            sequence: event.sequence, direction: isInside ? .enter : .leave, waypoint: waypoint, time: event.time,
            place: place)
    }

    /// The number up to which all events are settled.
    private var settled: Int64 { events.first.map { $0.sequence - 1 } ?? received }

    /// The number of the last received event, if there is room for those that were left in the daemon.
    mutating func readOn() -> Int64? {
        guard isBehind, events.count <= Self.mostEvents / 2 else { return nil }
        isBehind = false
        return received
    }

    /// A number up to which all events are settled, if the daemon does not know it; it is being acknowledged from now on.
    mutating func beginAcknowledgement() -> Int64? {
        guard acknowledging == nil, settled > acknowledged else { return nil }
        acknowledging = settled
        return settled
    }

    /// The daemon has stored the acknowledgement.
    mutating func acknowledge(upTo number: Int64) {
        acknowledged = max(acknowledged, number)
        if acknowledging == number { acknowledging = nil }
    }

    // Sending.

    /// Whether a message can be sent now.
    func hasSomethingToSend(at now: UInt64) -> Bool { next(at: now) != nil }

    /// The next message, which is in flight from now on.
    mutating func begin(at now: UInt64) -> RegionMessage? {
        guard inFlight == nil else { return nil }
        inFlight = next(at: now)
        return inFlight
    }

    /// The first event, after the waypoint of its region; without events the first waypoint.
    private func next(at now: UInt64) -> RegionMessage? {
        guard inFlight == nil else { return nil }
        if let transition = events.first?.transition, maySend(.event(transition.sequence), at: now) {
            let own = pendingWaypoints.first { $0.name == transition.waypoint.name }
            if let own, maySend(.waypoint(own.name), at: now), let message = message(own) { return message }
            return .transition(transition)
        }
        return pendingWaypoints.first { maySend(.waypoint($0.name), at: now) }.flatMap(message)
    }

    private func message(_ pending: (name: String, queued: UTCTime)) -> RegionMessage? {
        waypoints?[pending.name].map { .waypoint($0, queued: pending.queued) }
    }

    private func maySend(_ subject: Subject, at now: UInt64) -> Bool {
        doubts[subject].map { $0.isProven || $0.until <= now } ?? true
    }

    /// The message in flight was not sent, or nothing is known about it.
    mutating func putBack() { inFlight = nil }

    /// The destination has acknowledged the message in flight.
    mutating func settle() {
        guard let message = inFlight else { return }
        inFlight = nil
        remove(message)
    }

    /// The destination has refused the message in flight, of this transfer. Returns whether the refusal is final.
    mutating func refuse(_ status: Int, transferID: UInt64, until: UInt64) -> Bool {
        guard let message = inFlight else { return false }
        inFlight = nil
        if doubts[Self.subject(of: message)]?.isProven == true {
            remove(message)
            return true
        }
        doubts[Self.subject(of: message)] = Doubt(transferID: transferID, status: status, until: until)
        return false
    }

    /// The destination has accepted a transfer: messages that were refused before are sent once more.
    mutating func noteAcceptance(of transferID: UInt64) {
        for (subject, doubt) in doubts where doubt.transferID < transferID { doubts[subject]?.isProven = true }
    }

    /// The destination has failed, or something has changed: earlier refusals prove nothing.
    mutating func forgetDoubts() { doubts = [:] }

    /// The earliest instant after `now` at which a refused message is sent again without a proof; nil for none. One whose
    /// instant has passed is in flight, or is sent as soon as something can be sent.
    func nextRetry(after now: UInt64) -> UInt64? {
        doubts.values.lazy.filter { !$0.isProven && $0.until > now }.map(\.until).min()
    }

    private mutating func remove(_ message: RegionMessage) {
        doubts[Self.subject(of: message)] = nil
        switch message {
        case .transition(let transition):
            if events.first?.sequence == transition.sequence { events.removeFirst() }
            settleSilentEvents()
        case .waypoint(let waypoint, let queued):
            // Another one, if it was changed while it was in flight.
            pendingWaypoints.removeAll { $0.name == waypoint.name && $0.queued == queued }
        }
    }

    private static func subject(of message: RegionMessage) -> Subject {
        switch message {
        case .waypoint(let waypoint, _): .waypoint(waypoint.name)
        case .transition(let transition): .event(transition.sequence)
        }
    }
}

import Location

@testable import Upload

/// The regions of the world: a monitor of the daemon with its events, and what the destination has of them.
struct SimulatedRegions {
    /// All events so far: their numbers begin at 1 and have no gaps. Every third one has no message.
    var events: [BorderEvent] = []
    /// Up to which number they are acknowledged to the daemon.
    var acknowledged: Int64 = 0
    /// Up to which number the present uploader process knows that; it may repeat a call whose reply was lost.
    var confirmed: Int64 = 0
    /// The largest number that the daemon has sent to the present uploader process.
    var sent: Int64 = 0
    var isStreaming = false
    /// The events that the destination has stored, in the order of their first arrival.
    var stored: [Int64] = []
    /// The events that an uploader process knew to be stored, or refused for good.
    var settled: Set<Int64> = []
    /// In which moods each event was refused.
    var refusals: [Int64: Set<Int>] = [:]
    var lastRefused: Int64?
    var waypoints: Set<String> = []

    static let list = ["yard", "depot"].enumerated().map {
        Waypoint(
            name: $0.element, created: Int64(1_000 + $0.offset),
            circle: Waypoint.Circle(center: Samples.coordinate(), radius: 50))
    }

    mutating func append() {
        let number = Int64(events.count + 1)
        // A region that is entered is left with its next event.
        let kind: BorderEvent.Kind = [.entered, .left, .other][Int(number % 3)]
        events.append(Samples.event(number, kind, seconds: Double(number)))
    }

    func hasMessage(_ number: Int64) -> Bool { events[Int(number - 1)].kind != .other }
}

extension SimulatedWorld {
    var hasRegions: Bool { configuration.destination.format == .owntracks }

    mutating func cross(_ count: Int) {
        guard hasRegions else { return }
        for _ in 0..<count { regions.append() }
        streamRegions()
    }

    mutating func startRegions() {
        guard hasRegions else { return }
        perform(uploader.replaceWaypoints(SimulatedRegions.list, at: time))
        openRegions()
    }

    mutating func openRegions(after: Int64? = nil) {
        guard hasRegions, isDaemonThere else { return }
        queue.removeAll { if case .border = $0.event { true } else { false } }
        regions.isStreaming = true
        regions.sent = after ?? regions.acknowledged
        if after == nil { perform(uploader.regionsOpened(isNew: false, [:], at: time)) }
        streamRegions()
    }

    mutating func streamRegions() {
        guard regions.isStreaming else { return }
        while regions.sent < Int64(regions.events.count) {
            regions.sent += 1
            schedule(.border(regions.events[Int(regions.sent - 1)]), milliseconds: 1...1)
        }
    }

    mutating func loseRegions() {
        guard hasRegions else { return }
        regions.isStreaming = false
        for case .regionAcknowledgement(let number) in queue.map(\.event) where chance(50) {
            regions.acknowledged = max(regions.acknowledged, number)
        }
        queue.removeAll {
            switch $0.event {
            case .border, .regionAcknowledgement: true
            default: false
            }
        }
        perform(uploader.regionsLost(isWithdrawn: false, at: time))
    }

    mutating func acknowledgeRegions(upTo number: Int64) {
        if number <= regions.confirmed { violations.append("event \(number) is to be acknowledged a second time") }
        if !isDaemonThere { violations.append("event \(number) is to be acknowledged without a daemon") }
        for event in regions.events where event.sequence > regions.acknowledged && event.sequence <= number {
            if regions.hasMessage(event.sequence), !regions.settled.contains(event.sequence) {
                violations.append("event \(event.sequence) is acknowledged before the destination did so")
            }
        }
        schedule(.regionAcknowledgement(number), milliseconds: 0...20)
    }

    /// The destination has received a message about a region.
    mutating func store(_ message: RegionMessage) {
        switch message {
        case .waypoint(let waypoint, _): regions.waypoints.insert(waypoint.name)
        case .transition(let transition):
            guard !regions.stored.contains(transition.sequence) else { return }
            if let last = regions.stored.max(), last > transition.sequence {
                violations.append("event \(transition.sequence) arrived after \(last)")
            }
            regions.stored.append(transition.sequence)
        }
    }

    /// The uploader receives a response to a transfer for which it still waits.
    mutating func noteRegion(_ id: UInt64, isRefusal: Bool, isAcceptance: Bool) {
        guard let transfer = uploader.transfers.first(where: { $0.transfer.id == id })?.transfer,
            let message = transfer.message
        else { return }
        if isRefusal { regions.lastRefused = nil }
        guard case .transition(let transition) = message else { return }
        if isAcceptance { regions.settled.insert(transition.sequence) }
        guard isRefusal else { return }
        regions.refusals[transition.sequence, default: []].insert(moods)
        regions.lastRefused = transition.sequence
    }

    /// An event is refused for good only after it was refused in two moods; `lastRefused` is nil for a waypoint.
    mutating func dropRefused() {
        guard let number = regions.lastRefused else { return }
        if regions.refusals[number]?.count ?? 0 < 2 { violations.append("event \(number) was dropped too soon") }
        regions.settled.insert(number)
    }

    mutating func classifyRegions() {
        guard hasRegions, violations.isEmpty else { return }
        if regions.acknowledged < Int64(regions.events.count) {
            violations.append(
                "\(regions.acknowledged) of \(regions.events.count) events are acknowledged: \(uploader.report.state)")
        }
    }
}

extension Samples {
    static func event(
        _ number: Int64, _ kind: BorderEvent.Kind, seconds: Double = 0, region: String? = "yard", hasPlace: Bool = true
    ) -> BorderEvent {
        BorderEvent(
            sequence: number, region: region, kind: kind,
            time: UTCTime(microseconds: begin + Int64(seconds * 1e6)),
            place: hasPlace ? BorderEvent.Place(coordinate(), horizontalAccuracy: 4.5) : nil)
    }
}

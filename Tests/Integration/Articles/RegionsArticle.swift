// The examples of Regions.md in the catalogue, as they are shown: `DocumentationTests` compares the lines.

import Waymark

/// Replaces the regions of a monitor by a yard, the streets around it and a route.
func replaceRegions(_ yard: Coordinate, _ corners: [Coordinate], _ route: [Coordinate]) async throws {
    let monitor = try await LocationMonitor("depot")
    try await monitor.removeAll()
    let circle = LocationMonitor.CircularGeographicCondition(center: yard, radius: 80)
    try await monitor.add(circle, identifier: "yard", assuming: .unsatisfied)
    let block: LocationMonitor.Condition = .polygon(rings: [corners])
    try await monitor.add(block, identifier: "block", dwell: .seconds(60), loitering: .seconds(3_600))
    try await monitor.add(["route": .corridor(along: route, halfWidth: 50)])
    try await monitor.remove("block")
}

/// Describes the regions of all of the app's monitors.
func describeRegions(_ client: WaymarkClient, show: (String) -> Void) async throws {
    for summary in try await client.monitors() {
        let monitor = try await client.monitor(summary.name)
        show("\(monitor.name): \(try await monitor.status()?.state.rawValue ?? "empty")")
        for identifier in try await monitor.identifiers {
            guard let record: LocationMonitor.Record = try await monitor.record(for: identifier) else { continue }
            let state: LocationMonitor.State = record.state
            show(
                "\(record.identifier) is \(state) since \(record.since?.iso8601() ?? "?"), \(record.reason?.rawValue ?? "")"
            )
            show("\(record.condition), \(record.dwell) s, \(record.loitering ?? 0) s")
            let last: LocationMonitor.Record.LastEvent = record.lastEvent
            show("\(last.identifier): \(last.state) at \(last.date?.iso8601() ?? "?"), \(last.reason?.rawValue ?? "")")
        }
    }
}

/// Writes a log of all borders that are crossed. An event comes again until it is acknowledged.
func logEvents(_ monitor: LocationMonitor, after last: Int64?, write: (String) throws -> Void) async throws {
    let events: LocationMonitor.Events = last.map(monitor.events(after:)) ?? monitor.events
    for try await event: LocationMonitor.Event in events {
        let time = (event.crossed ?? event.date).iso8601()
        let place = event.coordinate.map { "\($0.latitude) \($0.longitude) ± \(event.horizontalAccuracy ?? 0) m" }
        try write("\(event.sequence) \(time) \(event.kind) \(event.identifier ?? "") \(place ?? "")")
        if event.passedThrough { try write("passed through") }
        if event.isSimulated { try write("simulated") }
        if let reason = event.reason { try write("unknown: \(reason)") }
        if let lost = event.lost { try write("\(lost) events were dropped") }
        try await monitor.acknowledge(event)
    }
}

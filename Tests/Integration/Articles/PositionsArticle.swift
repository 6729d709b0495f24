// The examples of Positions.md in the catalogue, as they are shown: `DocumentationTests` compares the lines.

import Waymark

/// The distance to a place, and how many satellites the receiver uses. Blocks until there is a position.
func distance(to place: Coordinate, _ client: WaymarkClient) throws(WaymarkError) -> String {
    let request = PositionRequest(desiredAccuracy: 100, maximumAge: 60, timeout: 10)
    let position = try client.position(request)
    let used = try client.satellites().satellites.count { $0.isUsed }
    return "\(Int(position.coordinate.distance(to: place))) m, \(used) satellites, from \(client.socketPath)"
}

/// The length of a route in metres until the machine stops, or until an hour has passed.
func length(_ client: WaymarkClient) async throws -> Double {
    let type: ActivityType = .fitness
    let request = MonitorRequest(
        desiredAccuracy: 50, distanceFilter: 5, activityType: type, pausesAutomatically: true)
    let updates: LocationUpdates = client.updates(request)
    var (meters, first, last) = (0.0, Position?.none, Position?.none)
    for try await update in updates {
        guard let position = update.position else { continue }
        if let last { meters += position.distance(from: last) }
        first = first ?? position
        last = position
        if update.stationary || position.timestamp - (first?.timestamp ?? 0) > 3_600 { break }
    }
    return meters
}

/// Shows positions, or what keeps the app from having them.
func explain(_ client: WaymarkClient, show: (String) -> Void) async throws {
    let updates: LiveUpdates = LocationUpdate.liveUpdates(.fitness, client: client)
    for try await update in updates {
        if let location = update.location {
            show("\(location.coordinate.latitude) \(location.coordinate.longitude)")
        } else if update.authorizationRestricted {
            show("The administrator of this machine forbids it.")
        } else if update.authorizationRequestInProgress {
            show("Answer the question on your screen.")
        } else if update.manifestMissing {
            show("The app is not installed completely.")
        }
    }
}

/// Turns a dial by at least five degrees at a time.
func turn(_ client: WaymarkClient, dial: (Double) -> Void) async throws {
    let headings: HeadingUpdates = client.headings(filter: 5)
    for try await heading in headings {
        if let degrees = heading.trueHeading ?? heading.magneticHeading { dial(degrees) }
    }
}

/// Lists where the machine has stayed since a time, and where it stays from now on.
func list(since time: UTCTime, _ client: WaymarkClient, show: (String) -> Void) async throws {
    let visits: VisitUpdates = client.visits(since: time)
    for try await visit in visits {
        show("\(visit.arrival?.iso8601() ?? "?") to \(visit.departure?.iso8601() ?? "now")")
    }
}

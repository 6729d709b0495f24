// What the documentation shows of the library, as it is shown: `DocumentationTests` compares the lines.

import Waymark

private func readme() async throws {
    for try await update in WaymarkClient().updates(MonitorRequest(distanceFilter: 10)) {
        if let position = update.position {
            print(position.coordinate.latitude, position.coordinate.longitude, position.horizontalAccuracy)
        } else {
            print("no position: \(update.diagnostics)")
        }
    }
}

/// Shows where the person is, while the app is authorized.
func follow(_ client: WaymarkClient, show: (String) -> Void) async throws {
    // A window of the app is in front: without this it counts as in the background.
    let session = ActivitySession(.active, client: client)
    defer { session.invalidate() }
    var authorization = try await session.declared()

    if authorization.status == .notDetermined {
        // Waits for the person's answer, for minutes if need be.
        authorization = try await client.requestWhenInUseAuthorization()
    }
    if authorization.agentUnavailable {
        return show("No agent can show the prompt: run `waymark agent`.")
    }
    do {
        for try await update in client.updates(MonitorRequest(distanceFilter: 10)) {
            if let position = update.position {
                show("\(position.coordinate.latitude) \(position.coordinate.longitude)")
            } else if update.insufficientlyInUse {
                show("Positions resume when this window is in front.")
            } else {
                show("No position: \(update.diagnostics)")
            }
        }
    } catch WaymarkError.refused(_, let message) {
        // Denied, restricted, services off, or no manifest: a sentence for the person.
        show(message)
    }
}

/// Continues positions in the background. Has to begin while a window is in front.
func record(_ client: WaymarkClient, _ session: ActivitySession) async throws {
    let hike = BackgroundActivitySession(client: client)
    _ = try await hike.begun()
    session.setActivity(.background)
    for await state in hike.states() {
        if case .ended(let error) = state, let error { print("Not recording any more: \(error)") }
    }
}

/// Shows whether there is a network, and every change at once.
func showNetwork(_ client: WaymarkClient, show: (String) -> Void) async throws {
    for try await path in client.paths() {
        switch path.status {
        case .satisfied:
            show("Network: " + path.interfaces.map(\.name).joined(separator: ", "))
        case .requiresConnection, .unsatisfied:
            show("No network: " + (path.reason?.rawValue ?? "no reason known"))
        }
    }
}

/// Sends pending data whenever the server is reachable over a network that costs nothing.
func upload(_ client: WaymarkClient, send: () async -> Bool) async throws {
    for try await target in client.targets(host: "tracker.example.org", port: 443) {
        guard target.status == .reachable, !target.isExpensive else { continue }
        // Reachable means that the kernel would send. Only an attempt shows whether the server answers, so its outcome
        // is reported to the daemon.
        let outcome: ReportedOutcome = await send() ? .answered : .failed
        try await client.report(outcome, host: target.host, port: target.port)
    }
}

/// Records a point every ten metres and sends the recorded points, each at least once.
func record(_ client: WaymarkClient, send: ([RecordedPosition]) async throws -> Void) async throws {
    let recording = client.recording("trip")
    try await recording.start(RecordingOptions(distanceFilter: 10))
    for try await page in recording.pages() {
        try await send(page.points)
        if let last = page.points.last { try await recording.acknowledge(upTo: last.sequence) }
    }
}

/// Whether this daemon can provide positions, before the person is asked.
func hasPositions(_ client: WaymarkClient) throws -> Bool {
    let daemon = try client.release()
    return daemon.features.contains(.positions)
}

/// Reports every arrival and departure, each at least once.
func report(_ client: WaymarkClient, yard: Coordinate, send: (String, Bool) async throws -> Void) async throws {
    let monitor = try await client.monitor("depots")
    try await monitor.add(.circle(center: yard, radius: 80), identifier: "yard", assuming: .unsatisfied)
    for try await event in monitor.events {
        if let identifier = event.identifier, event.state != .unknown {
            try await send(identifier, event.state == .satisfied)
        }
        try await monitor.acknowledge(event)
    }
}

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

/// Shows where the person is, as long as the person lets it.
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
        return show("Nobody can be asked: run `waymark agent`.")
    }
    do {
        for try await update in client.updates(MonitorRequest(distanceFilter: 10)) {
            if let position = update.position {
                show("\(position.coordinate.latitude) \(position.coordinate.longitude)")
            } else if update.insufficientlyInUse {
                show("Positions come again when this window is in front.")
            } else {
                show("No position: \(update.diagnostics)")
            }
        }
    } catch WaymarkError.refused(_, let message) {
        // Denied, restricted, services off, or no manifest: a sentence for the person.
        show(message)
    }
}

/// Keeps positions coming while the person does something else. Begins while a window is in front.
func record(_ client: WaymarkClient, _ session: ActivitySession) async throws {
    let hike = BackgroundActivitySession(client: client)
    _ = try await hike.begun()
    session.setActivity(.background)
    for await state in hike.states() {
        if case .ended(let error) = state, let error { print("Not recording any more: \(error)") }
    }
}

/// Shows whether there is a network, and at once when there is none any more.
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

/// Sends what waits whenever there is a way to the server that costs nothing.
func upload(_ client: WaymarkClient, send: () async -> Bool) async throws {
    for try await target in client.targets(host: "tracker.example.org", port: 443) {
        guard target.status == .reachable, !target.isExpensive else { continue }
        // Reachable says that the kernel would send. Whether somebody answers is known by trying, and worth telling.
        let outcome: ReportedOutcome = await send() ? .answered : .failed
        try await client.report(outcome, host: target.host, port: target.port)
    }
}

/// Records a point every ten metres, and hands over what was recorded, each point until it was taken.
func record(_ client: WaymarkClient, send: ([RecordedPosition]) async throws -> Void) async throws {
    let recording = client.recording("trip")
    try await recording.start(RecordingOptions(distanceFilter: 10))
    for try await page in recording.pages() {
        try await send(page.points)
        if let last = page.points.last { try await recording.acknowledge(upTo: last.sequence) }
    }
}

/// Whether there is any use in asking the person for positions.
func hasPositions(_ client: WaymarkClient) throws -> Bool {
    let daemon = try client.release()
    return daemon.features.contains(.positions)
}

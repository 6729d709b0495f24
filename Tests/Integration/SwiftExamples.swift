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

/// A window of a program that shows books.
struct ReaderWindow {
    /// Stable over releases; a window without one is not restored.
    var identifier: RestorationIdentifier?
    /// The book's identifier in the library: the book itself belongs to the model, and is not saved.
    var book: String
    var page: Int
}

extension StateKey<String> {
    static var book: Self { "book" }
}

extension StateKey<Int> {
    static var page: Self { "page" }
}

/// The windows that were open. To be called once, at the start.
func restoreWindows(_ store: StateStore) throws -> [ReaderWindow] {
    var windows: [ReaderWindow] = []
    let restoration = try store.restore { app in
        for identifier in app.children {
            guard let state = app.child(identifier), let book = state.decode(.book) else { continue }
            windows.append(ReaderWindow(identifier: identifier, book: book, page: state.decode(.page) ?? 1))
        }
    }
    if case .discarded(let reason) = restoration { print("starting without the last state: \(reason)") }
    return windows
}

/// Saves which windows are open. To be called when the program goes to the background, and on SIGTERM.
func saveWindows(_ windows: [ReaderWindow], _ store: StateStore) throws {
    try store.save(if: { !windows.isEmpty }) { app in
        for window in windows {
            app.child(window.identifier) { state in
                state.encode(window.book, for: .book)
                state.encode(window.page, for: .page)
            }
        }
    }
}

/// Restores a state that version 1 of the program may have saved, which counted pages from 0.
func restorePage(_ store: StateStore) throws -> Int {
    var page = 1
    let migrate = { (saved: SavedState) -> StateArchive? in
        // A newer version, or an unknown format: nothing is restored.
        guard saved.version == 1, let old = saved.archive?.root.decode(.page) else { return nil }
        return try StateArchive { $0.encode(old + 1, for: .page) }
    }
    _ = try store.restore(migrating: migrate) { app in page = app.decode(.page) ?? 1 }
    return page
}

/// Shows recorded positions while they can be read, and erases the copies in memory before they are locked.
func followLocks(_ client: WaymarkClient, show: () -> Void, erase: () -> Void) async throws {
    for try await state in client.protectedDataUpdates() {
        switch state {
        case .available: show()
        // The daemon erases its keys at this instant, 10 s after the announcement.
        case .becomingUnavailable: erase()
        // Also without an announcement: a daemon that was started again has no keys.
        case .unavailable: erase()
        }
    }
}

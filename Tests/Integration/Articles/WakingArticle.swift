// The examples of Waking.md in the catalogue, as they are shown: `DocumentationTests` compares the lines.

import Waymark

/// Requests what a courier's app is woken for. Requesting it again changes nothing.
func requestWakes(_ wakes: Wakes, depot: String) async throws {
    let wanted: [Wakes.Subscription] = [.path, .target(host: depot, port: 443), .significantChange]
    for subscription in wanted { try await wakes.subscribe(subscription) }
    // An earlier release of this app requested it.
    try await wakes.unsubscribe(.visits)
}

/// Handles what is pending at the start of an app, and returns: the app may end then.
func handleWake(_ client: WaymarkClient, handle: (String) async throws -> Void) async throws {
    let reason: Wakes.LaunchReason = try await client.wakes.launchReason()
    print(reason.isWoken ? "woken for \(reason.cause?.rawValue ?? "something")" : "started by itself")
    for pending in reason.reasons {
        guard let name = pending.monitor else { continue }
        for try await event in try await client.monitor(name).events(after: pending.first - 1) {
            try await handle("\(event.kind) \(event.identifier ?? "")")
            return try await client.monitor(name).acknowledge(event)
        }
    }
}

/// Whether an app opens again what was open: not after the person has forced it to quit, perhaps because of what was open.
func shouldContinue(_ wakes: Wakes) async throws -> Bool {
    try await !wakes.launchReason().isAfterForcedQuit
}

/// Handles the events that are no region's, until the task is cancelled. An event comes again until it is acknowledged.
func followEvents(_ wakes: Wakes, handle: (String) async throws -> Void) async throws {
    for try await event: Wakes.Event in wakes.events {
        let host = event.host.map { " of \($0), port \(event.port.map(String.init) ?? "any")" } ?? ""
        try await handle("\(event.sequence): \(event.cause.rawValue)\(host) at \(event.date.iso8601())")
        try await wakes.acknowledge(event)
    }
}

/// Reads what other machines have changed, and returns when no push is pending. A push that comes meanwhile is another event.
func handlePushes(_ wakes: Wakes, readChanges: (String) async throws -> Void) async throws {
    if try await wakes.launchReason().pushedContainers.isEmpty { return }
    for try await event in wakes.events {
        if let container = event.container { try await readChanges(container) }
        try await wakes.acknowledge(event)
        if try await wakes.launchReason().pushedContainers.isEmpty { return }
    }
}

// The examples of Network.md in the catalogue, as they are shown: `DocumentationTests` compares the lines.

import Waymark

/// Waits until there is a network that costs nothing.
func waitForNetwork(_ client: WaymarkClient) async throws {
    let now = try await client.path()
    if now.status == .satisfied, !now.isExpensive { return }
    let paths: NetworkPathUpdates = client.paths()
    for try await path in paths where path.status == .satisfied && !path.isExpensive { return }
}

/// Connects whenever the host can be reached, and reports what came of it.
func connect(to host: String, _ client: WaymarkClient, attempt: () async -> Bool) async throws {
    let targets: TargetUpdates = client.targets(host: host, port: 443)
    for try await target in targets where target.status == .reachable {
        try await client.report(await attempt() ? .answered : .failed, host: host, port: 443)
    }
}

/// Why a host cannot be reached, step by step.
func steps(to host: String, _ client: WaymarkClient) async throws -> [String] {
    let target = try await client.target(host: host)
    let answer = try await client.examine(host: host, port: 443)
    return ["\(target.status)"] + answer.steps.map { "\($0.subject): \($0.outcome) \($0.value ?? "")" }
}

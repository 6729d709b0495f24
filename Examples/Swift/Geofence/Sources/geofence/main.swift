import Glibc
import Waymark

// A service without a window: it says when the vehicle comes to the yard and leaves it, each at least once, also for the
// time in which it did not run. Whoever reads its output, opens the gate.

/// Sends what has happened to whoever needs it. An event is acknowledged when this has returned.
func send(_ event: LocationMonitor.Event) async throws {
    let time = event.crossed ?? event.date
    switch event.state {
    case .satisfied: print("\(time.iso8601()) arrived at \(event.identifier ?? "?")")
    case .unsatisfied: print("\(time.iso8601()) left \(event.identifier ?? "?")")
    case .unknown: print("\(time.iso8601()) lost sight of \(event.identifier ?? "?"): \(event.reason?.rawValue ?? "")")
    }
    fflush(nil)
}

/// Adds the region if it is not there or has another border: adding it again would make its state unknown.
func register(_ condition: LocationMonitor.Condition, _ monitor: LocationMonitor) async throws {
    guard try await monitor.record(for: "yard")?.condition != condition else { return }
    try await monitor.add(condition, identifier: "yard", dwell: .seconds(10))
}

let numbers = CommandLine.arguments.dropFirst().compactMap { Double($0) }
guard numbers.count == 3, let center = Coordinate(latitude: numbers[0], longitude: numbers[1]) else {
    fatalError("usage: geofence LATITUDE LONGITUDE METRES")
}
let client = WaymarkClient()
let monitor = try await client.monitor("gate")
try await register(.circle(center: center, radius: numbers[2]), monitor)

// Positions of the background need Always. A service asks nobody: an administrator decides with `waymark authorize`.
for try await authorization in client.authorizations() {
    if authorization.status == .authorizedAlways { break }
    print("Waiting for `waymark authorize geofence always`: \(authorization.status)")
    fflush(nil)
}
for try await event in monitor.events {
    try await send(event)
    try await monitor.acknowledge(event)
}

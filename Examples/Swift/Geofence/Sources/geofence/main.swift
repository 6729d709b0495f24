import Glibc
import Waymark

// A service that sleeps: it is started when the vehicle comes to the yard or leaves it, says so at least once, and ends.
// Whoever reads its output, opens the gate.

/// Writes each crossing of a border.
@MainActor final class Geofence: ApplicationDelegate {
    private let client = WaymarkClient()
    private let border: LocationMonitor.Condition
    /// The status with which the program ends.
    private(set) var status: Int32 = 0

    init(_ border: LocationMonitor.Condition) { self.border = border }

    func application(
        _ application: Application, didFinishLaunchingWithOptions launchOptions: Application.LaunchOptions
    ) {
        work(application, isWoken: launchOptions.location)
    }

    func application(_ application: Application, didResumeWithOptions launchOptions: Application.LaunchOptions) {
        work(application, isWoken: launchOptions.location)
    }

    /// Handles what has happened, and ends until something happens again.
    private func work(_ application: Application, isWoken: Bool) {
        Task {
            do {
                let monitor = try await client.monitor("gate")
                // An app that was woken because of its region has added it before, and is authorized.
                if !isWoken { try await prepare(monitor) }
                try await report(monitor)
            } catch {
                show("The border is not watched: \(error)")
                status = 1
            }
            application.terminate()
        }
    }

    /// Adds the region, and waits until an administrator has permitted it: a service asks nobody.
    private func prepare(_ monitor: LocationMonitor) async throws {
        // Adding it again would make its state unknown.
        if try await monitor.record(for: "yard")?.condition != border {
            try await monitor.add(border, identifier: "yard", dwell: .seconds(10))
        }
        for try await authorization in client.authorizations() {
            if authorization.status == .authorizedAlways { return }
            show("Waiting for `waymark authorize geofence always`: \(authorization.status)")
        }
    }

    /// Writes the events that are pending. An event comes again until it is acknowledged.
    private func report(_ monitor: LocationMonitor) async throws {
        var events = monitor.events.makeAsyncIterator()
        while try await monitor.status()?.pending ?? 0 > 0, let event = try await events.next() {
            let time = (event.crossed ?? event.date).iso8601()
            switch event.state {
            case .satisfied: show("\(time) arrived at \(event.identifier ?? "?")")
            case .unsatisfied: show("\(time) left \(event.identifier ?? "?")")
            case .unknown: show("\(time) lost sight of \(event.identifier ?? "?"): \(event.reason?.rawValue ?? "")")
            }
            try await monitor.acknowledge(event)
        }
    }
}

/// Prints a line at once, also where the output is a pipe.
func show(_ line: String) {
    print(line)
    fflush(nil)
}

let numbers = CommandLine.arguments.dropFirst().compactMap { Double($0) }
guard numbers.count == 3, let center = Coordinate(latitude: numbers[0], longitude: numbers[1]) else {
    fatalError("usage: geofence LATITUDE LONGITUDE METRES")
}
let geofence = Geofence(.circle(center: center, radius: numbers[2]))
await Application.run(geofence)
exit(geofence.status)

import Glibc
import Waymark

/// Follows a commute between two places: when each was left and reached, and how far away the traveller is meanwhile.
actor Commute {
    private let places: [String: Coordinate]
    private let session = ServiceSession(authorization: .always, fullAccuracyPurposeKey: "Commute")
    private var background: BackgroundActivitySession?
    private var isTravelling = false

    init(home: Coordinate, work: Coordinate) {
        places = ["home": home, "work": work]
    }

    /// Registers the places, and follows their borders and the positions between them.
    func run() async throws {
        let monitor = try await LocationMonitor("commute")
        for (name, center) in places {
            let condition = LocationMonitor.CircularGeographicCondition(center: center, radius: 200)
            try await monitor.add(condition, identifier: name, assuming: .unsatisfied)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.followPlaces(monitor) }
            group.addTask { try await self.followPositions() }
            group.addTask { await self.explain() }
            try await group.waitForAll()
        }
    }

    /// The borders of the places.
    private func followPlaces(_ monitor: LocationMonitor) async throws {
        for try await event in monitor.events {
            let name = event.identifier ?? "a place"
            switch event.state {
            case .satisfied:
                show("At \(name).")
                isTravelling = false
                background?.invalidate()
                background = nil
            case .unsatisfied:
                show("Not at \(name).")
                isTravelling = true
                if background == nil { background = BackgroundActivitySession() }
            default:
                show("Nobody knows whether the traveller is at \(name).")
            }
            try await monitor.acknowledge(event)
        }
    }

    /// The positions between the places.
    private func followPositions() async throws {
        for try await update in LocationUpdate.liveUpdates(.automotiveNavigation) {
            if let location = update.location, isTravelling {
                show("On the road, accurate to \(Int(location.horizontalAccuracy)) m")
            } else if update.stationary {
                show("Standing still")
            } else if update.locationUnavailable {
                show("There is no position at present.")
            }
        }
    }

    /// Why there are no positions, or not the best ones.
    private func explain() async {
        for await diagnostic in session.diagnostics {
            if diagnostic.authorizationDenied || diagnostic.authorizationDeniedGlobally {
                show("The commute cannot be followed: this app may not know where you are.")
            } else if diagnostic.insufficientlyInUse {
                show("The commute is followed when this app is in use.")
            } else if diagnostic.fullAccuracyDenied {
                show("The places need exact positions.")
            }
        }
    }
}

/// Prints a line at once, also where the output is a pipe.
func show(_ line: String) {
    print(line)
    fflush(nil)
}

let usage = "usage: commute HOME-LATITUDE HOME-LONGITUDE WORK-LATITUDE WORK-LONGITUDE"
let numbers = CommandLine.arguments.dropFirst().compactMap { Double($0) }
guard numbers.count == 4 else { fatalError(usage) }
guard let home = Coordinate(latitude: numbers[0], longitude: numbers[1]) else { fatalError(usage) }
guard let work = Coordinate(latitude: numbers[2], longitude: numbers[3]) else { fatalError(usage) }
// The app counts as in use while it runs in a terminal.
let activity = ActivitySession(.active)
try await Commute(home: home, work: work).run()

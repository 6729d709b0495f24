import Glibc

/// A route and its speed: waypoints joined by straight lines and rounded corners, travelled within limits of speed,
/// acceleration and comfort.
public struct Route: Sendable {
    /// A point to pass, or to stop at.
    struct Waypoint: Sendable {
        var point: PlanePoint
        /// Metres above mean sea level.
        var altitude: Double
        /// The speed limit up to this point, in metres per second.
        var speedLimit: Double
        /// The length of the stop in seconds; 0 to pass.
        var stop: Double

        init(
            _ east: Double, _ north: Double, altitude: Double, kilometersPerHour: Double = 50, stop: Double = 0
        ) {
            point = PlanePoint(east: east, north: north)
            self.altitude = altitude
            speedLimit = kilometersPerHour / 3.6
            self.stop = stop
        }
    }

    /// The limits of the movement, in metres and metres per second squared.
    struct Motion: Sendable {
        var acceleration: Double
        var braking: Double
        var sideways: Double
        var cornerRadius: Double

        static let car = Motion(acceleration: 1.8, braking: 2.2, sideways: 2.5, cornerRadius: 40)
        static let pedestrian = Motion(acceleration: 0.8, braking: 0.8, sideways: 1, cornerRadius: 3)
        static let boat = Motion(acceleration: 0.15, braking: 0.15, sideways: 0.5, cornerRadius: 30)
    }

    /// A point of the route with the time of arrival.
    private struct Sample: Sendable {
        var place: RoutePath.Place
        var speed: Double
        var time: Double
    }

    /// The plane with the origin of the waypoints.
    let plane: LocalPlane
    /// The height of mean sea level above the ellipsoid, in metres.
    let geoidSeparation: Double
    private let samples: [Sample]
    /// When each waypoint is reached and when it is left, in seconds after the start.
    let passages: [Range<Double>]

    /// The route through these waypoints, beginning with the first.
    init(plane: LocalPlane, geoidSeparation: Double, motion: Motion = .car, waypoints: [Waypoint]) {
        self.plane = plane
        self.geoidSeparation = geoidSeparation
        let places = RoutePath.places(through: waypoints, cornerRadius: motion.cornerRadius)
        samples = Self.timed(places, speeds: Self.speeds(along: places, motion: motion))
        var passages = [Range<Double>](repeating: 0..<0, count: waypoints.count)
        var previous: Sample?
        for sample in samples {
            let index = sample.place.waypoint
            // A stop is two samples of one place.
            let isStop = previous?.place.distance == sample.place.distance
            passages[index] = (isStop ? passages[index].lowerBound : sample.time)..<sample.time
            previous = sample
        }
        self.passages = passages
    }

    /// Seconds from the start to the end, stops included.
    public var duration: Double { samples.last?.time ?? 0 }

    /// Metres from the start to the end.
    public var length: Double { samples.last?.place.distance ?? 0 }

    /// The state this many seconds after the start; after the end it is stationary.
    public func state(at seconds: Double) -> TrueState {
        var low = 0
        var high = samples.count
        while low < high {
            let middle = (low + high) / 2
            if samples[middle].time <= seconds { low = middle + 1 } else { high = middle }
        }
        // `low` is the first sample after the time.
        let here = samples[max(0, low - 1)]
        guard low > 0, low < samples.count else { return stationary(at: here) }
        return moving(from: here, to: samples[low], after: seconds - here.time)
    }

    private func stationary(at sample: Sample) -> TrueState {
        let degrees = plane.degrees(of: sample.place.point)
        return TrueState(
            latitude: degrees.latitude, longitude: degrees.longitude, altitude: sample.place.altitude, speed: 0,
            course: sample.place.course, climb: 0, point: sample.place.point)
    }

    /// The acceleration between two samples is constant.
    private func moving(from here: Sample, to next: Sample, after seconds: Double) -> TrueState {
        let span = next.place.distance - here.place.distance
        guard span > 0 else { return stationary(at: here) }
        let acceleration = (next.speed - here.speed) / (next.time - here.time)
        let traveled = (here.speed + acceleration * seconds / 2) * seconds
        let share = min(1, max(0, traveled / span))
        let point = here.place.point + (next.place.point - here.place.point) * share
        let rise = next.place.altitude - here.place.altitude
        let speed = here.speed + acceleration * seconds
        let turn = Angle.turn(from: here.place.course, to: next.place.course)
        let degrees = plane.degrees(of: point)
        return TrueState(
            latitude: degrees.latitude, longitude: degrees.longitude, altitude: here.place.altitude + rise * share,
            speed: speed, course: Angle.normalized(here.place.course + turn * share), climb: speed * rise / span,
            point: point)
    }

    /// The highest speed at each place that the speed limits, the curves and the stops permit.
    private static func speeds(along places: [RoutePath.Place], motion: Motion) -> [Double] {
        var speeds = places.map { place in
            place.stop > 0 ? 0 : min(place.speedLimit, (motion.sideways * place.radius).squareRoot())
        }
        guard speeds.count > 1 else { return [0] }
        speeds[0] = 0
        speeds[speeds.count - 1] = 0
        for index in 1..<speeds.count {
            let span = places[index].distance - places[index - 1].distance
            let reachable = speeds[index - 1] * speeds[index - 1] + 2 * motion.acceleration * span
            speeds[index] = min(speeds[index], reachable.squareRoot())
        }
        for index in (0..<speeds.count - 1).reversed() {
            let span = places[index + 1].distance - places[index].distance
            let stoppable = speeds[index + 1] * speeds[index + 1] + 2 * motion.braking * span
            speeds[index] = min(speeds[index], stoppable.squareRoot())
        }
        return speeds
    }

    private static func timed(_ places: [RoutePath.Place], speeds: [Double]) -> [Sample] {
        var samples: [Sample] = []
        var time = 0.0
        for (place, speed) in zip(places, speeds) {
            if let last = samples.last {
                time += 2 * (place.distance - last.place.distance) / (last.speed + speed)
            }
            samples.append(Sample(place: place, speed: speed, time: time))
            if place.stop > 0 {
                time += place.stop
                samples.append(Sample(place: place, speed: 0, time: time))
            }
        }
        return samples
    }
}

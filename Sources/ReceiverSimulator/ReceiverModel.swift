import Glibc
import Location

/// A simulated receiver: derives observations from the true state, with errors that drift, jump and recur.
struct ReceiverModel: Sendable {
    private let sky: Sky
    private let geoidSeparation: Double
    private let plane: LocalPlane
    private var noise: SeededGenerator
    private var reflections: SeededGenerator
    private var previousSeconds: Double?
    /// The slowly changing errors, each with standard deviation 1.
    private var drift: [Double]
    private var misled = PlanePoint(east: 0, north: 0)

    /// The decay time of errors by the ionosphere and by reflections, in seconds.
    private static let driftMemory = 90.0
    private static let reflectionMemory = 3.0
    /// The least speed with a course, in metres per second.
    private static let slowestCourse = 0.4
    private static let weakestUsed = 24
    /// The dilution of precision at which receivers report no position.
    private static let worstDilution = 25.0
    private static let weakestHeard = 12

    init(sky: Sky, plane: LocalPlane, geoidSeparation: Double, seed: UInt64) {
        self.sky = sky
        self.plane = plane
        self.geoidSeparation = geoidSeparation
        noise = SeededGenerator(seed: seed, stream: 1)
        reflections = SeededGenerator(seed: seed, stream: 2)
        drift = []
        for _ in 0..<3 { drift.append(noise.normal()) }
    }

    /// The observation at a time, this many seconds after the start, in these surroundings.
    mutating func observe(_ state: TrueState, at time: UTCTime, seconds: Double, in reception: Reception) -> Observation
    {
        wander(to: seconds, in: reception)
        let tracked = track(state, at: time, in: reception)
        let solved = solve(tracked, in: reception)
        let horizontal = reception.rangeError * solved.dilution.horizontal / 2.0.squareRoot()
        let vertical = reception.rangeError * solved.dilution.vertical
        let error = PlanePoint(east: drift[0] * horizontal, north: drift[1] * horizontal) + misled
        let degrees = plane.degrees(of: state.point + error)
        let speed = max(0, state.speed + 0.04 * noise.normal())
        let courseNoise = state.speed > 0 ? atan2(0.06, state.speed) * 180 / .pi * noise.normal() : 0
        return Observation(
            time: time, solution: solved.solution, quality: reception.quality, latitude: degrees.latitude,
            longitude: degrees.longitude, altitude: state.altitude + drift[2] * vertical,
            geoidSeparation: geoidSeparation, speed: speed,
            course: speed < Self.slowestCourse ? nil : Angle.normalized(state.course + courseNoise),
            satellites: solved.satellites, dilution: solved.dilution,
            errors: Observation.ErrorEstimate(
                range: reception.rangeError, east: horizontal + 0.4 * abs(misled.east),
                north: horizontal + 0.4 * abs(misled.north), up: vertical))
    }

    /// Advances the errors: a Gauss-Markov process for the slow ones, jumps that decay for reflections.
    private mutating func wander(to seconds: Double, in reception: Reception) {
        let elapsed = max(0, seconds - (previousSeconds ?? seconds))
        previousSeconds = seconds
        let retained = exp(-elapsed / Self.driftMemory)
        let renewed = (1 - retained * retained).squareRoot()
        for index in drift.indices { drift[index] = drift[index] * retained + noise.normal() * renewed }
        misled = misled * exp(-elapsed / Self.reflectionMemory)
        if reception.reflections > 0, reflections.happens(reception.reflections) {
            let distance = reception.reflectionError * (0.5 + reflections.unit())
            misled = PlanePoint(distance: distance, course: 360 * reflections.unit())
        }
    }

    /// The expected satellites, with the signals that are received.
    private mutating func track(
        _ state: TrueState, at time: UTCTime, in reception: Reception
    ) -> [Observation.TrackedSatellite] {
        guard reception.solution != .nothing else { return [] }
        let above = sky.satellites(at: time, latitude: state.latitude, longitude: state.longitude)
        return above.map { satellite in
            let height = sin(satellite.elevation * .pi / 180)
            let besides = abs(sin((satellite.azimuth - state.course) * .pi / 180))
            let horizon = max(reception.elevationMask, reception.walls * besides)
            let hidden = satellite.elevation < horizon ? 18.0 : 0
            let strength = 31 + 17 * height - hidden - reception.attenuation + 1.2 * noise.normal()
            let signal = Int(strength.rounded())
            return Observation.TrackedSatellite(
                satellite: satellite, signal: signal < Self.weakestHeard ? nil : signal, isUsed: false)
        }
    }

    /// Solves with the best satellites, if there are enough.
    private func solve(
        _ tracked: [Observation.TrackedSatellite], in reception: Reception
    ) -> (solution: Observation.Solution, satellites: [Observation.TrackedSatellite], dilution: DilutionOfPrecision) {
        guard reception.solution.hasPosition else { return (reception.solution, tracked, .unknown) }
        if reception.quality == .deadReckoning {
            // Dead reckoning uses no satellites; wheels and gyroscopes have a dilution of one.
            return (reception.solution, tracked, DilutionOfPrecision(position: 1.4, horizontal: 1, vertical: 1))
        }
        var satellites = tracked
        for index in chosen(from: tracked, atMost: reception.usedAtMost) { satellites[index].isUsed = true }
        let used = satellites.filter(\.isUsed).map(\.satellite)
        let isFlat = reception.solution == .twoDimensional || used.count == 3
        guard let dilution = DilutionOfPrecision(of: used, heightIsHeld: isFlat),
            dilution.position < Self.worstDilution
        else {
            return (.timeOnly, tracked, .unknown)
        }
        return (isFlat ? .twoDimensional : .threeDimensional, satellites, dilution)
    }

    /// Selects satellites: all that are strong enough, or else the strongest one and then repeatedly the one whose
    /// azimuth is farthest from those already selected.
    private func chosen(from tracked: [Observation.TrackedSatellite], atMost limit: Int) -> [Int] {
        var candidates = tracked.indices.filter { (tracked[$0].signal ?? 0) >= Self.weakestUsed }
        guard candidates.count > limit else { return candidates }
        candidates.sort { (tracked[$0].signal ?? 0, $1) > (tracked[$1].signal ?? 0, $0) }
        var chosen: [Int] = []
        while chosen.count < limit, !candidates.isEmpty {
            func distance(_ index: Int) -> Double {
                let gaps = chosen.map {
                    abs(Angle.turn(from: tracked[$0].satellite.azimuth, to: tracked[index].satellite.azimuth))
                }
                return gaps.min() ?? 0
            }
            // Among equals the first, which is the strongest.
            var best = 0
            for place in candidates.indices where distance(candidates[place]) > distance(candidates[best]) {
                best = place
            }
            chosen.append(candidates.remove(at: best))
        }
        return chosen
    }
}

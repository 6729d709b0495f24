import Glibc
import TestSupport

/// Errors of a receiver at rest: 3 m that change within five minutes, half a metre of noise, and each hour a reflection
/// of 10 to 30 m for up to two minutes, of which the receiver reports a part.
struct NoisyReceiver {
    private var drift = (east: 0.0, north: 0.0)
    private var reflection = (east: 0.0, north: 0.0, until: 0)
    private var second = 0
    private(set) var (east, north, accuracy) = (0.0, 0.0, 4.6)
    /// The error of its speed, metres a second.
    private(set) var (speed, speedAccuracy) = (0.0, 0.2)

    mutating func advance(_ generator: inout SeededGenerator) {
        second += 1
        let memory = exp(-1.0 / 300)
        let step = 3 * (1 - memory * memory).squareRoot()
        drift.east = drift.east * memory + step * normal(&generator)
        drift.north = drift.north * memory + step * normal(&generator)
        if second >= reflection.until, Int.random(in: 0..<3_600, using: &generator) == 0 {
            let angle = Double.random(in: 0..<(2 * .pi), using: &generator)
            let size = Double.random(in: 10...30, using: &generator)
            reflection = (
                size * cos(angle), size * sin(angle), second + Int.random(in: 20...120, using: &generator)
            )
        }
        let isReflected = second < reflection.until
        east = drift.east + 0.5 * normal(&generator) + (isReflected ? reflection.east : 0)
        north = drift.north + 0.5 * normal(&generator) + (isReflected ? reflection.north : 0)
        accuracy = isReflected ? 4.6 + hypot(reflection.east, reflection.north) / 2 : 4.6
        speed = abs((isReflected ? 0.6 : 0.1) * normal(&generator))
        speedAccuracy = isReflected ? 0.5 : 0.2
    }

    /// Box and Muller's transformation.
    private func normal(_ generator: inout SeededGenerator) -> Double {
        let uniform = Double.random(in: 1e-12..<1, using: &generator)
        return (-2 * log(uniform)).squareRoot() * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
    }
}

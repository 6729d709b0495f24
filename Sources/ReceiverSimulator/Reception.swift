/// What surrounds the receiver and how well it works there.
struct Reception: Sendable {
    /// How far the receiver comes, at best; too few satellites make it less.
    var solution: Observation.Solution
    var quality: PositionQuality
    /// Metres of error in measuring one distance, one deviation.
    var rangeError: Double
    /// Degrees; what is lower is hidden.
    var elevationMask: Double
    /// Degrees that walls on both sides of the way reach up to; 0 for none.
    var walls = 0.0
    /// Decibels that the surroundings take away.
    var attenuation: Double
    /// How many satellites it may use.
    var usedAtMost: Int
    /// The share of the epochs in which a reflected signal misleads it, and the usual error then, in metres.
    var reflections: Double
    var reflectionError: Double

    static let openSky = Reception(
        solution: .threeDimensional, quality: .autonomous, rangeError: 1.2, elevationMask: 7, attenuation: 0,
        usedAtMost: 40, reflections: 0, reflectionError: 0)

    static let canyon = Reception(
        solution: .threeDimensional, quality: .autonomous, rangeError: 3.5, elevationMask: 12, walls: 66,
        attenuation: 5, usedAtMost: 5, reflections: 0.12, reflectionError: 35)

    static let tunnel = Reception(
        solution: .timeOnly, quality: .autonomous, rangeError: 1.2, elevationMask: 7, attenuation: 60, usedAtMost: 0,
        reflections: 0, reflectionError: 0)

    /// Open sky with another solution.
    static func openSky(_ solution: Observation.Solution) -> Reception {
        var reception = openSky
        reception.solution = solution
        switch solution {
        case .nothing: reception.attenuation = 25
        case .timeOnly: reception.attenuation = 12
        case .twoDimensional:
            reception.attenuation = 8
            reception.usedAtMost = 3
        case .threeDimensional: break
        }
        return reception
    }
}

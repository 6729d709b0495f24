/// The surroundings of the receiver and their effect on reception.
struct Reception: Sendable {
    /// The best possible solution; too few satellites reduce it.
    var solution: Observation.Solution
    var quality: PositionQuality
    /// The standard deviation of the range error in metres.
    var rangeError: Double
    /// The elevation in degrees below which satellites are hidden.
    var elevationMask: Double
    /// The elevation in degrees of walls on both sides of the route; 0 for none.
    var walls = 0.0
    /// The attenuation by the surroundings, in decibels.
    var attenuation: Double
    /// The most satellites in the solution.
    var usedAtMost: Int
    /// The share of epochs with a reflected signal, and the usual error of these in metres.
    var reflections: Double
    var reflectionError: Double
    /// The horizontal dilution where satellites are not computed one by one, see `JourneyFixes`.
    var usualDilution = 1.0
    /// The share of the time without a fix where satellites are not computed one by one.
    var outages = 0.0

    static let openSky = Reception(
        solution: .threeDimensional, quality: .autonomous, rangeError: 1.2, elevationMask: 7, attenuation: 0,
        usedAtMost: 40, reflections: 0, reflectionError: 0)

    static let canyon = Reception(
        solution: .threeDimensional, quality: .autonomous, rangeError: 3.5, elevationMask: 12, walls: 66,
        attenuation: 5, usedAtMost: 5, reflections: 0.12, reflectionError: 35, usualDilution: 2.5)

    /// A house with windows: weak and reflected signals, and now and then no fix.
    static let indoors = Reception(
        solution: .threeDimensional, quality: .autonomous, rangeError: 4, elevationMask: 12, attenuation: 8,
        usedAtMost: 6, reflections: 0.01, reflectionError: 45, usualDilution: 2, outages: 0.3)

    static let tunnel = Reception(
        solution: .timeOnly, quality: .autonomous, rangeError: 1.2, elevationMask: 7, attenuation: 60, usedAtMost: 0,
        reflections: 0, reflectionError: 0)

    /// Open sky with a different solution.
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

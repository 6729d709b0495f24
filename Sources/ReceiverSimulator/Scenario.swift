import Location

/// Everything that decides a recording but the seed: where, when, what the receiver is like and what goes wrong.
public struct Scenario: Sendable {
    /// Its preset's name.
    public var name: String
    /// Where the receiver goes.
    public var route: Route
    /// When it is switched on.
    public var start: UTCTime
    /// Seconds.
    public var duration: Double
    /// Epochs a second.
    public var rate: Double
    /// The systems it hears.
    var constellations: [Constellation] = [.gps]
    /// What surrounds it, each from so many seconds after the start; the last that has begun holds.
    var phases: [(from: Double, reception: Reception)] = [(0, .openSky)]
    var sentences = SentenceChoice()
    var faults: [Fault] = []
    var damage = Damage()

    /// GSV and ZDA come with every so many epochs: they are long and change slowly.
    var epochsPerGSV: Int { sentences.isDetailedAlways ? 1 : max(5, Int((5 * rate).rounded())) }

    /// What surrounds the receiver so many seconds after the start.
    func reception(at seconds: Double) -> Reception {
        phases.last { $0.from <= seconds }?.reception ?? .openSky
    }
}

/// Which sentences a receiver sends beside RMC, GGA and GSA, which it always sends.
struct SentenceChoice: Sendable {
    var hasVTG = false
    var hasGLL = false
    var hasGST = true
    var hasZDA = false
    var isProprietary = false
    /// Whether GSV and ZDA come with every epoch, not only every fifth second.
    var isDetailedAlways = false
}

/// Something that goes wrong for some seconds after the start.
enum Fault: Sendable {
    /// From then on the receiver's clock is off by so many seconds.
    case clockStep(at: Double, by: Double)
    /// All dates are off by so many weeks.
    case wrongWeek(weeks: Int)
    /// For a while the position is elsewhere, by so many metres.
    case displacement(during: Range<Double>, east: Double, north: Double)
    /// For a while the position is 0° N, 0° E, and called valid.
    case zeroPosition(during: Range<Double>)
    /// For a while nothing is sent.
    case silence(during: Range<Double>)
}

/// How the line between receiver and computer spoils what is sent.
struct Damage: Sendable {
    /// The share of the sentences whose checksum is wrong, though they are whole.
    var wrongChecksums = 0.0
    /// The share of the sentences that arrive cut, joined, flipped, or amid garbage.
    var brokenLines = 0.0
}

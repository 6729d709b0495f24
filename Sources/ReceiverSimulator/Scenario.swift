import Location

/// Everything that determines a recording except the seed: place, time, receiver and faults.
public struct Scenario: Sendable {
    /// Its preset's name.
    public var name: String
    /// The route.
    public var route: Route
    /// The time of the start.
    public var start: UTCTime
    /// The duration in seconds.
    public var duration: Double
    /// Epochs per second.
    public var rate: Double
    /// The systems that it receives.
    var constellations: [Constellation] = [.gps]
    /// The surroundings, each from this many seconds after the start until the next.
    var phases: [(from: Double, reception: Reception)] = [(0, .openSky)]
    var sentences = SentenceChoice()
    var faults: [Fault] = []
    var damage = Damage()
    /// The true stays of the journey.
    public internal(set) var stays: [Journey.Stay] = []

    /// The number of epochs between GSV and ZDA sentences, which are long and change slowly.
    var epochsPerGSV: Int { sentences.isDetailedAlways ? 1 : max(5, Int((5 * rate).rounded())) }

    /// The surroundings this many seconds after the start.
    func reception(at seconds: Double) -> Reception {
        phases.last { $0.from <= seconds }?.reception ?? .openSky
    }
}

/// The sentences of a receiver in addition to RMC, GGA and GSA, which are always sent.
struct SentenceChoice: Sendable {
    var hasVTG = false
    var hasGLL = false
    var hasGST = true
    var hasZDA = false
    var isProprietary = false
    /// Degrees by which the machine points to the right of its course, for a compass that sends HDT; nil without one.
    var drift: Double?
    /// Whether GSV and ZDA are sent in every epoch, instead of every five seconds.
    var isDetailedAlways = false
}

/// A fault during a part of the recording.
enum Fault: Sendable {
    /// From this time on the receiver's clock is wrong by this many seconds.
    case clockStep(at: Double, by: Double)
    /// All dates are wrong by this many weeks.
    case wrongWeek(weeks: Int)
    /// The position is displaced by this many metres.
    case displacement(during: Range<Double>, east: Double, north: Double)
    /// The position is 0° N, 0° E, and marked as valid.
    case zeroPosition(during: Range<Double>)
    /// Nothing is sent.
    case silence(during: Range<Double>)
}

/// Errors of the line between receiver and computer.
struct Damage: Sendable {
    /// The share of complete sentences with a wrong checksum.
    var wrongChecksums = 0.0
    /// The share of sentences that are truncated, joined, corrupted or surrounded by noise.
    var brokenLines = 0.0
}

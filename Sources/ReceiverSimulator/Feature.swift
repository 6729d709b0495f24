/// A peculiarity of a receiver or of its situation; several can be combined in one recording.
public enum Feature: String, CaseIterable, Sendable {
    case tunnel
    case urbanCanyon = "urban-canyon"
    case coldStart = "cold-start"
    case twoDimensional = "two-dimensional"
    case multiConstellation = "multi-constellation"
    case tenHertz = "ten-hertz"
    case proprietary
    case damaged
    case checksumErrors = "checksum-errors"
    case clockJump = "clock-jump"
    case weekRollover = "week-rollover"
    case weekAhead = "week-ahead"
    case teleport
    case simulatorQuality = "simulator-quality"
    case dgps
    case rtk
    case deadReckoning = "dead-reckoning"
    case nullIsland = "null-island"
    case withoutErrorEstimates = "without-error-estimates"
    case allSentences = "all-sentences"
    case silence
    case compass

    /// A description in one line.
    public var summary: String {
        switch self {
        case .tunnel: "no satellites in the middle third, then a fix again"
        case .urbanCanyon: "few satellites, high dilution, reflections that throw the position off"
        case .coldStart: "nothing, then the time, then two dimensions, then three"
        case .twoDimensional: "three satellites, no altitude"
        case .multiConstellation: "GPS, GLONASS, Galileo and BeiDou: talkers GN, GP, GL, GA, GB and system numbers"
        case .tenHertz: "ten epochs a second"
        case .proprietary: "sentences of MediaTek, u-blox and Garmin among the others"
        case .damaged: "sentences cut, joined, flipped, too long, and noise between them"
        case .checksumErrors: "one sentence in ten has a wrong checksum"
        case .clockJump: "the clock falls back 40 s and later leaps ahead an hour"
        case .weekRollover: "all dates are 1024 weeks early"
        case .weekAhead: "all dates are 1024 weeks late"
        case .teleport: "twice the position is tens of kilometres away for a few seconds"
        case .simulatorQuality: "a simulator that says so: GGA quality 8"
        case .dgps: "corrected by SBAS: GGA quality 2"
        case .rtk: "autonomous, then RTK float, then RTK fixed: GGA qualities 1, 5, 4"
        case .deadReckoning: "estimated without satellites in the middle third: GGA quality 6"
        case .nullIsland: "for some seconds a valid position of 0° N, 0° E"
        case .withoutErrorEstimates: "no GST: the error has to be inferred from the dilution"
        case .allSentences: "VTG, GLL and ZDA besides, and GSV with every epoch"
        case .silence: "the receiver says nothing at all in the middle third"
        case .compass: "a compass besides: HDT, 12° to the right of the course as in a current"
        }
    }

    /// Applies the feature to a scenario, at times that suit its duration.
    func apply(to scenario: inout Scenario) {
        let third = scenario.duration / 3
        switch self {
        case .tunnel: scenario.phases += [(third, .tunnel), (2 * third, .openSky)]
        case .urbanCanyon:
            // Between walls, one system alone seldom suffices.
            if scenario.constellations == [.gps] { scenario.constellations.append(.glonass) }
            scenario.phases = [(0, .openSky), (scenario.duration / 8, .canyon)]
        case .coldStart:
            scenario.phases = [
                (0, .openSky(.nothing)), (10, .openSky(.timeOnly)), (25, .openSky(.twoDimensional)), (40, .openSky),
            ]
        case .twoDimensional: scenario.phases = [(0, .openSky(.twoDimensional))]
        case .multiConstellation: scenario.constellations = [.gps, .glonass, .galileo, .beidou]
        case .tenHertz: scenario.rate = 10
        case .proprietary: scenario.sentences.isProprietary = true
        case .damaged: scenario.damage.brokenLines = 0.15
        case .checksumErrors: scenario.damage.wrongChecksums = 0.1
        case .clockJump:
            scenario.faults += [.clockStep(at: third, by: -40), .clockStep(at: 2 * third, by: 3640)]
        case .weekRollover: scenario.faults.append(.wrongWeek(weeks: -1024))
        case .weekAhead: scenario.faults.append(.wrongWeek(weeks: 1024))
        case .teleport:
            scenario.faults += [
                .displacement(during: third..<third + 3, east: 40_000, north: 25_000),
                .displacement(during: 2 * third..<2 * third + 1, east: -3000, north: 0),
            ]
        case .simulatorQuality, .dgps, .rtk, .deadReckoning: applyQuality(to: &scenario)
        case .nullIsland: scenario.faults.append(.zeroPosition(during: third..<third + 5))
        case .withoutErrorEstimates: scenario.sentences.hasGST = false
        case .allSentences:
            scenario.sentences.hasVTG = true
            scenario.sentences.hasGLL = true
            scenario.sentences.hasZDA = true
            scenario.sentences.isDetailedAlways = true
        case .silence: scenario.faults.append(.silence(during: third..<2 * third))
        case .compass: scenario.sentences.drift = 12
        }
    }

    private func applyQuality(to scenario: inout Scenario) {
        let third = scenario.duration / 3
        func open(_ quality: PositionQuality, rangeError: Double) -> Reception {
            var reception = Reception.openSky
            reception.quality = quality
            reception.rangeError = rangeError
            return reception
        }
        switch self {
        case .simulatorQuality: scenario.phases = [(0, open(.simulated, rangeError: 1.2))]
        case .dgps:
            scenario.constellations.insert(.sbas, at: min(1, scenario.constellations.count))
            scenario.phases = [(0, open(.differential, rangeError: 0.5))]
        case .rtk:
            scenario.phases = [
                (0, .openSky), (third, open(.rtkFloat, rangeError: 0.2)),
                (2 * third, open(.rtkFixed, rangeError: 0.01)),
            ]
        case .deadReckoning:
            var estimated = Reception.tunnel
            estimated.solution = .threeDimensional
            estimated.quality = .deadReckoning
            estimated.rangeError = 6
            scenario.phases = [(0, .openSky), (third, estimated), (2 * third, .openSky)]
        default: break
        }
    }
}

/// Sentences that report satellites.
extension Sentence {
    private static let satellitesInGSA = 12
    private static let satellitesInGSV = 4

    /// Active satellites and dilution: one sentence, or one for each family of satellites in view.
    static func gsa(_ observation: Observation, _ dialect: Dialect) -> [Sentence] {
        let mode =
            switch observation.solution {
            case .nothing, .timeOnly: "1"
            case .twoDimensional: "2"
            case .threeDimensional: "3"
            }
        let dilution = observation.dilution
        let end = [dilution.position, dilution.horizontal, dilution.vertical].map { Decimal.text($0, fraction: 2) }
        return families(of: observation, dialect).map { family, satellites in
            let used = satellites.filter(\.isUsed).prefix(satellitesInGSA)
            let numbers = used.map { Decimal.padded($0.satellite.number, to: 2) }
            let empty = [String](repeating: "", count: satellitesInGSA - numbers.count)
            return Sentence(
                dialect.talker + "GSA",
                ["A", mode] + numbers + empty + end + (dialect.isExtended ? [family.systemID] : []))
        }
    }

    /// Satellites in view: as many sentences as they need, four in each.
    static func gsv(_ observation: Observation, _ dialect: Dialect) -> [Sentence] {
        families(of: observation, dialect).flatMap { family, satellites in
            let total = max(1, (satellites.count + satellitesInGSV - 1) / satellitesInGSV)
            return (0..<total).map { index in
                let part = satellites.dropFirst(index * satellitesInGSV).prefix(satellitesInGSV)
                let fields = part.flatMap { tracked in
                    [
                        Decimal.padded(tracked.satellite.number, to: 2),
                        Decimal.text(tracked.satellite.elevation, fraction: 0, integer: 2),
                        Decimal.text(tracked.satellite.azimuth.rounded(.down), fraction: 0, integer: 3),
                        tracked.signal.map { Decimal.padded($0, to: 2) } ?? "",
                    ]
                }
                let head = [String(total), String(index + 1), Decimal.padded(satellites.count, to: 2)]
                return Sentence(
                    family.talker + "GSV", head + fields + (dialect.isExtended ? [family.signalID] : []))
            }
        }
    }

    /// The families of this receiver, with the satellites of each. Without any satellite it is GPS.
    private static func families(
        of observation: Observation, _ dialect: Dialect
    ) -> [(Dialect.Family, [Observation.TrackedSatellite])] {
        let heard = Dialect.families.map { family in
            (family, observation.satellites.filter { family.members.contains($0.satellite.constellation) })
        }
        let present = heard.filter { !$0.1.isEmpty }
        return present.isEmpty ? Array(heard.prefix(1)) : present
    }
}

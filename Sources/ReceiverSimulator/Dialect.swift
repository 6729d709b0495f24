import Location

/// A receiver's variant of NMEA 0183: with one system as its talker, or with several and the extensions of version
/// 4.11.
struct Dialect: Sendable {
    /// The talker of sentences about the solution: GP, or GN if several systems contribute to it.
    let talker: String
    /// Whether GSA ends with a system, GSV with a signal and RMC with a navigation status (versions 4.10 and 4.11).
    let isExtended: Bool

    /// The dialect of a receiver of these systems.
    init(constellations: [Constellation]) {
        isExtended = constellations.contains { $0 != .gps && $0 != .sbas }
        talker = isExtended ? "GN" : "GP"
    }

    /// Satellites that share their GSA and GSV sentences.
    struct Family: Sendable {
        var talker: String
        /// The last field of GSA.
        var systemID: String
        /// The last field of GSV, for the open signal on L1.
        var signalID: String
        var members: [Constellation]
    }

    /// The families in the usual order of receivers; SBAS belongs to GPS.
    static let families = [
        Family(talker: "GP", systemID: "1", signalID: "1", members: [.gps, .sbas]),
        Family(talker: "GL", systemID: "2", signalID: "1", members: [.glonass]),
        Family(talker: "GA", systemID: "3", signalID: "7", members: [.galileo]),
        Family(talker: "GB", systemID: "4", signalID: "1", members: [.beidou]),
    ]
}

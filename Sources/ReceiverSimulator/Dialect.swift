import Location

/// How a receiver speaks NMEA 0183: with one system as its talker, or with several and the numbers of version 4.11.
struct Dialect: Sendable {
    /// The talker of what concerns the solution: GP, or GN where several systems share in it.
    let talker: String
    /// Whether GSA ends with a system, GSV with a signal and RMC with a navigation status (versions 4.10 and 4.11).
    let isExtended: Bool

    /// The dialect of a receiver of these systems.
    init(constellations: [Constellation]) {
        isExtended = constellations.contains { $0 != .gps && $0 != .sbas }
        talker = isExtended ? "GN" : "GP"
    }

    /// A family of satellites that GSA and GSV speak of together.
    struct Family: Sendable {
        var talker: String
        /// GSA's last field.
        var systemID: String
        /// GSV's last field, that of the open signal on L1.
        var signalID: String
        var members: [Constellation]
    }

    /// The families in the order in which receivers list them; SBAS is counted among GPS.
    static let families = [
        Family(talker: "GP", systemID: "1", signalID: "1", members: [.gps, .sbas]),
        Family(talker: "GL", systemID: "2", signalID: "1", members: [.glonass]),
        Family(talker: "GA", systemID: "3", signalID: "7", members: [.galileo]),
        Family(talker: "GB", systemID: "4", signalID: "1", members: [.beidou]),
    ]
}

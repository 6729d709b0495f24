/// The type of an attribute's value in a report, within the bounds that libgps 3.22 can process.
struct Attribute {
    enum Kind {
        /// A number. libgps reads at most 512 bytes; real ones are shorter than 40.
        case real
        /// A whole number with a limited number of digits: libgps reads it with atoi(3) and may store it in a single
        /// byte.
        case integer(digits: Int)
        /// A text of fewer bytes than libgps's buffer has. With a longer one libgps rejects the whole line.
        case text(limit: Int)
        /// A date and time in ISO 8601. libgps converts any other text to a wrong date.
        case time
        /// True or false.
        case flag
    }

    /// gpsd's name.
    let name: StaticString
    let kind: Kind
    /// The name under which libgps receives it.
    let nameForLibrary: StaticString

    init(_ name: StaticString, _ kind: Kind, for nameForLibrary: StaticString? = nil) {
        self.name = name
        self.kind = kind
        self.nameForLibrary = nameForLibrary ?? name
    }

    private static let device = Attribute("device", .text(limit: 127))
    private static let time = Attribute("time", .time)

    static let tpv: [Attribute] =
        [
            device, time, .init("mode", .integer(digits: 4)), .init("status", .integer(digits: 4)),
            .init("leapseconds", .integer(digits: 4)),
        ]
        + reals([
            "ept", "lat", "lon", "alt", "altHAE", "altMSL", "epx", "epy", "eph", "epv", "epd", "eps", "epc", "track",
            "speed", "climb", "magvar",
        ])
    static let sky: [Attribute] = [device, time] + reals(["hdop", "pdop"])
    static let satellite: [Attribute] =
        [
            .init("PRN", .integer(digits: 4)), .init("gnssid", .integer(digits: 2)),
            .init("svid", .integer(digits: 2)), .init("used", .flag),
        ] + reals(["el", "az", "ss"])
    static let gst: [Attribute] = [device, time] + reals(["rms", "major", "minor", "orient", "lat", "lon", "alt"])
    static let att: [Attribute] =
        [device, time, .init("mag_st", .text(limit: 1))] + reals(["heading", "pitch", "roll", "yaw"])
    /// The magnetic heading, which gpsd reports since 3.23 and libgps 3.22 does not know.
    static let magneticHeading = [Attribute("mheading", .real, for: "heading")]
    static let deviceReport: [Attribute] = [
        .init("path", .text(limit: 127)), .init("driver", .text(limit: 63)), .init("activated", .time),
        .init("cycle", .real),
    ]
    static let version: [Attribute] = [
        .init("release", .text(limit: 63)), .init("proto_major", .integer(digits: 6)),
        .init("proto_minor", .integer(digits: 6)),
    ]
    static let watch: [Attribute] = [.init("enable", .flag)]
    static let offset: [Attribute] =
        [device] + ["real_sec", "real_nsec", "clock_sec", "clock_nsec"].map { Attribute($0, .integer(digits: 18)) }
    static let error: [Attribute] = [.init("message", .text(limit: 255))]

    private static func reals(_ names: [StaticString]) -> [Attribute] { names.map { Attribute($0, .real) } }
}

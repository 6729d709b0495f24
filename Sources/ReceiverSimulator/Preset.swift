import Location

/// A named scenario, before its duration, rate and start are chosen.
public struct Preset: Sendable {
    /// Its name on the command line.
    public let name: String
    /// A description in one line.
    public let summary: String
    /// The route.
    public let route: Route
    /// The default duration in seconds.
    public let duration: Double
    /// The default rate in epochs per second.
    public let rate: Double
    /// The default start.
    public let start: UTCTime
    /// The features.
    public let features: [Feature]
    /// Its journey, where that has stays that are known.
    public let journey: Journey?

    init(
        name: String, summary: String, route: Route, duration: Double, rate: Double, start: UTCTime,
        features: [Feature], journey: Journey? = nil
    ) {
        self.name = name
        self.summary = summary
        self.route = route
        self.duration = duration
        self.rate = rate
        self.start = start
        self.features = features
        self.journey = journey
    }

    /// 2026-06-01T08:00:00Z.
    public static let usualStart = UTCTime(microseconds: 1_780_300_800_000_000)

    /// The preset of this name.
    public static func named(_ name: String) -> Preset? { all.first { $0.name == name } }

    /// The scenario, with the given values in place of the defaults, and with more features, applied in their order.
    public func scenario(
        duration: Double? = nil, rate: Double? = nil, start: UTCTime? = nil, with more: [Feature] = []
    ) -> Scenario {
        var scenario = Scenario(
            name: ([name] + more.map(\.rawValue)).joined(separator: "+"), route: route, start: start ?? self.start,
            duration: duration ?? self.duration, rate: self.rate)
        if let journey {
            scenario.phases = journey.phases
            scenario.stays = journey.stays
        }
        for feature in features + more { feature.apply(to: &scenario) }
        if let rate { scenario.rate = rate }
        return scenario
    }

    /// All presets: the journeys first, then a short drive with each feature.
    public static let all: [Preset] =
        [
            Preset(
                name: "drive", summary: "six kilometres of country road: turns, stops, up to 90 km/h",
                route: .countryRoads, duration: 350, rate: 1, start: usualStart, features: []),
            Preset(
                name: "walk", summary: "a walk around a lake, with a rest", route: .lakeside, duration: 450,
                rate: 0.4, start: usualStart, features: []),
            // 20:00Z: the recording crosses midnight.
            Preset(
                name: "parked-night", summary: "ten hours of standing still, one epoch every four minutes",
                route: .mountainPass, duration: 36_000, rate: 1.0 / 240,
                start: UTCTime(microseconds: usualStart.microseconds + 43_200_000_000), features: []),
            of(
                .commute, name: "commute", rate: 1.0 / 120,
                summary: "a day of a car with stays, a jam, a tunnel, a petrol stop and a car park without a fix"),
            of(
                .ferry, name: "ferry", rate: 1.0 / 60,
                summary: "a car waits in a harbour, crosses the water and stays at a hotel"),
            of(
                .anchorage, name: "anchorage", rate: 1.0 / 90,
                summary: "a boat that sails, swings at its anchor and sails on"),
        ] + Feature.allCases.map(of)

    /// A journey with known stays, as long as it takes.
    private static func of(_ journey: Journey, name: String, rate: Double, summary: String) -> Preset {
        Preset(
            name: name, summary: summary, route: journey.route, duration: journey.duration.rounded(.up), rate: rate,
            start: usualStart, features: [], journey: journey)
    }

    /// The journey of the simulated receiver of an installation: it ends where it begins, is simulated by its own word in
    /// each sentence, and is no recording of the tests.
    public static let roundTrip = Preset(
        name: "round-trip", summary: "ten kilometres of country road and back to the start", route: .roundTrip,
        duration: Route.roundTrip.duration.rounded(.up), rate: 1, start: usualStart, features: [.simulatorQuality])

    private static func of(_ feature: Feature) -> Preset {
        let duration: Double =
            switch feature {
            case .tenHertz: 20
            case .multiConstellation, .allSentences: 60
            default: 90
            }
        return Preset(
            name: feature.rawValue, summary: feature.summary, route: .coastRoad, duration: duration, rate: 1,
            start: usualStart, features: [feature])
    }
}

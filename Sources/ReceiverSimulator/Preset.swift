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
        ] + Feature.allCases.map(of)

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

import JSONText
import Location

extension UploadFormat {
    /// OsmAnd's and Traccar's parameters, one position a request: https://www.traccar.org/osmand/.
    public static let osmand = UploadFormat(
        name: "osmand", summary: "the parameters of OsmAnd and Traccar",
        limits: PositionFilter.Limits(distance: 75, stationary: .seconds(300)),
        settings: [.deviceName, .fractionalTimes], hasWebhook: true,
        objections: OsmAnd.objections, headers: OsmAnd.headers, placement: OsmAnd.placement, write: OsmAnd.write,
        classify: OsmAnd.classify)
}

/// OsmAnd's parameters as Traccar reads them, https://www.traccar.org/osmand/: degrees, metres, and knots for the
/// speed.
private enum OsmAnd {
    /// Metres a second in a knot: a nautical mile is 1,852 m.
    private static let metresPerSecondInAKnot = 1_852.0 / 3_600

    /// Servers identify a device by its `id`.
    static func objections(_ configuration: UploadConfiguration) -> [ConfigurationObjection] {
        configuration.device.name.isEmpty ? [.missing("Name", for: .osmand)] : []
    }

    static func headers(_ configuration: UploadConfiguration) -> [HTTPAnswer.Header] {
        guard configuration.osmand.method == .form else { return [] }
        return [HTTPAnswer.Header("Content-Type", "application/x-www-form-urlencoded")]
    }

    static func placement(_ configuration: UploadConfiguration) -> UploadFormat.Placement {
        switch configuration.osmand.method {
        case .post: .query(.post)
        case .get: .query(.get)
        case .form: .body
        }
    }

    /// `id=…&timestamp=…`, as a query or as the body of a form. The time is in seconds since 1970, or in milliseconds
    /// if fractions are configured: Traccar reads either, and Home Assistant accepts only whole numbers.
    static func write(_ transfer: Transfer, _ context: RequestContext, at now: UTCTime, into bytes: inout [UInt8]) {
        guard let recorded = transfer.positions.first else { return }
        let position = recorded.position
        var separator: UInt8?
        func add(_ name: String, _ value: String) {
            if let separator { bytes.append(separator) }
            separator = UInt8(ascii: "&")
            bytes.append(contentsOf: name.utf8)
            bytes.append(UInt8(ascii: "="))
            PercentEncoding.append(value, to: &bytes)
        }
        func add(_ name: String, _ value: Double?) {
            guard let value, value.isFinite else { return }
            add(name, value.description)
        }
        add("id", context.configuration.device.name)
        let time = position.timestamp
        let hasFraction = context.configuration.destination.hasFractionalTimes
        add("timestamp", String(hasFraction ? TimeText.wholeMilliseconds(time) : TimeText.wholeSeconds(time)))
        add("lat", position.coordinate.latitude)
        add("lon", position.coordinate.longitude)
        add("speed", position.speed.map { ($0 / metresPerSecondInAKnot * 1_000).rounded() / 1_000 })
        add("bearing", position.course)
        add("altitude", position.altitude)
        add("accuracy", position.horizontalAccuracy)
        add("valid", "true")
        add("uid", recorded.id)
    }

    /// Only 200 acknowledges. Traccar replies 400 or 404 to devices that it does not know.
    static func classify(_ answer: HTTPAnswer) -> Verdict? {
        switch answer.status {
        case 201..<300: .wrong(answer)
        case 400, 404: .blocked(.unknownDevice(status: answer.status))
        default: nil
        }
    }
}

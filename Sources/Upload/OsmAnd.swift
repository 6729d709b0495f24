import Location

/// OsmAnd's parameters as Traccar takes them, https://www.traccar.org/osmand/: degrees, metres, and knots for the speed.
enum OsmAnd {
    /// Metres a second in a knot: a nautical mile is 1,852 m.
    static let metresPerSecondInAKnot = 1_852.0 / 3_600

    /// `id=…&timestamp=…`, as a query or as the body of a form. The time is in seconds since 1970, or in milliseconds where
    /// it is to have fractions: Traccar reads either, and Home Assistant takes a whole number alone.
    static func write(
        _ recorded: RecordedPosition, device: String, hasFractionalTimes: Bool, to bytes: inout [UInt8]
    ) {
        let position = recorded.position
        var separator: UInt8?
        func add(_ name: String, _ value: String) {
            if let separator { bytes.append(separator) }
            separator = UInt8(ascii: "&")
            bytes.append(contentsOf: name.utf8)
            bytes.append(UInt8(ascii: "="))
            encode(value, to: &bytes)
        }
        func add(_ name: String, _ value: Double?) {
            guard let value, value.isFinite else { return }
            add(name, value.description)
        }
        add("id", device)
        let time = position.timestamp
        add(
            "timestamp",
            String(hasFractionalTimes ? TimeText.wholeMilliseconds(time) : TimeText.wholeSeconds(time)))
        add("lat", position.coordinate.latitude)
        add("lon", position.coordinate.longitude)
        add("speed", position.speed.map { ($0 / metresPerSecondInAKnot * 1_000).rounded() / 1_000 })
        add("bearing", position.course)
        add("altitude", position.altitude)
        add("accuracy", position.horizontalAccuracy)
        add("valid", "true")
        add("uid", recorded.id)
    }

    /// Everything but the unreserved characters of RFC 3986 as % and two digits: a plus sign would be read as a space.
    private static func encode(_ text: String, to bytes: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            }
        }
    }
}

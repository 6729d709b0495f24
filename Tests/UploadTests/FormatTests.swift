import JSONText
import Location
import Platform
import TestSupport
import Testing

@testable import Upload

/// What every format guarantees for any numbers. The exact bytes of each format are in its vectors (`VectorTests`).
@Suite struct FormatTests {
    private static let now = UTCTime(microseconds: Samples.begin + 3_600_000_000)

    private func request(
        _ positions: [RecordedPosition], _ configuration: UploadConfiguration, current: RecordedPosition? = nil
    ) throws -> (request: UploadRequest, body: [UInt8]) {
        var body = Array("what was there before".utf8)
        let transfer = Transfer(
            id: 1, lane: .history, positions: positions, current: current, isRetained: false)
        let request = RequestWriter(configuration).write(transfer, at: Self.now, into: &body)
        return (try #require(request), body)
    }

    private func full(_ sequence: Int64 = 7, at timestamp: Double = 1_780_300_800.25) -> RecordedPosition {
        RecordedPosition(
            recording: Samples.recording, sequence: sequence,
            position: Position(
                timestamp: timestamp, coordinate: Samples.coordinate(-33.85678123456789, 151.2152967123),
                horizontalAccuracy: 4.6, altitude: 21.5, ellipsoidalAltitude: 44.25, verticalAccuracy: 7.4,
                speed: 10, speedAccuracy: 0.5, course: 359.7, courseAccuracy: 1.5, climb: -0.25,
                accuracy: .full, isSimulated: false, quality: .dgps))
    }

    /// RFC 4648 section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]) func `Base64 is that of the RFC`(_ plain: String, _ text: String) {
        #expect(Base64.text(Array(plain.utf8)) == text)
    }

    @Test func `the destination receives the recorded values bit for bit`() throws {
        var generator = SeededGenerator(seed: 19)
        func number(_ range: ClosedRange<Double>) -> Double {
            let number = Double.random(in: range, using: &generator)
            let steps: [Double] = [1, 10, 1e3, 1e4, 1e7, 1e9]
            let places = steps.randomElement(using: &generator) ?? 1
            return Bool.random(using: &generator) ? number : (number * places).rounded() / places
        }
        for _ in 0..<500 {
            let coordinate = Samples.coordinate(number(-90...90), number(-180...180))
            let position = Position(
                timestamp: number(1e9...2e9), coordinate: coordinate, horizontalAccuracy: number(0.001...1e5),
                altitude: number(-500...1e4), ellipsoidalAltitude: number(-500...1e4),
                verticalAccuracy: number(0...100), speed: number(0...300), speedAccuracy: number(0...10),
                course: number(0...359), courseAccuracy: number(0...180), climb: number(-10...10))
            let recorded = RecordedPosition(recording: Samples.recording, sequence: 7, position: position)
            for format in [UploadFormat.geojson, .overland] {
                let body = try JSON.parse(request([recorded], Samples.configuration(format)).body)
                let feature = body[format == .geojson ? "features" : "locations"]?[0]
                let found = feature?["properties"]
                let coordinates = feature?["geometry"]?["coordinates"]
                let pairs: [(Double?, Double?)] = [
                    (coordinates?[0]?.numberValue, coordinate.longitude),
                    (coordinates?[1]?.numberValue, coordinate.latitude),
                    (found?["altitude"]?.numberValue, position.altitude),
                    (found?["speed"]?.numberValue, position.speed), (found?["course"]?.numberValue, position.course),
                ]
                let areSame = pairs.allSatisfy { $0?.bitPattern == $1?.bitPattern }
                #expect(areSame, "\(pairs)")
                #expect(feature?["id"]?.stringValue == recorded.id)
            }
        }
    }

    /// Values that no receiver reports and that a file may contain all the same.
    private static let extremes: [Double] = [
        .nan, .infinity, -.infinity, 0, -0.0, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
        .leastNonzeroMagnitude, 1e15, -1e-7, 0.1, 123_456_789.123_456_79,
    ]

    @Test(arguments: UploadFormat.all)
    func `another parser reads any number back exactly or finds it omitted`(
        _ format: UploadFormat
    ) throws {
        var lines: [String] = []
        for extreme in Self.extremes {
            let coordinate = Coordinate(latitude: extreme, longitude: extreme) ?? Samples.coordinate(52.5, 52.5)
            let position = RecordedPosition(
                recording: Samples.recording, sequence: .max,
                position: Position(
                    timestamp: extreme, coordinate: coordinate, horizontalAccuracy: extreme, altitude: extreme,
                    ellipsoidalAltitude: extreme, verticalAccuracy: extreme, speed: extreme, speedAccuracy: extreme,
                    course: extreme, courseAccuracy: extreme, climb: extreme))
            var configuration = Samples.configuration(format)
            configuration.device.name = "böat \"\\\u{1}&=%"
            configuration.osmand.method = .form
            let body = try request([position, position], configuration).body
            lines.append("\(extreme.bitPattern) \(coordinate.latitude.bitPattern) \(Base64.text(body))")
        }
        let done = try CompletedProcess.run(
            "/usr/bin/env", ["python3", "-c", Self.reader, format.name], input: lines.joined(separator: "\n"))
        #expect(done.error == "")
        #expect(done.output == "read \(Self.extremes.count)\n")
    }

    private static let reader = #"""
        import base64, json, math, struct, sys, urllib.parse

        def number(bits):
            return struct.unpack("<d", struct.pack("<Q", int(bits)))[0]

        def refuse(word):
            raise ValueError(word)

        count = 0
        for line in sys.stdin.read().splitlines():
            bits, latitude, text = line.split(" ")
            value, latitude = number(bits), number(latitude)
            body = base64.b64decode(text).decode("utf-8")
            name = "b\u00f6at \"\\\x01&=%"
            if sys.argv[1] == "osmand":
                found = dict(urllib.parse.parse_qsl(body, strict_parsing=True))
                assert found["id"] == name
                assert float(found["lat"]) == latitude and float(found["lon"]) == latitude
                exact = [float(found[key]) for key in ("altitude", "bearing", "accuracy") if key in found]
                assert len(exact) == (3 if math.isfinite(value) else 0)
            elif sys.argv[1] in ("owntracks", "overland", "geojson"):
                read = json.loads(body, parse_constant=refuse)
                if sys.argv[1] == "owntracks":
                    assert (read["lat"], read["lon"]) == (latitude, latitude)
                    assert all(isinstance(read.get(key, 0), int) for key in ("tst", "acc", "alt", "vac", "vel", "cog"))
                    exact = []
                else:
                    first = read["locations" if sys.argv[1] == "overland" else "features"][0]
                    assert first["geometry"]["coordinates"][:2] == [latitude, latitude]
                    properties = first["properties"]
                    exact = [properties[key] for key in ("altitude",) if key in properties]
                    assert len(exact) == (1 if math.isfinite(value) else 0)
            else:
                # A format without a parser here: only that the text is UTF-8 is checked.
                exact = []
            assert all(one == value for one in exact), (exact, value)
            count += 1
        print("read", count)
        """#

    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00Z"), (1_780_300_800.25, "2026-06-01T08:00:00.250Z"),
        (1_780_300_800.000_001, "2026-06-01T08:00:00.000001Z"), (-0.5, "1969-12-31T23:59:59.500Z"),
        (951_782_400, "2000-02-29T00:00:00Z"), (1e300, "9999-12-31T23:59:59Z"), (-1e300, "0000-01-01T00:00:00Z"),
        (.nan, "1970-01-01T00:00:00Z"),
    ]) func `a time is written to the microsecond`(_ seconds: Double, _ text: String) {
        #expect(TimeText.iso8601(seconds) == text)
    }

    @Test(arguments: [UploadFormat.overland, .geojson])
    func `a full batch of the longest positions stays within its bytes`(_ format: UploadFormat) throws {
        var configuration = Samples.configuration(format)
        configuration.device.name = String(repeating: "\"", count: 60)
        configuration.queue.batchLimit = 5_000
        configuration.queue.batchBytes = 1 << 20
        let number = -2.2250738585072014e-308
        var position = full(.max)
        position.position = Position(
            timestamp: 0.000_001, coordinate: Samples.coordinate(number, number), horizontalAccuracy: number,
            altitude: number, ellipsoidalAltitude: number, verticalAccuracy: number, speed: number,
            speedAccuracy: number, course: number, courseAccuracy: number, climb: number, accuracy: .reduced,
            quality: .deadReckoning)
        let count = RequestWriter(configuration).positionsFitting(1 << 20)
        #expect(count > 1_000)
        let body = try request(
            Array(repeating: position, count: count), configuration, current: format == .overland ? position : nil
        ).body
        #expect(body.count <= 1 << 20)
        #expect(body.count > (1 << 20) - 2_000)
    }

    @Test func `a buffer is overwritten, and its capacity is reused`() throws {
        let writer = RequestWriter(Samples.configuration(.geojson))
        var body: [UInt8] = []
        // More than a body needs, so that a new buffer would have another capacity.
        body.reserveCapacity(64 << 10)
        let room = body.capacity
        let transfer = Transfer(id: 1, lane: .history, positions: [full()], current: nil, isRetained: false)
        _ = writer.write(transfer, at: Self.now, into: &body)
        // Not a second array, with which the buffer would be shared and copied by the next write.
        let first = String(decoding: body, as: UTF8.self)
        for _ in 0..<3 { _ = writer.write(transfer, at: Self.now, into: &body) }
        #expect(String(decoding: body, as: UTF8.self) == first)
        #expect(body.capacity == room)
    }
}

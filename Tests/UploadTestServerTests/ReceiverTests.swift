import HTTPServing
import Location
import Platform
import TestSupport
import Testing

@testable import Upload
@testable import UploadTestServer

/// The uploader's requests are passed to the test server, and the server's responses to the uploader's classification.
@Suite struct ReceiverTests {
    private static let recording = RecordingID(high: 0x0123_4567_89AB_4DEF, low: 0x8123_4567_89AB_CDEF)
    private static let now = UTCTime(microseconds: 1_780_300_800_000_000)

    private static func position(_ sequence: Int64) throws -> RecordedPosition {
        RecordedPosition(
            recording: recording, sequence: sequence,
            position: Position(
                timestamp: 1_780_300_000 + Double(sequence) / 10,
                coordinate: try #require(Coordinate(latitude: 52.5, longitude: 13.25)), horizontalAccuracy: 4.5,
                speed: 12))
    }

    private static func configuration(_ format: UploadFormat, get: Bool = false) throws -> UploadConfiguration {
        var configuration = UploadConfiguration()
        configuration.destination.url = try DestinationURL(parsing: "http://127.0.0.1:8765/\(format.name)")
        configuration.destination.format = format
        configuration.device.user = "jane"
        configuration.device.name = "boat & co"
        if get { configuration.osmand.method = .get }
        return configuration
    }

    /// The request that the uploader writes for positions.
    private static func request(
        _ sequences: ClosedRange<Int64>, _ configuration: UploadConfiguration
    ) throws -> ServedRequest {
        let transfer = Transfer(
            id: 1, lane: .history, positions: try sequences.map(position), current: nil, isRetained: false)
        var body: [UInt8] = []
        guard case .http(let method, let url, _, _) = RequestWriter(configuration).write(transfer, at: now, into: &body)
        else { throw MalformedArrival("no request") }
        let parts = url.split(separator: "?", maxSplits: 1)
        return ServedRequest(
            method: method.rawValue, path: [String(parts[0].split(separator: "/").last ?? "")],
            query: parts.count > 1 ? FormText.pairs(Array(parts[1].utf8)) : [], body: body)
    }

    private static func verdict(_ outcome: Receiver.Outcome, _ format: UploadFormat) throws -> Verdict {
        let reply = try #require(outcome.reply)
        return AnswerClassifier.verdict(
            on: HTTPAnswer(status: reply.status, body: reply.body), format: format, url: nil, at: now)
    }

    @Test(arguments: UploadFormat.all, [false, true])
    func `an upload is stored once, however often it is received, and acknowledged each time`(
        _ format: UploadFormat, get: Bool
    ) throws {
        let configuration = try Self.configuration(format, get: get)
        let directory = try TemporaryDirectory()
        var options = TestServerOptions()
        options.file = directory.file("points")
        let last: Int64 = format.acceptsBatches ? 5 : 1
        for run in 0..<2 {
            var receiver = try Receiver(options)
            #expect(receiver.ledger.found == (run == 0 ? 0 : Int(last)))
            for attempt in 0..<2 {
                let outcome = receiver.handle(try Self.request(1...last, configuration), at: Self.now)
                #expect(outcome.stored == (run == 0 && attempt == 0 ? Int(last) : 0))
                #expect(try Self.verdict(outcome, format) == .acknowledged)
                let point = try #require(outcome.arrival?.points.first)
                #expect(point.latitude == 52.5 && point.longitude == 13.25)
                #expect(point.id == PointID(Self.recording, 1))
                #expect(point.time?.hasPrefix("2026-06-01T07:46:40") == true)
            }
            #expect(receiver.ledger.distinct == Int(last))
            #expect(receiver.ledger.duplicates == (run == 0 ? Int(last) : 2 * Int(last)))
        }
    }

    @Test func `every Kth request fails as requested by --fail, and is stored only if that says so`() throws {
        let configuration = try Self.configuration(.geojson)
        let table: [(Misbehaviour, status: Int?, stored: Int)] = [
            (.status(503), 503, 0), (.captive, 200, 0), (.drop, nil, 0), (.dropStored, nil, 1), (.wrongBody, 200, 1),
        ]
        for (misbehaviour, status, stored) in table {
            var options = TestServerOptions()
            options.misbehaviour = misbehaviour
            options.every = 2
            options.retryAfter = 7
            var receiver = try Receiver(options)
            #expect(receiver.handle(try Self.request(1...1, configuration), at: Self.now).reply?.status == 204)
            let outcome = receiver.handle(try Self.request(2...2, configuration), at: Self.now)
            #expect(outcome.reply?.status == status)
            #expect(outcome.stored == stored)
            #expect(receiver.ledger.distinct == 1 + stored)
            if case .status = misbehaviour { #expect(outcome.reply?.retryAfter == 7) }
            if misbehaviour == .captive {
                #expect(try Self.verdict(outcome, .geojson) == .later(.captive, after: nil))
            }
        }
    }

    @Test func `a request with a refused point is refused as a whole, and others are not`() throws {
        let configuration = try Self.configuration(.overland)
        var options = TestServerOptions()
        options.refused = ["3", "\(Self.recording)/9"]
        var receiver = try Receiver(options)
        for (range, status) in [(1...5, 422), (3...3, 422), (9...9, 422), (4...8, 200)] as [(ClosedRange<Int64>, Int)] {
            #expect(receiver.handle(try Self.request(range, configuration), at: Self.now).reply?.status == status)
        }
        #expect(receiver.ledger.distinct == 5)
    }

    @Test func `without the expected token no request is accepted`() throws {
        let directory = try TemporaryDirectory()
        var options = TestServerOptions()
        options.tokenFile = try directory.write("token", "secret\n")
        var receiver = try Receiver(options)
        var request = try Self.request(1...1, try Self.configuration(.geojson))
        for (authorization, status) in [(nil, 401), ("Bearer other", 401), ("Bearer secret", 204)] as [(String?, Int)] {
            request.headers["authorization"] = authorization
            #expect(receiver.handle(request, at: Self.now).reply?.status == status)
        }
    }

    @Test(arguments: [
        ("/owntracks", "{}"), ("/owntracks", #"{"_type":"location","lat":1,"lon":2}"#),
        ("/owntracks", #"{"_type":"location","lat":91,"lon":2,"tst":1}"#), ("/overland", "[]"),
        ("/overland", #"{"locations":[{}]}"#), ("/geojson", "{"), ("/geojson", #"{"type":"Point"}"#),
        ("/osmand", "id=x&lat=1"), ("/osmand", "lat=1&lon=2"),
    ])
    func `a request that violates its format's documentation is refused`(_ path: String, _ body: String) throws {
        var receiver = try Receiver(TestServerOptions())
        let outcome = receiver.handle(
            ServedRequest(method: "POST", path: [String(path.dropFirst())], body: Array(body.utf8)), at: Self.now)
        #expect(outcome.reply?.status == 400)
        #expect(receiver.ledger.received == 0)
    }

    @Test func `an incomplete last line is removed, and its point can be received again`() throws {
        let directory = try TemporaryDirectory()
        var options = TestServerOptions()
        options.file = directory.file("points")
        let configuration = try Self.configuration(.geojson)
        do {
            var receiver = try Receiver(options)
            #expect(receiver.handle(try Self.request(1...2, configuration), at: Self.now).stored == 2)
        }
        let whole = try BoundedFile.bytes(of: directory.file("points"), limit: 1 << 20)
        try directory.write("points", bytes: Array(whole.dropLast(7)))
        var receiver = try Receiver(options)
        #expect(receiver.ledger.found == 1)
        #expect(receiver.handle(try Self.request(1...2, configuration), at: Self.now).stored == 1)
        #expect(try BoundedFile.bytes(of: directory.file("points"), limit: 1 << 20).count == whole.count)
    }
}

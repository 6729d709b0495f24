import Location
import NetworkPaths

@testable import Upload

/// The sample data of these tests.
enum Samples {
    static let recording = RecordingID(high: 0x0123_4567_89AB_4DEF, low: 0x8123_4567_89AB_CDEF)
    static let otherRecording = RecordingID(high: 1, low: 2)
    /// 2026-06-01T08:00:00Z.
    static let begin: Int64 = 1_780_300_800_000_000

    static func coordinate(_ latitude: Double = 52.5170365, _ longitude: Double = 13.3888599) -> Coordinate {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            preconditionFailure("the coordinate of a sample is valid")
        }
        return coordinate
    }

    static func position(_ sequence: Int64, seconds: Double = Double(begin) / 1e6) -> RecordedPosition {
        RecordedPosition(
            recording: recording, sequence: sequence,
            position: Position(
                timestamp: seconds + Double(sequence), coordinate: coordinate(), horizontalAccuracy: 4.5))
    }

    static func url(_ text: String) -> DestinationURL? {
        do {
            return try DestinationURL(parsing: text)
        } catch {
            return nil
        }
    }

    static func configuration(_ format: UploadFormat, broker: Bool = false) -> UploadConfiguration {
        var configuration = UploadConfiguration()
        configuration.destination.url = url(broker ? "mqtts://tracker.example.org" : "https://tracker.example.org/in")
        configuration.destination.format = format
        configuration.filter = .none
        configuration.device.user = "jane"
        configuration.device.name = "boat"
        return configuration
    }

    static func target(
        _ status: TargetReachability.Status, _ reason: UnreachableReason? = nil, generation: Int64 = 1,
        expensive: Bool = false, constrained: Bool = false, index: Int32 = 2
    ) -> TargetReachability {
        var target = TargetReachability(host: "tracker.example.org", port: 443, status: status, reason: reason)
        target.generation = generation
        target.interface = NetworkInterface(
            name: "if\(index)", index: index, kind: .wifi, isExpensive: expensive, isConstrained: constrained)
        target.source = IPAddress("192.0.2.\(index)")
        return target
    }

    static let ok = HTTPAnswer(status: 200, body: Array(#"{"result":"ok"}"#.utf8))
    static let portal = HTTPAnswer(
        status: 200, headers: [HTTPAnswer.Header("Content-Type", "text/html")],
        body: Array("<!DOCTYPE html><html><body>Accept our terms</body></html>".utf8))
}

extension [UploadEffect] {
    /// The reads among the effects.
    var reads: [ReadRequest] {
        compactMap { effect in
            guard case .read(let request) = effect else { return nil }
            return request
        }
    }
}

import JSONText
import Location

/// Writes what a transfer sends, in the format of its destination.
public struct RequestWriter: Sendable {
    /// Seals bytes for OwnTracks: a nonce and a secretbox of libsodium.
    public typealias Seal = @Sendable ([UInt8]) -> [UInt8]

    private let configuration: UploadConfiguration
    private let seal: Seal?
    /// What every request has of it.
    private let address: String
    private let topic: String
    private let trackerID: String
    private let headers: [HTTPAnswer.Header]

    /// A writer for this destination; with `seal` every OwnTracks message is encrypted.
    public init(_ configuration: UploadConfiguration, seal: Seal? = nil) {
        self.configuration = configuration
        self.seal = seal
        address = configuration.destination.url?.text ?? ""
        topic = configuration.topic
        trackerID = configuration.trackerID
        headers = configuration.destination.format.map { Self.headers($0, configuration) } ?? []
    }

    private static func headers(_ format: UploadFormat, _ configuration: UploadConfiguration) -> [HTTPAnswer.Header] {
        func type(_ type: String) -> HTTPAnswer.Header { HTTPAnswer.Header("Content-Type", type) }
        switch format {
        case .owntracks:
            let device = configuration.device
            return [
                type("application/json"), HTTPAnswer.Header("X-Limit-U", device.user),
                HTTPAnswer.Header("X-Limit-D", device.name),
            ]
        case .overland: return [type("application/json")]
        case .geojson: return [type("application/geo+json")]
        case .osmand:
            return configuration.osmand.method == .form ? [type("application/x-www-form-urlencoded")] : []
        }
    }

    /// Writes a transfer: its body into the buffer, whose room is used again, and the rest as the answer; nil where the
    /// configuration does not say where or how.
    public func write(_ transfer: Transfer, at now: UTCTime, into body: inout [UInt8]) -> UploadRequest? {
        body.removeAll(keepingCapacity: true)
        guard let url = configuration.destination.url, let format = configuration.destination.format,
            let first = transfer.positions.first
        else { return nil }
        switch format {
        case .owntracks:
            writeOwnTracks(first, at: now, into: &body)
            if url.scheme.isBroker { return .publish(topic: topic, isRetained: transfer.isRetained) }
        case .overland:
            Self.write(into: &body) { writer in
                Overland.writeBatch(
                    transfer.positions, current: transfer.current, device: configuration.device.name,
                    hasFractionalTimes: configuration.destination.hasFractionalTimes, to: &writer)
            }
        case .geojson: Self.write(into: &body) { GeoJSON.writeCollection(transfer.positions, to: &$0) }
        case .osmand:
            OsmAnd.write(
                first, device: configuration.device.name,
                hasFractionalTimes: configuration.destination.hasFractionalTimes, to: &body)
            switch configuration.osmand.method {
            case .post: return query(transfer, .post, url, from: &body)
            case .get: return query(transfer, .get, url, from: &body)
            case .form: break
            }
        }
        return .http(.post, url: address, headers: headers, key: transfer.idempotencyKey)
    }

    private func writeOwnTracks(_ position: RecordedPosition, at now: UTCTime, into body: inout [UInt8]) {
        Self.write(into: &body) { writer in
            OwnTracks.writeLocation(
                position, trackerID: trackerID, topic: configuration.usesBroker ? nil : topic,
                writtenAt: now, to: &writer)
        }
        guard let seal else { return }
        let sealed = seal(body)
        body.removeAll(keepingCapacity: true)
        Self.write(into: &body) { OwnTracks.writeEncrypted(sealed, to: &$0) }
    }

    /// The same parameters behind the address.
    private func query(
        _ transfer: Transfer, _ method: UploadRequest.Method, _ url: DestinationURL, from body: inout [UInt8]
    ) -> UploadRequest {
        let query = String(decoding: body, as: UTF8.self)
        body.removeAll(keepingCapacity: true)
        let separator = url.resource.contains("?") ? "&" : "?"
        return .http(method, url: address + separator + query, headers: headers, key: transfer.idempotencyKey)
    }

    /// Lends the buffer to a writer of JSON, so that neither copies it.
    private static func write(into body: inout [UInt8], _ contents: (inout JSONWriter) -> Void) {
        let taken = consume body
        body = []
        var writer = JSONWriter(continuing: consume taken)
        contents(&writer)
        body = writer.bytes
    }

    /// How many positions the body of a request can hold in so many bytes, whatever they are; one at least.
    func positionsFitting(_ bytes: Int) -> Int {
        let one = size(of: 1)
        let each = max(1, size(of: 2) - one)
        // The newest position comes with Overland's batches.
        let current = configuration.destination.format?.tellsCurrentApart == true ? each + 16 : 0
        return max(1, 1 + (bytes - one - current) / each)
    }

    /// How long the body is with so many positions of which every number is as long as a number can be.
    private func size(of count: Int) -> Int {
        let number = -2.2250738585072014e-308
        guard let coordinate = Coordinate(latitude: number, longitude: number) else { return 0 }
        let longest = Position(
            timestamp: 0.000_001, coordinate: coordinate, horizontalAccuracy: number, altitude: number,
            ellipsoidalAltitude: number, verticalAccuracy: number, speed: number, speedAccuracy: number, course: number,
            courseAccuracy: number, climb: number, accuracy: .reduced, isSimulated: false, quality: .deadReckoning)
        let position = RecordedPosition(
            recording: RecordingID(high: 0, low: 0), sequence: Int64.max, position: longest)
        let transfer = Transfer(
            id: 0, lane: .history, positions: Array(repeating: position, count: count), current: nil, isRetained: false)
        var body: [UInt8] = []
        _ = write(transfer, at: UTCTime(microseconds: 0), into: &body)
        return body.count
    }
}

import Location

/// Writes the request of a transfer in the format of its destination.
public struct RequestWriter: Sendable {
    /// Encrypts bytes for OwnTracks: the result is a nonce and a secretbox of libsodium.
    public typealias Seal = @Sendable ([UInt8]) -> [UInt8]
    /// Decrypts what `Seal` has encrypted; nil for anything else.
    public typealias Open = @Sendable ([UInt8]) -> [UInt8]?

    /// The request of a transfer without its body.
    private enum Envelope {
        /// A message for a broker.
        case publish
        /// A POST to this URL.
        case post(String)
        /// A request whose parameters are appended to this beginning of its URL.
        case query(UploadRequest.Method, String)
    }

    /// The format's `write`, stored here so that it is not read from the format for each transfer.
    private let writeContents: (@Sendable (Transfer, RequestContext, UTCTime, inout [UInt8]) -> Void)?
    private var context: RequestContext
    private let envelope: Envelope?
    private let headers: [HTTPAnswer.Header]

    /// A writer for this destination. If `seal` is given, every OwnTracks message is encrypted.
    public init(_ configuration: UploadConfiguration, seal: Seal? = nil) {
        let format = configuration.destination.format
        writeContents = format?.write
        context = RequestContext(
            configuration: configuration, topic: configuration.topic, trackerID: configuration.trackerID, seal: seal)
        envelope = Self.envelope(configuration)
        headers = format?.headers(configuration) ?? []
    }

    /// The machine's battery, which formats report with positions of the present; nil if it is not reported.
    public var battery: Battery? {
        get { context.battery }
        set { context.battery = newValue }
    }

    private static func envelope(_ configuration: UploadConfiguration) -> Envelope? {
        guard let url = configuration.destination.url, let format = configuration.destination.format else { return nil }
        if url.scheme.isBroker { return format.publication.map { _ in .publish } }
        switch format.placement(configuration) {
        case .body: return .post(url.text)
        case .query(let method): return .query(method, url.text + (url.resource.contains("?") ? "&" : "?"))
        }
    }

    /// Writes the body of a transfer into the buffer, whose capacity is reused, and returns the rest of the request;
    /// nil if the configuration lacks the address or the format.
    public func write(_ transfer: Transfer, at now: UTCTime, into body: inout [UInt8]) -> UploadRequest? {
        body.removeAll(keepingCapacity: true)
        guard let writeContents, let envelope, !transfer.positions.isEmpty || transfer.message != nil else {
            return nil
        }
        writeContents(transfer, context, now, &body)
        switch envelope {
        case .publish: return .publish(topic: context.topic(of: transfer), isRetained: transfer.isRetained)
        case .post(let address):
            return .http(.post, url: address, headers: headers, key: transfer.idempotencyKey)
        case .query(let method, let beginning):
            let query = String(decoding: body, as: UTF8.self)
            body.removeAll(keepingCapacity: true)
            return .http(method, url: beginning + query, headers: headers, key: transfer.idempotencyKey)
        }
    }

    /// The number of positions that fit into a body of so many bytes, whatever their values are; at least one.
    func positionsFitting(_ bytes: Int) -> Int {
        let one = size(of: 1)
        let each = max(1, size(of: 2) - one)
        // Such a batch also contains the newest position.
        let newest = context.configuration.destination.format?.reportsNewestApart == true ? each + 16 : 0
        return max(1, 1 + (bytes - one - newest) / each)
    }

    /// The size of a body with `count` positions in which every number has its greatest length.
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

/// The values that all requests to a destination share, computed once.
struct RequestContext: Sendable {
    /// The destination's settings.
    let configuration: UploadConfiguration
    /// The topic of published messages.
    let topic: String
    /// The two letters that OwnTracks shows on the map.
    let trackerID: String
    /// Encrypts a message; nil if messages are not encrypted.
    let seal: RequestWriter.Seal?
    /// The machine's battery at present; nil if it is not reported.
    var battery: Battery?

    /// The topic of a transfer.
    func topic(of transfer: Transfer) -> String {
        guard let message = transfer.message, let publication = configuration.destination.format?.publication else {
            return topic
        }
        return publication.messageTopic(topic, message)
    }
}

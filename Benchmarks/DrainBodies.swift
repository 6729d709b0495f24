import Location
import TestSupport
import Upload

/// The bodies that an uploader sends of a recording, for a peer that sends the same: `Uploader` chooses the batches,
/// and the format's writer writes them, each on a line.
struct DrainBodies {
    private(set) var text: [UInt8] = []
    private(set) var count = 0
    /// The header fields of the first request, and those that every request of the uploader has.
    private(set) var headers: [String] = []

    private var uploader: Uploader
    private let writer: RequestWriter
    private let route: RecordedRoute
    private let last: Int64
    private var effects: [UploadEffect] = []
    private let now = Instant(monotonicNanoseconds: 1, utc: UTCTime(microseconds: 1_800_000_000_000_000))

    /// The bodies of the first positions of a track.
    init(_ format: DrainFormat, of route: RecordedRoute, points: Int) throws {
        let configuration = try format.configuration(port: 1)
        uploader = Uploader(configuration)
        writer = RequestWriter(configuration)
        self.route = route
        last = Int64(points)
        effects += uploader.pathUnavailable(at: now)
        effects += uploader.recordingOpened(route.recording, cursor: 0, last: last, at: now)
        while let effect = effects.first {
            effects.removeFirst()
            perform(effect)
        }
    }

    private mutating func perform(_ effect: UploadEffect) {
        switch effect {
        case .read(let request):
            let end = min(last, request.after + Int64(request.limit))
            guard end > request.after else { return }
            let positions = (request.after + 1...end).map { route.position($0) }
            effects += uploader.read(RecordedPage(positions, last: last), for: request, at: now)
        case .connect: effects += uploader.connected(isResumed: false, at: now)
        case .send(let transfer): send(transfer)
        case .acknowledge(let acknowledgement):
            effects += uploader.acknowledged(upTo: acknowledgement.upTo, at: now)
        default: break
        }
    }

    private mutating func send(_ transfer: Transfer) {
        var body: [UInt8] = []
        let request = writer.write(transfer, at: now.utc, into: &body)
        text += body
        text.append(UInt8(ascii: "\n"))
        count += 1
        switch request {
        case .publish: effects += uploader.published([BrokerConfirmation(transfer.id)], at: now)
        case .http(_, _, let fields, let key) where headers.isEmpty:
            headers = fields.map { "\($0.name): \($0.value)" }
            headers += ["Idempotency-Key: \(key)", "User-Agent: waymark-upload", "Accept-Encoding: gzip"]
            fallthrough
        default:
            let answer = HTTPAnswer(status: 200, body: Array(#"{"result":"ok"}"#.utf8))
            effects += uploader.answered(transfer.id, with: answer, at: now)
        }
    }
}

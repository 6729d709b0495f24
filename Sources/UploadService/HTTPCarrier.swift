import HTTP
import Location
import Platform
import Upload

/// Carries transfers as requests of HTTP.
@DaemonActor
final class HTTPCarrier: Carrier {
    private let client: HTTPClient
    private let writer: RequestWriter
    private let clock: any TimeSource
    private let tell: @DaemonActor (CarrierEvent) -> Void
    /// The last body, for its room.
    private var body: [UInt8] = []
    /// What is probably sent next, and what was written of that once there was time.
    private var next: (transfer: Transfer, request: UploadRequest?)?
    private var nextBody: [UInt8] = []
    private var spareTime: DeferSource?

    init(
        _ configuration: UploadConfiguration, _ credentials: Credentials, clock: any TimeSource = SystemClock(),
        _ tell: @escaping @DaemonActor (CarrierEvent) -> Void
    ) throws {
        // No longer than an answer may take altogether.
        let patience = min(.seconds(20), configuration.destination.timeout)
        client = try HTTPClient(
            HTTPSettings(
                credential: credentials.identity, authorityFile: configuration.destination.authorityFile,
                connectTimeout: patience), clock: clock)
        writer = Carriers.writer(configuration, credentials)
        self.clock = clock
        self.tell = tell
        spareTime = try DeferSource(whenIdle: true) { [weak self] in self?.writeAhead() }
    }

    func prepare(_ transfer: Transfer?) {
        next = transfer.map { ($0, nil) }
        guard let transfer else {
            nextBody = []
            return
        }
        // One position is written while the destination reads the one before; with many, what else there is goes first.
        if transfer.positions.count == 1 { writeAhead() } else { spareTime?.arm() }
    }

    private func writeAhead() {
        guard let transfer = next?.transfer else { return }
        next?.request = writer.write(transfer, at: UTCTime(microseconds: clock.utcMicroseconds), into: &nextBody)
    }

    /// Writes a transfer, where that was not done in advance.
    private func write(_ transfer: Transfer) -> UploadRequest? {
        if let next, next.transfer.sendsSame(as: transfer) {
            self.next = nil
            if let request = next.request {
                swap(&body, &nextBody)
                return request
            }
        }
        return writer.write(transfer, at: UTCTime(microseconds: clock.utcMicroseconds), into: &body)
    }

    func send(_ transfer: Transfer) {
        let id = transfer.id
        guard case .http(let method, let url, let headers, let key) = write(transfer) else {
            return DaemonActor.post { [tell] in tell(.failed(id, .connect, message: nil)) }
        }
        client.send(id, HTTPRequest(method, url: url, headers: headers, key: key, body: body)) { [tell] outcome in
            switch outcome {
            case .answered(let answer): tell(.answered(id, answer))
            case .failed(let failure): tell(.failed(id, failure, message: nil))
            }
        }
    }

    func cancel(_ id: UInt64) { client.cancel(id) }
    func wayChanged() { client.forgetConnections() }
    func connect() {}
    func disconnect() {}
    func close() { client.close() }
}

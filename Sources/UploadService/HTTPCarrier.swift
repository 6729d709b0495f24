import HTTP
import Location
import Platform
import Upload

/// Sends transfers as HTTP requests.
@DaemonActor
final class HTTPCarrier: Carrier {
    private let client: HTTPClient
    private var writer: RequestWriter
    private let battery: BatteryMonitor?
    private let readCommands: (@Sendable ([UInt8]) -> RemoteCommands)?
    private let clock: any TimeSource
    private let report: @DaemonActor (CarrierEvent) -> Void
    /// The last body, whose capacity is reused.
    private var body: [UInt8] = []
    /// The probable next transfer, and its request if there was time to write it.
    private var next: (transfer: Transfer, request: PreparedRequest?)?
    private var spareTime: DeferSource?

    init(
        _ configuration: UploadConfiguration, _ credentials: Credentials, clock: any TimeSource = SystemClock(),
        _ report: @escaping @DaemonActor (CarrierEvent) -> Void
    ) throws {
        // Not longer than the time limit of a whole response.
        let patience = min(.seconds(20), configuration.destination.timeout)
        client = try HTTPClient(
            HTTPSettings(
                credential: credentials.identity, authorityFile: configuration.destination.authorityFile,
                connectTimeout: patience), clock: clock)
        writer = Carriers.writer(configuration, credentials)
        readCommands = Carriers.commandReader(configuration, credentials)
        battery = Carriers.batteryMonitor(configuration, clock: clock)
        self.clock = clock
        self.report = report
        spareTime = try DeferSource(whenIdle: true) { [weak self] in self?.writeAhead() }
    }

    func prepare(_ transfer: Transfer?) {
        next = transfer.map { ($0, nil) }
        guard let transfer else { return }
        // A single position is written while the destination reads the one before; for batches other work goes first.
        if transfer.positions.count == 1 { writeAhead() } else { spareTime?.arm() }
    }

    private func writeAhead() {
        guard let transfer = next?.transfer else { return }
        next?.request = request(transfer)
    }

    /// Writes a transfer; nil if that is impossible.
    private func request(_ transfer: Transfer) -> PreparedRequest? {
        let now = UTCTime(microseconds: clock.utcMicroseconds)
        writer.battery = battery?.battery
        guard case .http(let method, let url, let headers, let key) = writer.write(transfer, at: now, into: &body)
        else { return nil }
        return client.prepare(
            HTTPRequest(method == .get ? .get : .post, url: url, headers: headers, key: key, body: body))
    }

    /// Removes the announced next transfer and returns its prepared request, if there is one and it sends the same as
    /// `transfer`.
    private func removeNext(for transfer: Transfer) -> PreparedRequest? {
        guard let next, next.transfer.sendsSame(as: transfer) else { return nil }
        self.next = nil
        return next.request
    }

    func send(_ transfer: Transfer) {
        let id = transfer.id
        guard let request = removeNext(for: transfer) ?? request(transfer) else {
            return DaemonActor.post { [report] in report(.failed(id, .connect, message: nil)) }
        }
        client.send(id, request) { [report, readCommands] outcome in
            switch outcome {
            case .answered(let answer):
                report(.answered(id, answer))
                guard let readCommands, (200...299).contains(answer.status) else { return }
                let commands = readCommands(answer.body)
                if !commands.isEmpty { report(.commanded(commands)) }
            case .failed(let failure): report(.failed(id, failure, message: nil))
            }
        }
    }

    func cancel(_ id: UInt64) { client.cancel(id) }
    func pathChanged() { client.forgetConnections() }
    func connect() {}
    func disconnect() {}

    func close() {
        client.close()
        battery?.close()
    }
}

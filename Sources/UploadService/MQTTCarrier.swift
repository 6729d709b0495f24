import Location
import MQTT
import Platform
import Upload

/// Sends transfers as messages to a broker.
@DaemonActor
final class MQTTCarrier: Carrier {
    private var client: MQTTClient?
    private var writer: RequestWriter
    private let battery: BatteryMonitor?
    private let readCommands: (@Sendable ([UInt8]) -> RemoteCommands)?
    private let publication: UploadFormat.Publication
    private let clock: any TimeSource
    private let report: @DaemonActor (CarrierEvent) -> Void
    /// The last body, whose capacity is reused.
    private var body: [UInt8] = []

    init(
        _ configuration: UploadConfiguration, _ credentials: Credentials, clock: any TimeSource = SystemClock(),
        _ report: @escaping @DaemonActor (CarrierEvent) -> Void
    ) throws(CarrierProblem) {
        if case .bearer = credentials.identity { throw .unusable("MQTT has no bearer tokens") }
        guard let settings = MQTTSettings(configuration, credential: credentials.identity) else {
            throw .unusable("the destination is no broker")
        }
        guard let publication = configuration.destination.format?.publication else {
            throw .unusable("the format is not published to brokers")
        }
        self.publication = publication
        writer = Carriers.writer(configuration, credentials)
        readCommands = Carriers.commandReader(configuration, credentials)
        battery = Carriers.batteryMonitor(configuration, clock: clock)
        self.clock = clock
        self.report = report
        do throws(MQTTSetupError) {
            client = try MQTTClient(settings, clock: clock) { [weak self] in self?.handle($0) }
        } catch {
            throw .unusable(error.description)
        }
    }

    private func handle(_ event: MQTTEvent) {
        switch event {
        case .connected(let isResumed): report(.connected(isResumed: isResumed))
        case .refused(let code): report(.refused(code))
        case .lost(let failure): report(.lost(failure, message: nil))
        case .published(let confirmations): report(.published(confirmations))
        case .failed(let id, let failure): report(.failed(id, failure, message: nil))
        case .received(let message): receive(message)
        }
    }

    /// Reads the commands of a message. Whatever contains no known command counts as ignored.
    private func receive(_ message: [UInt8]?) {
        var commands = RemoteCommands()
        if let message, let readCommands { commands = readCommands(message) }
        if commands.isEmpty { commands.ignored = 1 }
        report(.commanded(commands))
    }

    func send(_ transfer: Transfer) {
        let now = UTCTime(microseconds: clock.utcMicroseconds)
        let id = transfer.id
        writer.battery = battery?.battery
        guard case .publish(let topic, let isRetained) = writer.write(transfer, at: now, into: &body), let client else {
            return DaemonActor.post { [report] in report(.failed(id, .connectionLost, message: nil)) }
        }
        client.publish(id, to: topic, body, isRetained: isRetained)
    }

    // Writing a message costs little, and other messages are in flight meanwhile.
    func prepare(_ transfer: Transfer?) {}
    func cancel(_ id: UInt64) { client?.cancel(id) }

    func connect() {
        client?.connect(lastWill: publication.lastWill(UTCTime(microseconds: clock.utcMicroseconds)))
    }

    func disconnect() { client?.disconnect() }

    // A change of the path calls `disconnect` for messages in flight.
    func pathChanged() {}

    func close() {
        client?.disconnect()
        client = nil
        battery?.close()
    }
}

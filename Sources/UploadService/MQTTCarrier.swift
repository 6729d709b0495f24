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
    /// The message of discovery, and whether there is a connection over which it can be replaced.
    private let discovery: RetainedMessage?
    private var isConnected = false
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
        discovery = configuration.discovery
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
        case .connected(let isResumed):
            isConnected = true
            if let discovery { publish(discovery.topic, discovery.body) }
            report(.connected(isResumed: isResumed))
        case .refused(let code):
            isConnected = false
            report(.refused(code))
        case .lost(let failure):
            isConnected = false
            report(.lost(failure, message: nil))
        case .published(let confirmations): confirm(confirmations)
        case .failed(Self.discoveryID, _): break
        case .failed(let id, let failure): report(.failed(id, failure, message: nil))
        case .received(let message): receive(message)
        case .consumerStarted: report(.consumerStarted)
        }
    }

    /// The number of the message of discovery; transfers have numbers from 1 on.
    private static let discoveryID: UInt64 = 0

    /// Publishes a message of discovery. Over each connection again, because brokers may forget what they retain.
    private func publish(_ topic: String, _ body: [UInt8]) {
        client?.publish(Self.discoveryID, to: topic, body, isRetained: true)
    }

    private func confirm(_ confirmations: [BrokerConfirmation]) {
        for confirmation in confirmations where confirmation.id == Self.discoveryID && confirmation.reason >= 0x80 {
            Log.warning(
                "the broker does not accept the message of discovery (\(confirmation.reason)): permit this client to"
                    + " publish to \(discovery?.topic ?? ""), or remove HomeAssistantDiscovery=")
        }
        let others = confirmations.filter { $0.id != Self.discoveryID }
        if !others.isEmpty { report(.published(others)) }
    }

    func retract(for next: UploadConfiguration) {
        guard let discovery, isConnected, next.discovery?.topic != discovery.topic else { return }
        // Without contents: the broker retains it no longer, and Home Assistant removes the device.
        publish(discovery.topic, [])
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

    func disconnect() {
        isConnected = false
        client?.disconnect()
    }

    // A change of the path calls `disconnect` for messages in flight.
    func pathChanged() {}

    func close() {
        client?.disconnect()
        client = nil
        battery?.close()
    }
}

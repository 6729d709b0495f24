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
    /// The topics of earlier messages of discovery that are to be cleared, with the numbers of the messages that do it.
    private var obsolete: [(number: UInt64, topic: String)] = []
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
            clearObsolete()
            report(.connected(isResumed: isResumed))
        case .refused(let code):
            isConnected = false
            report(.refused(code))
        case .lost(let failure):
            isConnected = false
            report(.lost(failure, message: nil))
        case .published(let confirmations): confirm(confirmations)
        // Over the next connection again.
        case .failed(let id, _) where id == Self.discoveryID || id >= Self.firstClearing: break
        case .failed(let id, let failure): report(.failed(id, failure, message: nil))
        case .received(let message): receive(message)
        case .consumerStarted: report(.consumerStarted)
        }
    }

    /// The number of the message of discovery; transfers have numbers from 1 on.
    private static let discoveryID: UInt64 = 0
    /// The number of the message that clears the first obsolete topic.
    private static let firstClearing: UInt64 = .max - UInt64(mostObsolete)
    /// The most topics that are to be cleared, of which there is one for each change of the configuration.
    private static let mostObsolete = 16

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
        for confirmation in confirmations {
            guard let index = obsolete.firstIndex(where: { $0.number == confirmation.id }) else { continue }
            if confirmation.reason >= 0x80 {
                Log.warning(
                    "the broker does not remove the message of discovery (\(confirmation.reason)): permit this client to"
                        + " publish to \(obsolete[index].topic), or remove what is retained there")
            } else {
                obsolete.remove(at: index)
            }
        }
        let others = confirmations.filter { $0.id != Self.discoveryID && $0.id < Self.firstClearing }
        if !others.isEmpty { report(.published(others)) }
    }

    func retract(for next: UploadConfiguration) -> [String] {
        var topics = obsolete.map(\.topic)
        if let discovery, next.discovery?.topic != discovery.topic {
            topics.append(discovery.topic)
            // The next carrier may have another broker.
            if isConnected { publish(discovery.topic, []) }
        }
        return topics
    }

    func clear(_ topics: [String]) {
        let topics = topics.filter { $0 != discovery?.topic }.suffix(Self.mostObsolete)
        obsolete = topics.enumerated().map { (Self.firstClearing + UInt64($0.offset), $0.element) }
        if isConnected { clearObsolete() }
    }

    /// Publishes messages without contents: the broker retains none at these topics then, and Home Assistant removes the device.
    private func clearObsolete() {
        for (number, topic) in obsolete { client?.publish(number, to: topic, [], isRetained: true) }
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

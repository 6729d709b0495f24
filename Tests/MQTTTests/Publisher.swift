import MQTT
import NetworkPaths
import Platform
import TestSupport
import Testing
import Upload

/// A client, and the events it has reported.
@DaemonActor
final class Publisher {
    private(set) var events: [MQTTEvent] = []
    private var client: MQTTClient?

    init(
        _ port: UInt16, host: String = "127.0.0.1", isEncrypted: Bool = false,
        _ change: (inout MQTTSettings) throws -> Void = { _ in }
    ) throws {
        let target = try #require(TargetHost(host))
        var settings = MQTTSettings(
            host: target, port: port, isEncrypted: isEncrypted, clientID: "waymark-test", willTopic: "owntracks/u/d")
        try change(&settings)
        client = try MQTTClient(settings) { [weak self] in self?.events.append($0) }
    }

    func connect() { client?.connect(lastWill: Array("gone".utf8)) }
    func disconnect() { client?.disconnect() }
    func cancel(_ id: UInt64) { client?.cancel(id) }
    func forget() { events = [] }

    func publish(_ ids: ClosedRange<UInt64>, to topic: String = "owntracks/u/d", isRetained: Bool = false) {
        for id in ids { client?.publish(id, to: topic, Array("message \(id)".utf8), isRetained: isRetained) }
    }

    /// Connects and waits for the outcome.
    func connected() async throws -> MQTTEvent? {
        forget()
        connect()
        _ = try await soon { self.connection != nil }
        return connection
    }

    /// The last event about the connection.
    var connection: MQTTEvent? {
        events.last { event in
            switch event {
            case .connected, .refused, .lost: true
            case .published, .failed, .received, .consumerStarted: false
            }
        }
    }

    /// The messages that were received on the topic of commands; nil for one that is not to be evaluated.
    var received: [String?] {
        events.compactMap { event -> String?? in
            guard case .received(let message) = event else { return nil }
            return .some(message.map { String(decoding: $0, as: UTF8.self) })
        }
    }

    /// The messages that were confirmed, each as often as it was confirmed.
    var confirmed: [UInt64] {
        // 0x10: no matching subscribers.
        confirmations.filter { $0.reason == 0 || $0.reason == 0x10 }.map(\.id).sorted()
    }

    /// The reason code with which a message was refused.
    func reason(of id: UInt64) -> UInt8? {
        confirmations.first { $0.id == id }?.reason
    }

    private var confirmations: [BrokerConfirmation] {
        events.flatMap { event in
            guard case .published(let confirmations) = event else { return [BrokerConfirmation]() }
            return confirmations
        }
    }
}

/// Whether a condition becomes true while the loop runs.
@DaemonActor func soon(_ condition: @DaemonActor () async -> Bool) async throws -> Bool {
    try await eventually { await condition() }
}

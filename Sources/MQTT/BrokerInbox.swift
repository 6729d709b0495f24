import CMosquitto
import Upload

/// The results of libmosquitto's callbacks within one call into it. The callbacks run within the call, on the loop's thread.
final class BrokerInbox {
    /// The code of the CONNACK, and the keep-alive interval that the broker requires, in seconds.
    var answer: UInt8?
    var serverKeepAlive: UInt16?
    var confirmed: [(number: UInt16, reason: UInt8)] = []
    /// Why the connection has ended: an error of libmosquitto, or from 0x80 on a reason code of MQTT 5.
    var end: Int32?
    /// The messages received on the topic of commands; nil for one that is not to be evaluated.
    var received: [[UInt8]?] = []
    /// Whether a program that reads the messages has started.
    var hasConsumerStarted = false
    /// The packet identifiers of the subscriptions that the broker has refused.
    var refused: [Int32] = []
    /// The topic of a message that this client did not subscribe to: one of an earlier process of the same session.
    var stray: String?

    /// The topics of commands and of births.
    private let commandTopic: String?
    private let birthTopic: String?

    /// The most messages that are evaluated of one call into libmosquitto.
    private static let mostMessages = 16

    init(_ settings: MQTTSettings) {
        (commandTopic, birthTopic) = (settings.commandTopic, settings.birthTopic)
    }

    /// What libmosquitto passes to its callbacks. The inbox has to outlive libmosquitto's handle.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func inbox(_ context: UnsafeMutableRawPointer?) -> BrokerInbox {
        Unmanaged.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
    }

    /// Receives the callbacks of a handle, which was made with `context`.
    func receiveCallbacks(of handle: OpaquePointer) {
        mosquitto_connect_v5_callback_set(handle) { _, context, code, _, properties in
            let inbox = BrokerInbox.inbox(context)
            inbox.answer = UInt8(clamping: code)
            var seconds: UInt16 = 0
            let found = mosquitto_property_read_int16(
                properties, Int32(truncatingIfNeeded: MQTT_PROP_SERVER_KEEP_ALIVE.rawValue), &seconds, false)
            inbox.serverKeepAlive = found == nil ? nil : seconds
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, number, reason, _ in
            let inbox = BrokerInbox.inbox(context)
            inbox.confirmed.append((UInt16(truncatingIfNeeded: number), UInt8(clamping: reason)))
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, context, code, _ in
            let inbox = BrokerInbox.inbox(context)
            // libmosquitto may report a second end of the same connection.
            if inbox.end == nil { inbox.end = code }
        }
        mosquitto_message_v5_callback_set(handle) { _, context, message, _ in
            guard let message = message?.pointee, let topic = message.topic.map({ String(cString: $0) }) else { return }
            let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            BrokerInbox.inbox(context).receive(payload, on: topic, isRetained: message.retain)
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, context, number, count, codes, _ in
            if count > 0, let code = codes?.pointee, code >= 0x80 { BrokerInbox.inbox(context).refused.append(number) }
        }
    }

    private func receive(_ payload: UnsafeRawBufferPointer, on topic: String, isRetained: Bool) {
        if topic == birthTopic {
            if !isRetained, payload.elementsEqual("online".utf8) { hasConsumerStarted = true }
        } else if topic != commandTopic {
            stray = topic
        } else if received.count < Self.mostMessages {
            received.append(!isRetained && payload.count <= RemoteCommands.longestMessage ? Array(payload) : nil)
        }
    }

    /// Removes all results, once they have been read.
    func removeAll() {
        answer = nil
        confirmed.removeAll(keepingCapacity: true)
        end = nil
        received.removeAll(keepingCapacity: true)
        hasConsumerStarted = false
        refused.removeAll(keepingCapacity: true)
        stray = nil
    }
}

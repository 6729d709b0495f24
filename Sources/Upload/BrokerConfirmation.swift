/// A broker's confirmation (PUBACK) of a message published with QoS 1.
public struct BrokerConfirmation: Equatable, Sendable {
    /// The transfer that was published as this message.
    public let id: UInt64
    /// 0, or the reason code of MQTT 5; with a code of 0x80 or above the broker has not accepted the message.
    public let reason: UInt8

    /// A confirmation of a transfer.
    public init(_ id: UInt64, reason: UInt8 = 0) {
        self.id = id
        self.reason = reason
    }
}

/// What a broker has said of a message that was published with QoS 1.
public struct BrokerConfirmation: Equatable, Sendable {
    /// The transfer that the message was.
    public let id: UInt64
    /// 0, or the reason code of MQTT 5; from 0x80 on the broker has not taken it.
    public let reason: UInt8

    /// A confirmation of a transfer.
    public init(_ id: UInt64, reason: UInt8 = 0) {
        self.id = id
        self.reason = reason
    }
}

/// The response of a destination that refused a position.
public struct DestinationRefusal: Equatable, Sendable {
    /// The status of the response, or the reason code of MQTT.
    public let status: Int
    /// The beginning of the response, which may repeat the position: shown to the operator together with the position,
    /// never written to a log.
    public let message: String

    /// A refusal of these parts.
    public init(status: Int, message: String) {
        self.status = status
        self.message = message
    }
}

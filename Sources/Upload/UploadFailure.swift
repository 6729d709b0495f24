/// Why an attempt came to nothing, though a later one may succeed.
public enum UploadFailure: Equatable, Sendable {
    /// The name of the destination could not be looked up.
    case nameLookup
    /// Nobody took the connection.
    case connect
    /// TLS did not come about.
    case tls(TLSFault)
    /// The connection ended before an answer.
    case connectionLost
    /// No answer came in time.
    case timedOut
    /// The destination has answered with this status.
    case status(Int)
    /// Something answers in the destination's place, as the portal of a public network does.
    case captive
    /// The destination has answered that all is well, but not in the words that acknowledge.
    case wrongAnswer(status: Int)
    /// The destination has answered in its own words that it did not take it. They may repeat a position: for the
    /// operator, never for a log.
    case refused(String)
    /// The broker is not ready: MQTT's return code or reason code.
    case broker(UInt8)
}

/// Why nothing is sent until somebody has changed something; tried again every quarter of an hour all the same.
public enum BlockReason: Equatable, Sendable {
    /// The credential is not accepted: 401, 403 or 407.
    case unauthorized(status: Int)
    /// The destination does not know the device.
    case unknownDevice(status: Int)
    /// The destination is elsewhere now: the address has to be changed.
    case moved(status: Int)
    /// The destination has refused the only position that waits: whether that concerns the position is open.
    case onlyPositionRejected(status: Int)
    /// The destination refuses every position that was tried, also those that lie apart: it is not about the positions.
    case everythingRejected(status: Int)
    /// The broker does not accept this client: MQTT's return code or reason code.
    case broker(UInt8)
    /// The configuration says not enough.
    case notConfigured
}

/// What a destination has said about a position that it does not take.
public struct DeadLetter: Equatable, Sendable {
    /// The status of its answer, or MQTT's reason code.
    public let status: Int
    /// The beginning of its answer, which may repeat the position: for the operator who looks at the position, never for
    /// a log.
    public let message: String

    /// A letter of these parts.
    public init(status: Int, message: String) {
        self.status = status
        self.message = message
    }
}

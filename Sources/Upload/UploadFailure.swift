/// A temporary failure: a later attempt may succeed.
public enum UploadFailure: Equatable, Sendable {
    /// The name of the destination could not be resolved.
    case nameLookup
    /// The connection was not established.
    case connect
    /// The TLS handshake failed.
    case tls(TLSFault)
    /// The connection was closed before a response arrived.
    case connectionLost
    /// No response arrived in time.
    case timedOut
    /// The destination replied with this status.
    case status(Int)
    /// Another server replied in the destination's place, such as the captive portal of a public network.
    case captive
    /// The destination replied with a success status, but with a body that does not acknowledge.
    case wrongAnswer(status: Int)
    /// The destination's response states in its own text that the positions were not stored. The text may repeat a
    /// position: show it to the operator, never write it to a log.
    case refused(String)
    /// The broker is not ready: the return code or reason code of MQTT.
    case broker(UInt8)
}

/// The reason why nothing can be sent until a setting, a credential or the destination is changed. An attempt is still
/// made every quarter of an hour.
public enum BlockReason: Equatable, Sendable {
    /// The credential is not accepted: 401, 403 or 407.
    case unauthorized(status: Int)
    /// The destination does not know the device.
    case unknownDevice(status: Int)
    /// The destination has moved: its address has to be changed.
    case moved(status: Int)
    /// The destination has refused the only pending position, so it is undecided whether the refusal concerns the
    /// position.
    case onlyPositionRejected(status: Int)
    /// The destination refuses every position that was tried, including distant ones, so the refusals do not concern
    /// individual positions.
    case everythingRejected(status: Int)
    /// The broker does not accept this client: the return code or reason code of MQTT.
    case broker(UInt8)
    /// The configuration is incomplete.
    case notConfigured

    /// The status or code of the response; nil where there was none.
    var status: Int? {
        switch self {
        case .unauthorized(let status), .unknownDevice(let status), .moved(let status),
            .onlyPositionRejected(let status),
            .everythingRejected(let status):
            status
        case .broker(let code): Int(code)
        case .notConfigured: nil
        }
    }
}

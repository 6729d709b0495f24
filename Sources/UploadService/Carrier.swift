import Platform
import Upload

/// Sends transfers to one destination over HTTP or MQTT. A change of the destination or of its credentials replaces the
/// carrier.
///
/// A carrier reports through `CarrierEvent`s, always after the call that caused an event has returned.
@DaemonActor
public protocol Carrier: AnyObject {
    /// Sends positions; `answered`, `published` or `failed` follows, unless the transfer is cancelled.
    func send(_ transfer: Transfer)
    /// Announces the probable next transfer, nil for none. A carrier may write its request in advance when there is
    /// time.
    func prepare(_ transfer: Transfer?)
    /// Cancels a transfer; nothing follows.
    func cancel(_ id: UInt64)
    /// The network path to the destination has changed: an idle connection may be dead.
    func pathChanged()
    /// Connects to a broker; `connected`, `refused` or `lost` follows.
    func connect()
    /// Disconnects from the broker; nothing follows.
    func disconnect()
    /// Retracts what the destination stores for this carrier and the next configuration does not need, as far as that is
    /// possible at once. Returns the topics that the next carrier of the same broker has to clear, because nothing has confirmed
    /// that. `close` follows.
    func retract(for next: UploadConfiguration) -> [String]
    /// Clears what the broker retains at these topics, except that of the carrier's own message, over each connection until the
    /// broker has confirmed it.
    func clear(_ topics: [String])
    /// Closes the carrier; no event follows.
    func close()
}

extension Carrier {
    /// Most carriers have stored nothing.
    public func retract(for next: UploadConfiguration) -> [String] { [] }
    /// Most destinations have no topics.
    public func clear(_ topics: [String]) {}
}

/// An event of a carrier.
public enum CarrierEvent: Equatable, Sendable {
    /// The destination has replied to a request.
    case answered(UInt64, HTTPAnswer)
    /// A request has failed. The message for people contains no address, secret or position.
    case failed(UInt64, UploadFailure, message: String?)
    /// The broker has accepted the connection; whether it resumed the session.
    case connected(isResumed: Bool)
    /// The broker has refused the connection: the return code or reason code of MQTT.
    case refused(UInt8)
    /// The connection failed or was closed; the message is as above.
    case lost(UploadFailure, message: String?)
    /// The destination has sent commands.
    case commanded(RemoteCommands)
    /// Home Assistant, which reads the messages from the broker, has started.
    case consumerStarted
    /// The broker has confirmed messages.
    case published([BrokerConfirmation])
}

/// Makes a carrier for a destination. The carrier reports its events to the function.
public typealias CarrierMaker =
    @DaemonActor (
        UploadConfiguration, Credentials, @escaping @DaemonActor (CarrierEvent) -> Void
    ) throws -> any Carrier

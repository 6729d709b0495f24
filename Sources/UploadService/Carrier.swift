import Platform
import Upload

/// What carries transfers to one destination, over HTTP or MQTT. A change of destination or credentials makes another one.
///
/// What it has to tell it tells by its `CarrierEvent`s, never before the call that causes them has returned.
@DaemonActor
public protocol Carrier: AnyObject {
    /// Sends positions; `answered`, `published` or `failed` follows, unless it is cancelled.
    func send(_ transfer: Transfer)
    /// These are probably sent next, nil for none: whoever has time may write in advance what that takes.
    func prepare(_ transfer: Transfer?)
    /// Gives up a transfer; nothing follows.
    func cancel(_ id: UInt64)
    /// The way to the destination is another than before: a connection that waits for its next use may be dead.
    func pathChanged()
    /// Connects to a broker; `connected`, `refused` or `lost` follows.
    func connect()
    /// Leaves the broker; nothing follows.
    func disconnect()
    /// Ends everything; nothing follows any more.
    func close()
}

/// What a carrier tells.
public enum CarrierEvent: Equatable, Sendable {
    /// The destination has answered a request.
    case answered(UInt64, HTTPAnswer)
    /// A request has come to nothing; in words for a person, without an address, a secret or a position.
    case failed(UInt64, UploadFailure, message: String?)
    /// The broker has taken the connection, and remembers the session or not.
    case connected(isResumed: Bool)
    /// The broker has refused the connection: MQTT's return or reason code.
    case refused(UInt8)
    /// The connection did not come about, or has ended; in words as above.
    case lost(UploadFailure, message: String?)
    /// The broker has confirmed messages.
    case published([BrokerConfirmation])
}

/// Makes a carrier for a destination, which tells what happens to the function.
public typealias CarrierMaker =
    @DaemonActor (
        UploadConfiguration, Credentials, @escaping @DaemonActor (CarrierEvent) -> Void
    ) throws -> any Carrier

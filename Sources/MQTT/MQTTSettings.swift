import NetworkPaths
import Platform
import Upload

/// The broker, and how this client identifies itself to it.
public struct MQTTSettings: Sendable {
    /// The host of the broker.
    public var host: TargetHost
    /// The port of the broker.
    public var port: UInt16
    /// Whether all traffic is encrypted with TLS, which is 1.2 or later and always verified.
    public var isEncrypted: Bool
    /// The file of the authorities that are trusted instead of the system's, in PEM; empty for the system's.
    public var authorityFile = ""
    /// The credential that authenticates the client; MQTT has no bearer tokens.
    public var credential = Credential.none
    /// The client identifier, by which the broker finds the session.
    public var clientID: String
    /// The topic of the last will.
    public var willTopic: String
    /// The topic of commands to subscribe to; nil for none.
    public var commandTopic: String?
    /// The topic where a program that reads the messages publishes `online` when it has started; nil for none.
    public var birthTopic: String?
    /// The topics to subscribe to.
    var subscriptions: [String] { [commandTopic, birthTopic].compactMap { $0 } }
    /// The keep-alive interval of an idle connection.
    public var keepAlive = Duration.seconds(60)
    /// The version of the protocol.
    public var version = UploadConfiguration.MQTT.Version.five
    /// The time limit for one of several addresses before the next one is tried.
    public var addressTimeout = Duration.seconds(5)

    /// An unencrypted broker or one with TLS, and the identification of this client.
    public init(host: TargetHost, port: UInt16, isEncrypted: Bool, clientID: String, willTopic: String) {
        self.host = host
        self.port = port
        self.isEncrypted = isEncrypted
        self.clientID = clientID
        self.willTopic = willTopic
    }

    /// The settings from a configuration; nil if it names no broker.
    public init?(_ configuration: UploadConfiguration, credential: Credential) {
        guard let url = configuration.destination.url, url.scheme.isBroker else { return nil }
        self.init(
            host: url.host, port: url.port, isEncrypted: url.scheme.isEncrypted, clientID: configuration.clientID,
            willTopic: configuration.topic)
        authorityFile = configuration.destination.authorityFile
        self.credential = credential
        commandTopic = configuration.commandTopic
        birthTopic = configuration.birthTopic
        keepAlive = configuration.mqtt.keepAlive
        version = configuration.mqtt.version
    }
}

/// The reason why a client cannot be made.
public enum MQTTSetupError: Error, Equatable, CustomStringConvertible {
    /// libmosquitto cannot be used, or does not accept the client identifier.
    case library
    /// A credential is empty, has no colon, or contains a NUL.
    case unusableCredential
    /// A system resource is missing.
    case system(SystemError)

    /// The problem, for people; without any part of the credential.
    public var description: String {
        switch self {
        case .library: "libmosquitto cannot be used"
        case .unusableCredential:
            "the credential is a bearer token, is empty, has no colon after its user, or has a NUL in it"
        case .system(let error): error.description
        }
    }
}

/// An event of a client, never reported within a call to it.
public enum MQTTEvent: Equatable, Sendable {
    /// The broker has accepted the connection. `isResumed` means that unconfirmed messages are sent again
    /// automatically.
    case connected(isResumed: Bool)
    /// The broker has refused or closed the connection: the return code of MQTT 3.1.1, or the reason code of MQTT 5.
    case refused(UInt8)
    /// The connection failed or was closed.
    case lost(UploadFailure)
    /// The broker has confirmed messages.
    case published([BrokerConfirmation])
    /// A message was received on the topic of commands; nil if it is too long or was retained by the broker, because a
    /// command that anybody retained would be repeated with each connection.
    case received([UInt8]?)
    /// A program that reads the messages has published `online` on the topic of births. A retained one does not count,
    /// because it may be old.
    case consumerStarted
    /// A message could not be sent.
    case failed(UInt64, UploadFailure)
}

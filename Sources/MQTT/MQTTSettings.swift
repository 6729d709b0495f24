import NetworkPaths
import Platform
import Upload

/// Which broker, and what it is told of this side.
public struct MQTTSettings: Sendable {
    /// Where the broker is.
    public var host: TargetHost
    /// On which port.
    public var port: UInt16
    /// Whether everything goes through TLS, which is 1.2 or later and always verified.
    public var isEncrypted: Bool
    /// The file of the authorities that are trusted instead of the system's, in PEM; empty for the system's.
    public var authorityFile = ""
    /// By what the broker knows who connects; brokers know no bearer tokens.
    public var credential = Credential.none
    /// What the broker knows the session by.
    public var clientID: String
    /// Where the broker publishes the last will.
    public var willTopic: String
    /// How often a silent connection is tried.
    public var keepAlive = Duration.seconds(60)
    /// Which version of the protocol is spoken.
    public var version = UploadConfiguration.MQTT.Version.five
    /// How long one of several addresses may take to answer until the next one is tried.
    public var addressTimeout = Duration.seconds(5)

    /// A broker in the clear or through TLS, with this side's name there.
    public init(host: TargetHost, port: UInt16, isEncrypted: Bool, clientID: String, willTopic: String) {
        self.host = host
        self.port = port
        self.isEncrypted = isEncrypted
        self.clientID = clientID
        self.willTopic = willTopic
    }

    /// What a configuration says; nil where it names no broker.
    public init?(_ configuration: UploadConfiguration, credential: Credential) {
        guard let url = configuration.destination.url, url.scheme.isBroker else { return nil }
        self.init(
            host: url.host, port: url.port, isEncrypted: url.scheme.isEncrypted, clientID: configuration.clientID,
            willTopic: configuration.topic)
        authorityFile = configuration.destination.authorityFile
        self.credential = credential
        keepAlive = configuration.mqtt.keepAlive
        version = configuration.mqtt.version
    }
}

/// Why a client cannot be made.
public enum MQTTSetupError: Error, Equatable, CustomStringConvertible {
    /// libmosquitto cannot be used, or does not take the client's id.
    case library
    /// A credential is empty, has no colon, or has a NUL.
    case unusableCredential
    /// Something of the system's is missing.
    case system(SystemError)

    /// What is wrong, for a person; nothing of the credential.
    public var description: String {
        switch self {
        case .library: "libmosquitto cannot be used"
        case .unusableCredential:
            "the credential is a bearer token, is empty, has no colon after its user, or has a NUL in it"
        case .system(let error): error.description
        }
    }
}

/// What a client tells. Never within a call to it.
public enum MQTTEvent: Equatable, Sendable {
    /// The broker has taken the connection. Where what was not confirmed has been sent again by itself, `isResumed`.
    case connected(isResumed: Bool)
    /// The broker has refused or ended the connection: the return code of MQTT 3.1.1, or the reason code of MQTT 5.
    case refused(UInt8)
    /// The connection did not come about, or has ended.
    case lost(UploadFailure)
    /// The broker has confirmed messages.
    case published([BrokerConfirmation])
    /// A message could not be sent.
    case failed(UInt64, UploadFailure)
}

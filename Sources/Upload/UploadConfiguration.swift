/// Where a recording is sent and how: what `/etc/waymark/uploads.d/NAME.conf` says. Secrets are not in it, only the names
/// of the credentials that hold them.
public struct UploadConfiguration: Equatable, Sendable {
    /// `[Destination]`: where to.
    public struct Destination: Equatable, Sendable {
        /// The address; has to be set.
        public var url: DestinationURL?
        /// What positions look like there; has to be set.
        public var format: UploadFormat?
        /// Whether positions may be sent to other machines without TLS.
        public var allowsUnencrypted = false
        /// The certificates of the authorities that are trusted instead of the system's; empty for those.
        public var authorityFile = ""
        /// How long a destination may take to answer.
        public var timeout = Duration.seconds(60)
        /// Whether times have fractions of a second in formats that are whole seconds otherwise.
        public var hasFractionalTimes = false
    }

    /// `[Credential]`: which of the service's credentials the destination knows the sender by.
    public struct CredentialReference: Equatable, Sendable {
        /// What it is.
        public enum Kind: String, CaseIterable, Sendable {
            /// There is none.
            case none
            /// A user and a password, with a colon between: HTTP's Basic, RFC 7617, or MQTT's.
            case basic
            /// A token, RFC 6750.
            case bearer
            /// A certificate and its key in PEM, for TLS.
            case certificate
        }

        /// What it is.
        public var kind = Kind.none
        /// The name of the credential that holds it, systemd.exec(5) `LoadCredential=`.
        public var name = ""
        /// The name of the credential that holds what the address has `{secret}` for; empty for none.
        public var secret = ""
        /// The name of the credential that holds the key of OwnTracks' encryption; empty for none.
        public var encryption = ""
    }

    /// `[Device]`: who the destination takes this for.
    public struct Device: Equatable, Sendable {
        /// OwnTracks' user.
        public var user = ""
        /// What the destination calls the device.
        public var name = ""
        /// OwnTracks' two letters on the map; empty for the last two of the name.
        public var trackerID = ""
    }

    /// `[Queue]`: what is sent when.
    public struct Queue: Equatable, Sendable {
        /// Which of what waits is sent first.
        public enum Order: String, CaseIterable, Sendable {
            case oldest, newest
        }

        /// What is done on a way that is better not used.
        public enum Costs: String, CaseIterable, Sendable {
            /// As on any other.
            case send
            /// Everything waits for another way, or for its time.
            case `defer`
        }

        /// Which of what waits is sent first.
        public var order = Order.oldest
        /// What is done where sending costs money.
        public var expensive = Costs.send
        /// What is done where the person asked to send little.
        public var constrained = Costs.defer
        /// How old the oldest position may become that waits because of either.
        public var deferAtMost = Duration.seconds(3_600)
        /// How many positions a request may have.
        public var batchLimit = 200
        /// How many bytes the body of a request may have.
        public var batchBytes: UInt64 = 1 << 20
    }

    /// `[MQTT]`: what brokers need besides.
    public struct MQTT: Equatable, Sendable {
        /// Which version of the protocol is spoken.
        public enum Version: String, CaseIterable, Sendable {
            /// Confirmations say whether a message was taken.
            case five = "5"
            /// A broker confirms what its access rules make it drop, or ends the connection.
            case threeOneOne = "3.1.1"
        }

        /// Which version of the protocol is spoken.
        public var version = Version.five
        /// The client's id; empty for one that is made of user and device.
        public var clientID = ""
        /// Where to publish; empty for the format's usual topic.
        public var topic = ""
        /// How often a silent connection is tried.
        public var keepAlive = Duration.seconds(60)
        /// How many messages may be under way at once.
        public var window = 20
    }

    /// `[OsmAnd]`: what its servers need besides.
    public struct OsmAnd: Equatable, Sendable {
        /// How parameters are sent.
        public enum Method: String, CaseIterable, Sendable {
            /// POST with the parameters in the address's query, which Traccar and Home Assistant's webhooks take.
            case post
            /// GET with the parameters in the address's query.
            case get
            /// POST of a form: the parameters are in the body, which servers log less often than addresses.
            case form
        }

        /// How parameters are sent.
        public var method = Method.post
    }

    /// Where to.
    public var destination = Destination()
    /// By what the destination knows who sends.
    public var credential = CredentialReference()
    /// Who the destination takes this for.
    public var device = Device()
    /// What is sent when.
    public var queue = Queue()
    /// What brokers need besides.
    public var mqtt = MQTT()
    /// What OsmAnd's servers need besides.
    public var osmand = OsmAnd()

    /// The defaults, with which nothing can be sent yet.
    public init() {}

    /// Whether it is sent to a broker.
    public var usesBroker: Bool { destination.url?.scheme.isBroker ?? false }

    /// OwnTracks' two letters.
    public var trackerID: String {
        device.trackerID.isEmpty ? String(device.name.suffix(2)) : device.trackerID
    }

    /// Where to publish; empty where the format is not published.
    public var topic: String {
        mqtt.topic.isEmpty ? destination.format?.publication?.usualTopic(device) ?? "" : mqtt.topic
    }

    /// The client's id at a broker: the same at every start, so that its session is found again.
    public var clientID: String {
        mqtt.clientID.isEmpty ? "waymark-\(device.user)-\(device.name)" : mqtt.clientID
    }
}

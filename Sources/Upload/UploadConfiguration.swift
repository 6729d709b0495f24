/// The destination of a recording and the settings of the upload, from `/etc/waymark/uploads.d/NAME.conf`. It contains
/// no secrets, only the names of the credentials that hold them.
public struct UploadConfiguration: Equatable, Sendable {
    /// `[Destination]`: the address and its format.
    public struct Destination: Equatable, Sendable {
        /// The address; required.
        public var url: DestinationURL?
        /// The format of the requests; required.
        public var format: UploadFormat?
        /// Whether positions may be sent to other machines without TLS.
        public var allowsUnencrypted = false
        /// The certificates of the authorities that are trusted instead of the system's; empty for those.
        public var authorityFile = ""
        /// The time limit for a response.
        public var timeout = Duration.seconds(60)
        /// Whether times have fractions of a second in formats that use whole seconds by default.
        public var hasFractionalTimes = false
    }

    /// `[Credential]`: the names of the credentials for the sender, for the address, and for the encryption.
    public struct CredentialReference: Equatable, Sendable {
        /// The kind of the credential.
        public enum Kind: String, CaseIterable, Sendable {
            /// No credential.
            case none
            /// A user and a password separated by a colon: HTTP Basic authentication (RFC 7617) or MQTT user and
            /// password.
            case basic
            /// A bearer token (RFC 6750).
            case bearer
            /// A client certificate and its key in PEM, for TLS.
            case certificate
        }

        /// The kind of the credential.
        public var kind = Kind.none
        /// The name of the credential (systemd.exec(5) `LoadCredential=`).
        public var name = ""
        /// The name of the credential that replaces `{secret}` in the address; empty for none.
        public var secret = ""
        /// The name of the credential that holds the key of OwnTracks' encryption; empty for none.
        public var encryption = ""
    }

    /// `[Device]`: how this device identifies itself to the destination.
    public struct Device: Equatable, Sendable {
        /// The OwnTracks user.
        public var user = ""
        /// The name of the device at the destination.
        public var name = ""
        /// One or two characters that OwnTracks shows on the map; empty for the last two of the name.
        public var trackerID = ""
    }

    /// `[Filter]`: the recorded positions that the destination receives.
    public struct Filter: Equatable, Sendable {
        /// One limit of the filter.
        public enum Limit<Value: Equatable & Sendable>: Equatable, Sendable {
            /// The limit that the format has by default.
            case usual
            /// No limit.
            case none
            /// This limit.
            case value(Value)

            func resolved(_ usual: Value?) -> Value? {
                switch self {
                case .usual: usual
                case .none: nil
                case .value(let value): value
                }
            }
        }

        /// The shortest distance from the last position that was chosen, metres.
        public var distance = Limit<Double>.usual
        /// The shortest time since the last position that was chosen.
        public var interval = Limit<Duration>.usual
        /// The largest horizontal accuracy of a position, metres.
        public var accuracy = Limit<Double>.usual
        /// The time between positions while the device moves no farther than the distance and its accuracy.
        public var stationary = Limit<Duration>.usual

        /// A filter that every position passes.
        public static var none: Filter {
            var filter = Filter()
            (filter.distance, filter.accuracy) = (.none, .none)
            (filter.interval, filter.stationary) = (.none, .none)
            return filter
        }
    }

    /// `[Queue]`: the order and the conditions of sending.
    public struct Queue: Equatable, Sendable {
        /// Which pending positions are sent first.
        public enum Order: String, CaseIterable, Sendable {
            case oldest, newest
        }

        /// The policy for an expensive or constrained network path.
        public enum Costs: String, CaseIterable, Sendable {
            /// Send as on any other path.
            case send
            /// Wait for another path, or until the oldest position has waited `deferAtMost`.
            case `defer`
        }

        /// Which pending positions are sent first.
        public var order = Order.oldest
        /// The policy for paths that cost money.
        public var expensive = Costs.send
        /// The policy for paths on which the person asked to save data.
        public var constrained = Costs.defer
        /// The greatest age of the oldest position that is deferred by one of these policies.
        public var deferAtMost = Duration.seconds(3_600)
        /// The most positions in a request, where the format allows more than one.
        public var batchLimit = 200
        /// The most bytes in the body of a request.
        public var batchBytes: UInt64 = 1 << 20
    }

    /// `[MQTT]`: settings for brokers.
    public struct MQTT: Equatable, Sendable {
        /// The version of the protocol.
        public enum Version: String, CaseIterable, Sendable {
            /// Confirmations carry a reason code, which shows whether the broker accepted the message.
            case five = "5"
            /// A broker that discards a message because of its access rules confirms it all the same, or closes the
            /// connection.
            case threeOneOne = "3.1.1"
        }

        /// The version of the protocol.
        public var version = Version.five
        /// The client identifier; empty for one that is derived from user and device.
        public var clientID = ""
        /// The topic to publish to; empty for the format's default topic.
        public var topic = ""
        /// The keep-alive interval of an idle connection.
        public var keepAlive = Duration.seconds(60)
        /// The most messages in flight at once.
        public var window = 20
        /// Whether Home Assistant discovers the device.
        public var hasDiscovery = false
        /// The first part of the topics of discovery.
        public var discoveryPrefix = "homeassistant"
    }

    /// `[OwnTracks]`: settings for OwnTracks' messages.
    public struct OwnTracks: Equatable, Sendable {
        /// Whether messages report the charge of the machine's battery.
        public var hasBattery = true
        /// Whether the newest position is sent when the destination requests it.
        public var reportsLocation = false
        /// The GeoJSON file with the regions of the destination; empty for none.
        public var regionsFile = ""
    }

    /// `[OsmAnd]`: settings for servers of the OsmAnd protocol.
    public struct OsmAnd: Equatable, Sendable {
        /// How parameters are sent.
        public enum Method: String, CaseIterable, Sendable {
            /// POST with the parameters in the query of the URL, which Traccar and Home Assistant's webhooks accept.
            case post
            /// GET with the parameters in the query of the URL.
            case get
            /// POST of a form: the parameters are in the body, which servers log less often than URLs.
            case form
        }

        /// How parameters are sent.
        public var method = Method.post
    }

    /// The address and its format.
    public var destination = Destination()
    /// The credential that authenticates the sender.
    public var credential = CredentialReference()
    /// How this device identifies itself to the destination.
    public var device = Device()
    /// The recorded positions that the destination receives.
    public var filter = Filter()
    /// The order and the conditions of sending.
    public var queue = Queue()
    /// The settings for brokers.
    public var mqtt = MQTT()
    /// The settings for OwnTracks' messages.
    public var owntracks = OwnTracks()
    /// The settings for servers of the OsmAnd protocol.
    public var osmand = OsmAnd()

    /// The defaults, with which nothing can be sent yet.
    public init() {}

    /// Whether requests report the charge of the machine's battery.
    public var reportsBattery: Bool {
        owntracks.hasBattery && destination.format?.settings.contains(.battery) ?? false
    }

    /// Whether the destination's commands are read.
    public var acceptsCommands: Bool {
        owntracks.reportsLocation && destination.format?.settings.contains(.commands) ?? false
    }

    /// Whether messages about regions are sent.
    public var reportsRegions: Bool {
        !owntracks.regionsFile.isEmpty && destination.format?.settings.contains(.regions) ?? false
    }

    /// The topic of the destination's commands; nil if they are not read.
    public var commandTopic: String? {
        guard usesBroker, acceptsCommands else { return nil }
        return destination.format?.publication?.commandTopic(topic)
    }

    /// The message by which Home Assistant discovers the device; nil if it does not.
    public var discovery: RetainedMessage? {
        guard usesBroker, mqtt.hasDiscovery else { return nil }
        return destination.format?.publication?.discovery(self)
    }

    /// The topic where Home Assistant reports that it has started; nil if nothing is sent again then.
    public var birthTopic: String? {
        guard usesBroker, mqtt.hasDiscovery, reportsRegions else { return nil }
        return HomeAssistantDiscovery.birthTopic
    }

    /// Whether the destination is a broker.
    public var usesBroker: Bool { destination.url?.scheme.isBroker ?? false }

    /// The limits of the filter, with those of the format where no other one is set.
    public var limits: PositionFilter.Limits {
        let usual = destination.format?.limits ?? PositionFilter.Limits()
        return PositionFilter.Limits(
            distance: filter.distance.resolved(usual.distance), interval: filter.interval.resolved(usual.interval),
            accuracy: filter.accuracy.resolved(usual.accuracy),
            stationary: filter.stationary.resolved(usual.stationary))
    }

    /// The two letters that OwnTracks shows on the map.
    public var trackerID: String {
        device.trackerID.isEmpty ? String(device.name.suffix(2)) : device.trackerID
    }

    /// The topic to publish to; empty for a format that is not published.
    public var topic: String {
        mqtt.topic.isEmpty ? destination.format?.publication?.usualTopic(device) ?? "" : mqtt.topic
    }

    /// The client identifier at a broker: the same at every start, so that the broker resumes the session.
    public var clientID: String {
        mqtt.clientID.isEmpty ? "waymark-\(device.user)-\(device.name)" : mqtt.clientID
    }
}

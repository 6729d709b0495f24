import Upload

/// The format that is drained, and its kind of server.
enum DrainFormat: String, CaseIterable {
    case geojson, overland, owntracks, mqtt, tls

    /// The number of messages in flight.
    static let window = 100

    /// Its name in the output.
    var title: String {
        switch self {
        case .geojson: "GeoJSON in batches"
        case .overland: "Overland in batches"
        case .owntracks: "OwnTracks over HTTP, one a request"
        case .mqtt: "OwnTracks over MQTT, QoS 1, \(Self.window) in flight"
        case .tls: "GeoJSON in batches, over TLS"
        }
    }

    /// The uploader's configuration for a server at this port with a certificate by this authority.
    func file(port: UInt16, authority: String?) -> String {
        """
        [Destination]
        URL=\(url(port: port))
        Format=\(format)
        \(authority.map { "CAFile=\($0)" } ?? "")
        [Filter]
        Distance=none
        Interval=none
        Stationary=none
        [Device]
        User=jane
        Name=boat
        [MQTT]
        Window=\(Self.window)

        """
    }

    /// The same for an uploader without a program around it.
    func configuration(port: UInt16) throws(DestinationURL.Fault) -> UploadConfiguration {
        var configuration = UploadConfiguration()
        configuration.destination.url = try DestinationURL(parsing: url(port: port))
        configuration.destination.format = UploadFormat.named(format)
        configuration.filter = .none
        configuration.device.user = "jane"
        configuration.device.name = "boat"
        configuration.mqtt.window = Self.window
        return configuration
    }

    /// The address for a server at this port.
    func url(port: UInt16) -> String {
        switch self {
        case .mqtt: "mqtt://127.0.0.1:\(port)"
        case .tls: "https://127.0.0.1:\(port)/\(format)"
        case .geojson, .overland, .owntracks: "http://127.0.0.1:\(port)/\(format)"
        }
    }

    private var format: String {
        switch self {
        case .mqtt: "owntracks"
        case .tls: "geojson"
        case .geojson, .overland, .owntracks: rawValue
        }
    }
}

import Upload

/// What is drained to which kind of server.
enum DrainFormat: String, CaseIterable {
    case geojson, overland, owntracks, mqtt, tls

    /// How many messages are under way at once.
    static let window = 100

    /// What it is called where it is printed.
    var title: String {
        switch self {
        case .geojson: "GeoJSON in batches"
        case .overland: "Overland in batches"
        case .owntracks: "OwnTracks over HTTP, one a request"
        case .mqtt: "OwnTracks over MQTT, QoS 1, \(Self.window) under way"
        case .tls: "GeoJSON in batches, over TLS"
        }
    }

    /// What an uploader is told, for a server at this port with a certificate by this authority.
    func file(port: UInt16, authority: String?) -> String {
        """
        [Destination]
        URL=\(url(port: port))
        Format=\(format)
        \(authority.map { "CAFile=\($0)" } ?? "")
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
        configuration.device.user = "jane"
        configuration.device.name = "boat"
        configuration.mqtt.window = Self.window
        return configuration
    }

    /// Where a server at this port takes it.
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

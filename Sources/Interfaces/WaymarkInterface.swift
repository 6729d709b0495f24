/// The Varlink interfaces of the daemon.
public enum WaymarkInterface: String, CaseIterable, Sendable {
    /// Positions.
    case location = "io.waymark.Location"
    /// Prompts for the person.
    case agent = "io.waymark.Agent"
    /// Running the daemon.
    case manage = "io.waymark.Manage"
    /// The journal of events.
    case journal = "io.waymark.Journal"
    /// The network.
    case reachability = "io.waymark.Reachability"
    /// Recorded positions.
    case recording = "io.waymark.Recording"
    /// Uploads of recordings.
    case uploads = "io.waymark.Uploads"
    /// Regions and their events.
    case regions = "io.waymark.Regions"
    /// Waking of apps.
    case waking = "io.waymark.Waking"
    /// Orders for the programs that start services.
    case waker = "io.waymark.Waker"
    /// Identifiers for apps.
    case identity = "io.waymark.Identity"
    /// Data protection.
    case protection = "io.waymark.Protection"

    /// The interface's text in the Varlink interface definition language, identical to its file.
    public var text: String {
        let bytes =
            switch self {
            case .location: PackageResources.io_waymark_Location_varlink
            case .agent: PackageResources.io_waymark_Agent_varlink
            case .manage: PackageResources.io_waymark_Manage_varlink
            case .journal: PackageResources.io_waymark_Journal_varlink
            case .reachability: PackageResources.io_waymark_Reachability_varlink
            case .recording: PackageResources.io_waymark_Recording_varlink
            case .uploads: PackageResources.io_waymark_Uploads_varlink
            case .regions: PackageResources.io_waymark_Regions_varlink
            case .waking: PackageResources.io_waymark_Waking_varlink
            case .waker: PackageResources.io_waymark_Waker_varlink
            case .identity: PackageResources.io_waymark_Identity_varlink
            case .protection: PackageResources.io_waymark_Protection_varlink
            }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The socket at which the daemon listens by default.
public enum WaymarkSocket {
    /// The system's daemon.
    public static let defaultPath = "/run/waymark/waymark.sock"
    /// The environment variable with the path of another socket.
    public static let environmentVariable = "WAYMARK_SOCKET"
}

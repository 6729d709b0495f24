/// The methods of `io.waymark.Location`, by their full names.
public enum LocationMethod: String, CaseIterable, Sendable {
    case getAuthorization = "io.waymark.Location.GetAuthorization"
    case monitorAuthorization = "io.waymark.Location.MonitorAuthorization"
    case getPosition = "io.waymark.Location.GetPosition"
    case monitor = "io.waymark.Location.Monitor"
    case getSatellites = "io.waymark.Location.GetSatellites"
    case monitorSatellites = "io.waymark.Location.MonitorSatellites"
}

/// The methods of `io.waymark.Manage`, by their full names.
public enum ManageMethod: String, CaseIterable, Sendable {
    case status = "io.waymark.Manage.Status"
    case monitor = "io.waymark.Manage.Monitor"
    case reload = "io.waymark.Manage.Reload"
    case metrics = "io.waymark.Manage.Metrics"
}

/// The methods of `io.waymark.Journal`, by their full names.
public enum JournalMethod: String, CaseIterable, Sendable {
    case read = "io.waymark.Journal.Read"
    case verify = "io.waymark.Journal.Verify"
    case note = "io.waymark.Journal.Note"
}

/// The errors that the daemon's interfaces answer with, by their full names.
public enum ErrorName: String, CaseIterable, Sendable {
    case denied = "io.waymark.Location.Denied"
    case deniedGlobally = "io.waymark.Location.DeniedGlobally"
    case restricted = "io.waymark.Location.Restricted"
    case notDetermined = "io.waymark.Location.NotDetermined"
    case notInUse = "io.waymark.Location.NotInUse"
    case accuracyReduced = "io.waymark.Location.AccuracyReduced"
    case positionUnknown = "io.waymark.Location.PositionUnknown"
    case timeout = "io.waymark.Location.Timeout"
    case tooManyConnections = "io.waymark.Location.TooManyConnections"
    case manageNotOperator = "io.waymark.Manage.NotOperator"
    case configurationInvalid = "io.waymark.Manage.ConfigurationInvalid"
    case manageJournalUnavailable = "io.waymark.Manage.JournalUnavailable"
    case journalNotOperator = "io.waymark.Journal.NotOperator"
    case journalUnavailable = "io.waymark.Journal.JournalUnavailable"

    /// Whether it says that the caller is not allowed, as against that something does not work.
    public var isRefusal: Bool {
        switch self {
        case .denied, .deniedGlobally, .restricted, .notDetermined, .notInUse, .accuracyReduced, .manageNotOperator,
            .journalNotOperator:
            true
        default: false
        }
    }
}

extension DaemonStatus {
    /// The source of gpsd's reports.
    public typealias Receiver = ManageInterface.Receiver
    /// A receiver of gpsd's.
    public typealias Device = ManageInterface.Device
    /// The quality of the newest fix.
    public typealias Fix = ManageInterface.Fix
    /// The journal.
    public typealias Journal = ManageInterface.Journal
    /// The connected clients.
    public typealias Clients = ManageInterface.Clients
    /// Decisions for apps, and pending requests.
    public typealias Authorization = ManageInterface.Authorization
    /// Recordings for apps.
    public typealias Recordings = ManageInterface.Recordings
    /// Regions and their events.
    public typealias Regions = ManageInterface.Regions
    /// The uploaders of recordings.
    public typealias Uploads = ManageInterface.Uploads
    /// The network.
    public typealias Network = ManageInterface.Network

    /// The state of a daemon about which nothing is known.
    public init() {
        self.init(
            version: "", protocol: 1, processID: 0, startedAt: 0, health: "", summary: "", receiver: Receiver(),
            journal: Journal(), clients: Clients(), authorization: Authorization(servicesEnabled: true),
            recordings: Recordings(), uploads: Uploads(), regions: Regions())
    }
}

extension DaemonStatus.Receiver {
    /// No receiver is configured.
    public init() { self.init(gpsd: "none", state: .unconfigured, undated: .none) }
}

extension DaemonStatus.Journal {
    /// A journal that is not open yet.
    public init() { self.init(state: .opening, path: "") }
}

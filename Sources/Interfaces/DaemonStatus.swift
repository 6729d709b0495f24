extension DaemonStatus {
    /// Where gpsd's reports come from.
    public typealias Receiver = ManageInterface.Receiver
    /// A receiver of gpsd's.
    public typealias Device = ManageInterface.Device
    /// How good the newest fix is.
    public typealias Fix = ManageInterface.Fix
    /// The journal.
    public typealias Journal = ManageInterface.Journal
    /// Who is connected.
    public typealias Clients = ManageInterface.Clients
    /// What is decided for apps.
    public typealias Authorization = ManageInterface.Authorization
    /// What is recorded for apps.
    public typealias Recordings = ManageInterface.Recordings
    /// What carries recordings to their destinations.
    public typealias Uploads = ManageInterface.Uploads
    /// The network.
    public typealias Network = ManageInterface.Network

    /// The state of a daemon of which nothing is known.
    public init() {
        self.init(
            version: "", protocol: 1, processID: 0, startedAt: 0, health: "", summary: "", receiver: Receiver(),
            journal: Journal(), clients: Clients(), authorization: Authorization(servicesEnabled: true),
            recordings: Recordings(), uploads: Uploads())
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

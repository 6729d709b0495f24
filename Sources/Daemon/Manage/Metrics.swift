import Interfaces

/// The status as OpenMetrics text (openmetrics.io) for Prometheus and compatible collectors. It has counts and never a
/// location.
struct Metrics {
    private let status: DaemonStatus

    init(_ status: DaemonStatus) {
        self.status = status
    }

    /// The complete exposition with its end mark.
    var text: String {
        var page = OpenMetricsText()
        page.family("build", .info, "The daemon's release.", [([("version", status.version)], "1")])
        page.gauge("start_time_seconds", "When the daemon started, since 1970.", status.startedAt)
        writeReceiver(to: &page)
        writeFixes(to: &page)
        writeJournal(to: &page)
        writeClients(to: &page)
        writeAuthorization(to: &page)
        writeRecordings(to: &page)
        writeUploads(to: &page)
        writeRegions(to: &page)
        if let network = status.network { Self.write(network, to: &page) }
        return page.complete
    }

    private func writeReceiver(to page: inout OpenMetricsText) {
        let receiver = status.receiver
        page.gauge("receiver_connected", "Whether gpsd is connected.", receiver.state == .watching ? 1 : 0)
        page.gauge("receiver_devices", "Receivers that gpsd has.", receiver.devices.count)
        page.gauge(
            "receiver_asleep", "Whether the receiver sleeps until it is needed.",
            receiver.asleepUntil == nil ? 0 : 1)
        page.counter("receiver_sleeps", "Times the receiver has gone to sleep until it is needed.", receiver.sleeps)
        page.counter("receiver_connections", "Times gpsd was connected.", receiver.connections)
        page.counter("receiver_malformed_lines", "Lines of gpsd that could not be read.", receiver.malformed)
        page.counter(
            "receiver_reconnects_after_silence",
            "Times the connection was reopened because gpsd sent nothing and did not respond.",
            receiver.reconnectsAfterSilence)
        page.family(
            "receiver_reports", .counter, "Reports of gpsd by class.",
            receiver.reports.map { ([("class", $0.name)], String($0.value)) })
    }

    private func writeFixes(to page: inout OpenMetricsText) {
        page.gauge("fix_available", "Whether there is a position.", status.fix == nil ? 0 : 1)
        page.gauge("fix_age_seconds", "Age of the newest position.", status.fix?.age)
        page.gauge("fix_horizontal_accuracy_meters", "Its radius of 68 % confidence.", status.fix?.horizontalAccuracy)
        page.gauge("satellites_used", "Satellites in use.", status.satellitesUsed)
        page.gauge("satellites_visible", "Satellites in view.", status.satellitesVisible)
        page.counter("fixes_accepted", "Reports that were fixes.", status.accepted)
        page.family(
            "reports_rejected", .counter, "Reports that were no fix, by reason.",
            status.rejected.map { ([("reason", $0.name)], String($0.value)) })
    }

    private func writeJournal(to page: inout OpenMetricsText) {
        let journal = status.journal
        page.gauge("journal_writable", "Whether the journal records.", journal.state == .running ? 1 : 0)
        page.gauge("journal_events", "Events stored.", journal.events)
        page.gauge("journal_size_bytes", "Size of the database file.", journal.size)
        page.counter("journal_events_dropped", "Events that could not be stored.", journal.dropped)
    }

    private func writeClients(to page: inout OpenMetricsText) {
        let clients = status.clients
        page.gauge("clients_connected", "Connections open.", clients.connections)
        page.gauge("clients_streams", "Streams of positions or satellites.", clients.streams)
        page.counter("clients_refused", "Connections and calls refused.", clients.refused)
        page.counter("clients_lagging", "Clients disconnected because they did not read.", clients.lagging)
        page.counter("positions_dropped", "Positions that clients did not read in time.", clients.dropped)
    }

    private func writeAuthorization(to page: inout OpenMetricsText) {
        let authorization = status.authorization
        page.gauge("services_enabled", "Whether location services are on.", authorization.servicesEnabled ? 1 : 0)
        page.gauge("apps_known", "Apps with a manifest or with something stored.", authorization.apps)
        page.gauge("apps_in_use", "Apps in use.", authorization.inUse)
        page.gauge("requests_waiting", "Prompts without an answer.", authorization.requests)
        page.gauge("agents_registered", "Agents, which show prompts.", authorization.agents)
        page.gauge("authorization_problems", "Errors in manifests and restrictions.", authorization.problems)
        page.gauge(
            "authorization_readable", "Whether all decisions from before the start could be read.",
            authorization.loss == nil ? 1 : 0)
    }

    private func writeRecordings(to page: inout OpenMetricsText) {
        let recordings = status.recordings
        page.gauge("recordings", "Existing recordings.", recordings.count)
        page.gauge("recordings_started", "Recordings that were started and not stopped.", recordings.started)
        page.gauge("recordings_active", "Recordings whose apps may have positions.", recordings.recording)
        page.gauge("recordings_positions_waiting", "Recorded positions not acknowledged.", recordings.waiting)
        page.gauge(
            "recordings_oldest_waiting_time_seconds", "When the oldest of these was, since 1970.",
            recordings.oldestWaiting)
        page.gauge("recordings_dead_letters", "Positions that a destination rejected.", recordings.deadLetters)
        page.gauge(
            "recordings_positions_dropped",
            "Positions dropped before they were acknowledged, of existing recordings.",
            recordings.dropped)
    }

    private func writeUploads(to page: inout OpenMetricsText) {
        let uploads = status.uploads
        page.gauge("uploads", "Uploads that are known.", uploads.count)
        page.gauge("uploads_running", "Uploads whose uploader runs.", uploads.running)
        page.gauge("uploads_paused", "Uploads paused by an operator.", uploads.paused)
        page.gauge("uploads_failing", "Uploads whose destination accepts nothing at present.", uploads.failing)
        page.gauge(
            "uploads_positions_abandoned", "Positions pending for an uploader that does not run.",
            uploads.abandoned)
    }

    private func writeRegions(to page: inout OpenMetricsText) {
        let regions = status.regions
        page.gauge("regions_monitors", "Monitors of regions.", regions.monitors)
        page.gauge("regions", "Regions of all monitors.", regions.regions)
        page.gauge(
            "regions_monitors_active", "Monitors whose regions are evaluated at present.", regions.monitoring)
        page.gauge("regions_streams", "Streams of events of regions.", regions.streams)
        page.gauge("regions_events_waiting", "Events of regions that were not acknowledged.", regions.pending)
        page.counter("regions_events", "Events of regions.", regions.events)
        page.counter("regions_passes", "Passes over the stored regions around the machine.", regions.passes)
        page.counter(
            "regions_positions_dropped", "Positions not evaluated because the disk was too slow.",
            regions.dropped)
    }

    private static func write(_ network: DaemonStatus.Network, to page: inout OpenMetricsText) {
        page.gauge("network_satisfied", "Whether there is a path to the internet.", network.isSatisfied ? 1 : 0)
        page.gauge("network_monitors", "Streams of paths and of hosts.", network.monitors)
        page.gauge("network_targets", "Hosts that are watched.", network.targets)
        page.counter("network_changes", "Changes of the path to the internet.", network.generation)
        page.counter("network_evaluations", "Full queries of the kernel.", network.evaluations)
        page.counter("network_messages", "Announcements of the kernel.", network.messages)
        page.counter("network_overruns", "Times announcements of the kernel were lost.", network.overruns)
        page.counter(
            "network_reports_dropped", "Dropped reports of whether a host responds.",
            network.droppedReports)
        page.family(
            "network_lookups", .counter, "Names looked up, by outcome.",
            network.lookups.map { ([("outcome", $0.name)], String($0.value)) })
    }
}

extension DaemonStatus.Network {
    fileprivate var isSatisfied: Bool { status == .satisfied }
}

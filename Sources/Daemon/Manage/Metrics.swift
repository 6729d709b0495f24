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
        var lines: [String] = []
        func family(_ name: String, _ type: String, _ help: String, _ samples: [(labels: String, value: String)]) {
            lines.append("# TYPE waymark_\(name) \(type)")
            lines.append("# HELP waymark_\(name) \(help)")
            let suffix = type == "counter" ? "_total" : type == "info" ? "_info" : ""
            for sample in samples { lines.append("waymark_\(name)\(suffix)\(sample.labels) \(sample.value)") }
        }
        func gauge(_ name: String, _ help: String, _ value: (some CustomStringConvertible)?) {
            guard let value else { return }
            family(name, "gauge", help, [("", value.description)])
        }
        func counter(_ name: String, _ help: String, _ value: some CustomStringConvertible) {
            family(name, "counter", help, [("", value.description)])
        }
        family("build", "info", "The daemon's release.", [(Self.labels([("version", status.version)]), "1")])
        gauge("start_time_seconds", "When the daemon started, since 1970.", status.startedAt)
        gauge("receiver_connected", "Whether gpsd is connected.", status.receiver.state == .watching ? 1 : 0)
        gauge("receiver_devices", "Receivers that gpsd has.", status.receiver.devices.count)
        gauge(
            "receiver_asleep", "Whether the receiver sleeps until it is needed.",
            status.receiver.asleepUntil == nil ? 0 : 1)
        counter("receiver_sleeps", "Times the receiver has gone to sleep until it is needed.", status.receiver.sleeps)
        counter("receiver_connections", "Times gpsd was connected.", status.receiver.connections)
        counter("receiver_malformed_lines", "Lines of gpsd that could not be read.", status.receiver.malformed)
        counter(
            "receiver_reconnects_after_silence",
            "Times the connection was reopened because gpsd sent nothing and did not respond.",
            status.receiver.reconnectsAfterSilence)
        family(
            "receiver_reports", "counter", "Reports of gpsd by class.",
            status.receiver.reports.map { (Self.labels([("class", $0.name)]), String($0.value)) })
        gauge("fix_available", "Whether there is a position.", status.fix == nil ? 0 : 1)
        gauge("fix_age_seconds", "Age of the newest position.", status.fix?.age)
        gauge("fix_horizontal_accuracy_meters", "Its radius of 68 % confidence.", status.fix?.horizontalAccuracy)
        gauge("satellites_used", "Satellites in use.", status.satellitesUsed)
        gauge("satellites_visible", "Satellites in view.", status.satellitesVisible)
        counter("fixes_accepted", "Reports that were fixes.", status.accepted)
        family(
            "reports_rejected", "counter", "Reports that were no fix, by reason.",
            status.rejected.map { (Self.labels([("reason", $0.name)]), String($0.value)) })
        gauge("journal_writable", "Whether the journal records.", status.journal.state == .running ? 1 : 0)
        gauge("journal_events", "Events stored.", status.journal.events)
        gauge("journal_size_bytes", "Size of the database file.", status.journal.size)
        counter("journal_events_dropped", "Events that could not be stored.", status.journal.dropped)
        gauge("clients_connected", "Connections open.", status.clients.connections)
        gauge("clients_streams", "Streams of positions or satellites.", status.clients.streams)
        counter("clients_refused", "Connections and calls refused.", status.clients.refused)
        counter("clients_lagging", "Clients disconnected because they did not read.", status.clients.lagging)
        counter("positions_dropped", "Positions that clients did not read in time.", status.clients.dropped)
        gauge("services_enabled", "Whether location services are on.", status.authorization.servicesEnabled ? 1 : 0)
        gauge("apps_known", "Apps with a manifest or with something stored.", status.authorization.apps)
        gauge("apps_in_use", "Apps in use.", status.authorization.inUse)
        gauge("requests_waiting", "Prompts without an answer.", status.authorization.requests)
        gauge("agents_registered", "Agents, which show prompts.", status.authorization.agents)
        gauge("authorization_problems", "Errors in manifests and restrictions.", status.authorization.problems)
        gauge(
            "authorization_readable", "Whether all decisions from before the start could be read.",
            status.authorization.loss == nil ? 1 : 0)
        gauge("recordings", "Existing recordings.", status.recordings.count)
        gauge("recordings_started", "Recordings that were started and not stopped.", status.recordings.started)
        gauge("recordings_active", "Recordings whose apps may have positions.", status.recordings.recording)
        gauge("recordings_positions_waiting", "Recorded positions not acknowledged.", status.recordings.waiting)
        gauge(
            "recordings_oldest_waiting_time_seconds", "When the oldest of these was, since 1970.",
            status.recordings.oldestWaiting)
        gauge("recordings_dead_letters", "Positions that a destination rejected.", status.recordings.deadLetters)
        gauge(
            "recordings_positions_dropped",
            "Positions dropped before they were acknowledged, of existing recordings.",
            status.recordings.dropped)
        gauge("uploads", "Uploads that are known.", status.uploads.count)
        gauge("uploads_running", "Uploads whose uploader runs.", status.uploads.running)
        gauge("uploads_paused", "Uploads paused by an operator.", status.uploads.paused)
        gauge("uploads_failing", "Uploads whose destination accepts nothing at present.", status.uploads.failing)
        gauge(
            "uploads_positions_abandoned", "Positions pending for an uploader that does not run.",
            status.uploads.abandoned)
        gauge("regions_monitors", "Monitors of regions.", status.regions.monitors)
        gauge("regions", "Regions of all monitors.", status.regions.regions)
        gauge(
            "regions_monitors_active", "Monitors whose regions are evaluated at present.", status.regions.monitoring)
        gauge("regions_streams", "Streams of events of regions.", status.regions.streams)
        gauge("regions_events_waiting", "Events of regions that were not acknowledged.", status.regions.pending)
        counter("regions_events", "Events of regions.", status.regions.events)
        counter("regions_passes", "Passes over the stored regions around the machine.", status.regions.passes)
        counter(
            "regions_positions_dropped", "Positions not evaluated because the disk was too slow.",
            status.regions.dropped)
        if let network = status.network {
            gauge("network_satisfied", "Whether there is a path to the internet.", network.isSatisfied ? 1 : 0)
            gauge("network_monitors", "Streams of paths and of hosts.", network.monitors)
            gauge("network_targets", "Hosts that are watched.", network.targets)
            counter("network_changes", "Changes of the path to the internet.", network.generation)
            counter("network_evaluations", "Full queries of the kernel.", network.evaluations)
            counter("network_messages", "Announcements of the kernel.", network.messages)
            counter("network_overruns", "Times announcements of the kernel were lost.", network.overruns)
            counter(
                "network_reports_dropped", "Dropped reports of whether a host responds.",
                network.droppedReports)
            family(
                "network_lookups", "counter", "Names looked up, by outcome.",
                network.lookups.map { (Self.labels([("outcome", $0.name)]), String($0.value)) })
        }
        lines.append("# EOF")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func labels(_ labels: [(name: String, value: String)]) -> String {
        let pairs = labels.map { label in
            let escaped = label.value.map { character in
                switch character {
                case "\\": "\\\\"
                case "\"": "\\\""
                case "\n": "\\n"
                default: String(character)
                }
            }
            return "\(label.name)=\"\(escaped.joined())\""
        }
        return "{\(pairs.joined(separator: ","))}"
    }
}

extension DaemonStatus.Network {
    fileprivate var isSatisfied: Bool { status == .satisfied }
}

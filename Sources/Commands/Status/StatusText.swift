import CommandLineKit
import Interfaces
import Location
import Tracking
import Waymark

/// The daemon's status for a person: the state in a sentence, then the parts.
struct StatusText {
    let status: DaemonStatus
    /// Seconds since 1970.
    let now: Double
    let terminal: Terminal
    /// The units of the figures.
    var units = Units.metric

    /// The lines, without their ends.
    var lines: [String] {
        var table = Table([.init(""), .init("")])
        add("Receiver", receiver, to: &table)
        add("Fix", [fix], to: &table)
        if let satellites { add("Satellites", [satellites], to: &table) }
        add("Reports", [reports] + rejected, to: &table)
        if let network = status.network { add("Network", NetworkStatusText(network: network).lines, to: &table) }
        add("Services", services, to: &table)
        if status.recordings.count > 0 || status.recordings.problem != nil { add("Recordings", recordings, to: &table) }
        if status.regions.monitors > 0 || status.regions.problem != nil { add("Regions", regions, to: &table) }
        if status.uploads.count > 0 { add("Uploads", [uploads], to: &table) }
        add("Journal", journal, to: &table)
        add("Clients", [clients], to: &table)
        add("Daemon", daemon + status.configuration.map { "settings of \($0)" }, to: &table)
        return headline + table.lines(for: terminal)
    }

    private func add(_ title: String, _ texts: [String], to table: inout Table) {
        for (index, text) in texts.enumerated() {
            table.add([Table.Cell(index == 0 ? title : "", .bold), Table.Cell(text)])
        }
    }

    private var headline: [String] {
        let isGood = status.health == "ok"
        let summary = (status.summary.isEmpty ? status.health : status.summary).escapingControls
        let sign = terminal.styled(isGood ? "●" : "✗", isGood ? .green : .red)
        let lines = terminal.isTerminal ? summary.wrapped(to: terminal.width - 2) : [summary]
        return lines.enumerated().map { ($0 == 0 ? sign : " ") + " " + terminal.styled($1, .bold) }
    }

    private var receiver: [String] {
        let receiver = status.receiver
        let gpsd = "gpsd at \(receiver.gpsd)"
        var state: String
        switch receiver.state {
        case .unconfigured: state = "no gpsd is configured"
        case .idle where receiver.asleepUntil != nil:
            let seconds = (receiver.asleepUntil ?? now) - now
            state = "asleep for \(Measure.age(max(1, seconds))) more, because no position can be needed before"
        case .idle: state = "not connected to \(gpsd), because no client needs positions"
        case .connecting: state = "connecting to \(gpsd)"
        case .waiting: state = "no connection to \(gpsd)"
        case .watching: state = "watching \(receiver.version.map { "gpsd \($0)" } ?? "gpsd") at \(receiver.gpsd)"
        }
        if let reason = receiver.reason { state += ": \(reason)" }
        var lines = [state]
        for device in receiver.devices {
            var text = device.path
            if let driver = device.driver { text += " (\(driver))" }
            text += device.isStale ? ", silent" : device.isActive ? ", active" : ", closed"
            lines.append(text)
        }
        if receiver.awaitsAnswer, let silence = receiver.silence {
            lines.append("gpsd has been silent for \(Measure.age(silence)) and was polled")
        }
        if receiver.reconnectsAfterSilence > 0 {
            lines.append(
                "the connection was stalled and was restored \(Measure.count(receiver.reconnectsAfterSilence, "time"))"
            )
        }
        if let undated = Self.undated[receiver.undated] { lines.append(undated) }
        if receiver.state == .watching, receiver.devices.isEmpty { lines.append("gpsd has no device") }
        return lines
    }

    private static let undated: [UndatedState: String] = [
        .waiting:
            "the receiver reports positions without a date: they are not delivered yet, because the date may still"
            + " come",
        .stamped: "the receiver reports no date: its positions have the time of this machine's clock",
        .clockUnsynchronized:
            "the receiver reports no date, and this machine's clock is not synchronized: its positions are rejected",
        .disabled: "the receiver reports no date: its positions are rejected, because of SystemTimestamps=never",
    ]

    private var fix: String {
        guard let fix = status.fix else { return "none" }
        var text = "accurate to \(units.distance(fix.horizontalAccuracy)), \(Measure.age(fix.age)) old"
        text += fix.hasAltitude ? ", with altitude" : ", without altitude"
        if let quality = fix.quality.flatMap(QualityText.words) { text += ", \(quality)" }
        if fix.isSimulated { text += ", simulated" }
        return text
    }

    private var satellites: String? {
        guard let visible = status.satellitesVisible else { return nil }
        return "\(status.satellitesUsed ?? 0) used of \(visible) seen"
    }

    private var reports: String {
        let total = status.receiver.reports.reduce(0) { $0 + $1.value }
        var text = "\(Measure.grouped(total)) from gpsd"
        text += ", \(Measure.count(status.accepted, "fix", "fixes")) accepted"
        if status.receiver.malformed > 0 { text += ", \(Measure.grouped(status.receiver.malformed)) malformed" }
        return text
    }

    private var rejected: [String] {
        status.rejected.filter { $0.value > 0 }.sorted { ($1.value, $0.name) < ($0.value, $1.name) }.map {
            "\(Measure.grouped($0.value)) rejected: \(Rejection.summary(of: $0.name))"
        }
    }

    private var services: [String] {
        let authorization = status.authorization
        var parts = [authorization.servicesEnabled ? "on" : "off: no app gets positions"]
        parts.append(Measure.count(authorization.apps, "app"))
        if authorization.inUse > 0 { parts.append("\(Measure.grouped(authorization.inUse)) in use") }
        if authorization.agents > 0 { parts.append(Measure.count(authorization.agents, "agent")) }
        var lines = [parts.joined(separator: ", ")]
        if authorization.requests > 0 {
            lines.append("\(Measure.count(authorization.requests, "prompt")) unanswered: see `waymark requests`")
        }
        if authorization.problems > 0 {
            let count = Measure.count(authorization.problems, "mistake")
            lines.append("\(count) in manifests or restrictions: see `waymark apps`")
        }
        if let problem = authorization.problem { lines.append(problem) }
        if let loss = authorization.loss { lines.append("some decisions could not be read: \(loss)") }
        return lines
    }

    private var recordings: [String] {
        let recordings = status.recordings
        var parts = ["\(Measure.grouped(recordings.recording)) of \(Measure.grouped(recordings.count)) recording"]
        var waiting = "\(Measure.count(recordings.waiting, "position")) waiting"
        if let oldest = recordings.oldestWaiting { waiting += ", the oldest \(Measure.age(now - oldest)) old" }
        parts.append(waiting)
        if recordings.deadLetters > 0 { parts.append("\(Measure.grouped(recordings.deadLetters)) rejected") }
        if recordings.dropped > 0 { parts.append("\(Measure.grouped(recordings.dropped)) lost") }
        return [parts.joined(separator: "; ")] + (recordings.problem.map { [$0] } ?? [])
    }

    private var regions: [String] {
        let regions = status.regions
        var parts = [
            "\(Measure.count(regions.regions, "region")) in \(Measure.count(regions.monitors, "monitor"))",
            "\(Measure.grouped(regions.monitoring)) monitored",
        ]
        if regions.pending > 0 { parts.append("\(Measure.count(regions.pending, "event")) pending") }
        if regions.dropped > 0 { parts.append("\(Measure.count(regions.dropped, "position")) not evaluated") }
        return [parts.joined(separator: ", ") + ": see `waymark regions list`"] + (regions.problem.map { [$0] } ?? [])
    }

    private var uploads: String {
        let uploads = status.uploads
        var parts = [Measure.grouped(uploads.count), "\(Measure.grouped(uploads.running)) running"]
        if uploads.paused > 0 { parts.append("\(Measure.grouped(uploads.paused)) paused") }
        if uploads.failing > 0 { parts.append("\(Measure.grouped(uploads.failing)) failing") }
        if uploads.abandoned > 0 {
            parts.append("\(Measure.count(uploads.abandoned, "position")) without a running uploader")
        }
        return parts.joined(separator: ", ") + ": see `waymark uploads`"
    }

    private var journal: [String] {
        let journal = status.journal
        var text = "\(journal.state.rawValue), \(Measure.count(journal.events, "event"))"
        text += ", \(Measure.size(journal.size)) in \(journal.path)"
        if let reason = journal.reason { text += ": \(reason)" }
        return journal.dropped > 0 ? [text, "\(Measure.count(journal.dropped, "event")) lost"] : [text]
    }

    private var clients: String {
        let clients = status.clients
        var parts = ["\(Measure.grouped(clients.connections)) connected", Measure.count(clients.streams, "stream")]
        if clients.refused > 0 { parts.append("\(Measure.grouped(clients.refused)) refused") }
        if clients.lagging > 0 { parts.append("\(Measure.grouped(clients.lagging)) disconnected for not reading") }
        if clients.dropped > 0 { parts.append("\(Measure.count(clients.dropped, "position")) not read in time") }
        return parts.joined(separator: ", ")
    }

    private var daemon: [String] {
        let release = DaemonRelease(status)
        let age = Measure.age(now - status.startedAt)
        let process = "version \(release.description), process \(status.processID), running for \(age)"
        guard let difference = release.difference, let advice = release.advice else { return [process] }
        return [process, "it \(difference). \(advice)"]
    }
}

/// The quality of a fix, in words.
enum QualityText {
    /// The quality in words; nil for the ordinary one, which needs none.
    static func words(_ quality: String) -> String? {
        switch quality {
        case "ordinary": nil
        case "dgps": "differentially corrected"
        case "rtkFixed": "RTK fixed"
        case "rtkFloat": "RTK float"
        case "deadReckoning": "dead reckoning"
        case "surveyed": "surveyed"
        default: quality
        }
    }
}

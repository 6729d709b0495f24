import CommandLineKit
import Interfaces

/// Uploads for a person.
struct UploadText {
    let uploads: [KnownUpload]
    /// Seconds since 1970.
    let now: Double
    let terminal: Terminal

    /// A table, and below it remarks on the uploads that are not simply sending.
    var lines: [String] {
        if uploads.isEmpty {
            return terminal.wrapped(
                "There are no uploads: no uploader has ever attached. `waymark uploads example` prints settings for"
                    + " one.")
        }
        let showsApps = Set(uploads.map(\.name)).count < uploads.count
        var columns = showsApps ? ["NAME", "APP"] : ["NAME"]
        columns.append("STATE")
        var table = Table(
            columns.map { .init($0) }
                + ["WAITING", "OLDEST", "SENT", "FILTERED", "REJECTED", "DROPPED"].map { .init($0, isNumeric: true) }
                + ["LAST RESPONSE", "NEXT TRY"].map { .init($0) })
        for upload in uploads {
            let state = UploadStateText(upload: upload, now: now)
            let names =
                showsApps ? [upload.name, "\(upload.app) of \(UserName.text(Int64(upload.uid)))"] : [upload.name]
            let numbers = [
                Measure.grouped(upload.waiting), age(upload.oldestWaiting), Measure.grouped(upload.status.sent),
                Measure.grouped(upload.status.filtered), Measure.grouped(upload.deadLetters),
                Measure.grouped(upload.dropped),
            ]
            table.add(
                names.map { .init($0) } + [Table.Cell(state.word, state.style)] + numbers.map { .init($0) }
                    + [.init(lastAnswer(upload.status)), .init(nextAttempt(upload))])
        }
        return table.lines(for: terminal) + uploads.flatMap { remarks($0) + regionRemarks($0) }
    }

    /// The reason why messages about regions are not sent, while positions are.
    private func regionRemarks(_ upload: KnownUpload) -> [String] {
        guard upload.isRunning, let message = upload.status.regions?.message else { return [] }
        let width = (terminal.isTerminal ? terminal.width : 100) - 2
        // The authorization's messages end with a full stop, others do not.
        let end = message.hasSuffix(".") ? "" : "."
        return "\(upload.name), its regions: \(message)\(end)".escapingControls.wrapped(to: width)
    }

    private func age(_ time: Double?) -> String { time.map { Measure.age(max(0, now - $0)) } ?? "-" }

    private func lastAnswer(_ status: UploadStatus) -> String {
        let code = status.lastStatus.map { "\($0)" }
        let success = status.lastSuccess.map { "arrived \(Measure.age(max(0, now - $0))) ago" }
        let parts = [code, success].compactMap { $0 }
        return parts.isEmpty ? "-" : parts.joined(separator: ", ")
    }

    private func nextAttempt(_ upload: KnownUpload) -> String {
        guard upload.isRunning, !upload.isPaused, let time = upload.status.nextAttempt else { return "-" }
        return time > now ? "in \(Measure.age(time - now))" : "now"
    }

    /// The reason why an upload is not simply sending, and the advice.
    private func remarks(_ upload: KnownUpload) -> [String] {
        let state = UploadStateText(upload: upload, now: now)
        guard let sentence = state.sentence else { return [] }
        let width = (terminal.isTerminal ? terminal.width : 100) - 2
        var lines = "\(upload.name): \(sentence)".escapingControls.wrapped(to: width)
        if let advice = state.advice { lines += terminal.advice(advice.escapingControls) }
        return lines
    }
}

/// The state of one upload.
struct UploadStateText {
    let upload: KnownUpload
    /// Seconds since 1970; nil where no age is to be shown.
    var now: Double?

    /// How long a response of the destination has been outstanding; nil without one, or for a short time.
    private var silence: String? {
        guard upload.status.state == .sending, let since = upload.status.unansweredSince else { return nil }
        return now.map { "no response for \(Measure.age(max(0, $0 - since)))" } ?? "no response"
    }

    /// The state, in a table's cell.
    var word: String {
        if !upload.isRunning { return upload.isPaused ? "not running, paused" : "not running" }
        if upload.isPaused { return "paused" }
        switch upload.status.state {
        case .idle: return upload.waiting > 0 ? "idle, sends soon" : "idle"
        case .sending: return silence.map { "sending, \($0)" } ?? "sending"
        case .waitingForRecording: return "waiting for its recording"
        case .waitingForPath: return "waiting for a path"
        case .deferred: return "waiting for a better path"
        case .backingOff:
            return upload.status.attempt > 1 ? "failed \(upload.status.attempt) times" : "failed once"
        default: return upload.status.state.rawValue
        }
    }

    var style: Terminal.Style? {
        if !upload.isRunning { return upload.waiting > 0 ? .red : .dim }
        if upload.isPaused { return .yellow }
        return switch upload.status.state {
        case .sending where silence != nil: .yellow
        case .idle, .sending: .green
        case .blocked: .red
        default: .yellow
        }
    }

    /// The reason why it is not sending, in a sentence; nil if it is.
    var sentence: String? {
        if !upload.isRunning {
            let waiting =
                upload.waiting > 0
                ? ", while \(Measure.count(upload.waiting, "position")) \(upload.waiting == 1 ? "waits" : "wait")" : ""
            return "its uploader does not run\(waiting)."
        }
        if upload.isPaused { return "an operator has paused it." }
        let status = upload.status
        switch status.state {
        case .sending: return silence.map { "the destination does not respond: \($0)." }
        case .idle: return nil
        default:
            // The uploader's own message is the most precise one.
            return status.message ?? UploadReason(state: status.state, word: status.reason).clause + "."
        }
    }

    /// The advice, as a command; nil where none is needed, or where the uploader's message contains it. A blocked
    /// upload need not wait for the next attempt once its cause is removed; a corrected credential or setting is tried
    /// at once when the uploader is restarted or reloaded, as its message says.
    var advice: String? {
        if !upload.isRunning { return upload.waiting > 0 || upload.isPaused ? start : nil }
        if upload.isPaused { return "waymark uploads resume \(upload.name)" }
        let flush = "waymark uploads flush \(upload.name)"
        if upload.status.state == .blocked {
            let again =
                upload.deadLetters > 0
                ? "; `waymark uploads retry-rejected \(upload.name)` sends rejected positions again" : ""
            guard upload.status.message != nil else {
                return "`waymark uploads check \(upload.name)`; then `\(flush)` tries it at once\(again)"
            }
            switch upload.status.reason {
            case .notConfigured: return nil
            case .unauthorized, .broker:
                return "If it is corrected at the destination instead: `\(flush)` tries it at once\(again)"
            default: return "Once that is corrected: `\(flush)` tries it at once\(again)"
            }
        }
        guard upload.status.message == nil else { return nil }
        return switch upload.status.state {
        case .waitingForPath: "waymark path"
        case .deferred: flush
        default: nil
        }
    }

    /// The service of the app, where it has the app's name.
    private var start: String {
        upload.app.contains("@") && upload.uid == 0
            ? "`sudo systemctl enable --now \(upload.app).service`; why it ended: `sudo journalctl -u \(upload.app)`"
            : "Start \(upload.app)"
    }
}

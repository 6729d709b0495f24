import CommandLineKit
import Interfaces
import Location

/// An app for a person: its decision, its present authorization, and the reasons for a difference.
struct AppText {
    let app: KnownApp
    /// Whether location services are on.
    var areServicesEnabled = true

    // Words

    /// `trailmap of alice`.
    var subject: String { app.uid.map { "\(app.id) of \(UserName.text(Int64($0)))" } ?? app.id }

    /// `Trail Map (trailmap) of alice`.
    var title: String {
        guard let name = app.name, name != app.id else { return subject }
        return "\(name) (\(app.id))" + (app.uid.map { " of \(UserName.text(Int64($0)))" } ?? "")
    }

    /// The status in force, in a table's cell, with the stored decision where that differs.
    var status: String {
        if isTemplate { return "template of \(app.id)INSTANCE" }
        let now = Self.words(app.status)
        let stored = Self.words(app.permission)
        switch app.permission {
        case .once where app.status.isAuthorized, .provisionalAlways where app.status.isAuthorized: return stored
        case .notDetermined: return app.uid == nil && app.status == .notDetermined ? "not used yet" : now
        default: return now == stored ? now : "\(now) (decided: \(stored))"
        }
    }

    /// Whether it is a template: only its instances are apps.
    var isTemplate: Bool { app.id.hasSuffix("@") }

    var statusStyle: Terminal.Style? {
        switch app.status {
        case _ where isTemplate: .dim
        case .authorizedAlways, .authorizedWhenInUse: .green
        case .denied, .restricted: .red
        case .notDetermined: .dim
        }
    }

    /// Whether it is in use, in a table's cell.
    var use: String {
        if isTemplate { return "-" }
        if app.processes == 0 { return "not running" }
        if app.holds > 0 { return "yes, held" }
        return app.isInUse ? "yes" : "no"
    }

    /// The time and author of the decision; nil without one.
    var decided: String? {
        app.decidedBy.map { DecisionAuthor.text($0, uid: app.decidedByUid, at: app.decidedAt) }
    }

    /// The effect of a decision, as a sentence.
    var sentence: String {
        switch app.permission {
        case .notDetermined: "Nothing is decided for \(subject): it may make a request."
        case .denied: "\(subject) may have no positions."
        case .once: "\(subject) may have positions until it is no longer in use, at \(app.accuracy.rawValue) accuracy."
        case .whenInUse: "\(subject) may have positions while it is in use, at \(app.accuracy.rawValue) accuracy."
        case .provisionalAlways:
            "\(subject) may have positions always, at \(app.accuracy.rawValue) accuracy; the person is asked again"
                + " when it first gets one in the background."
        case .always: "\(subject) may have positions always, at \(app.accuracy.rawValue) accuracy."
        }
    }

    /// The reasons why it has no position now, or not the best, each with a remedy.
    var reasons: [AppReason] {
        if isTemplate {
            let advice = "Decide for one, such as the instance home: `waymark authorize \(app.id)home always`"
            return [AppReason(text: "Each of its instances is an app of its own.", advice: advice)]
        }
        var words = app.diagnostics
        if !areServicesEnabled, !words.contains(.authorizationDeniedGlobally) {
            words.insert(.authorizationDeniedGlobally, at: 0)
        }
        let reasons = AppReason.of(words, app: app)
        if !reasons.isEmpty || app.status != .notDetermined { return reasons }
        return [AppReason.undecided(app)]
    }

    static func words(_ status: AuthorizationStatus) -> String {
        switch status {
        case .notDetermined: "not decided"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorizedWhenInUse: "while using"
        case .authorizedAlways: "always"
        }
    }

    static func words(_ permission: Permission) -> String {
        switch permission {
        case .notDetermined: "not decided"
        case .denied: "denied"
        case .once: "once"
        case .whenInUse: "while using"
        case .provisionalAlways: "always, to be confirmed"
        case .always: "always"
        }
    }

    // Detail

    /// All details, in lines.
    func lines(for terminal: Terminal) -> [String] {
        var table = Table([.init(""), .init("")])
        func add(_ title: String, _ text: String?, _ style: Terminal.Style? = nil) {
            if let text { table.add([Table.Cell("  \(title)", .bold), Table.Cell(text, style)]) }
        }
        add("Status", status, statusStyle)
        add("Accuracy", app.status.isAuthorized ? app.accuracy.rawValue : nil)
        add("Decided", decided)
        add("In use", use + (app.holds > 0 ? ": \(Measure.count(app.holds, "background activity session"))" : ""))
        add("Processes", app.processes > 0 ? Measure.grouped(app.processes) : nil)
        add("Proof", app.assurance.map(AssuranceText.words))
        add("Asked", app.wasAskedAlways ? "about always, which is asked only once" : nil)
        let tracking = TrackingText(app: app)
        add("Tracking", tracking.status.map { $0 + (tracking.decided.map { ", \($0)" } ?? "") }, tracking.style)
        add("Manifest", app.manifest ?? "none")
        let waking = app.waking.map { WakingText(waking: $0, app: app.id) }
        add("Woken for", waking?.causes)
        add("Last woken", waking?.last)
        add("Budget", waking?.budget)
        add(
            "Events",
            app.waking.map { $0.pending > 0 ? Measure.count($0.pending, "event") + " not acknowledged" : nil } ?? nil)
        var lines =
            terminal.wrapped(title.escapingControls).map { terminal.styled($0, .bold) } + table.lines(for: terminal)
        let width = (terminal.isTerminal ? terminal.width : 100) - 4
        for reason in reasons + [waking?.obstacle].compactMap(\.self) {
            lines += reason.text.escapingControls.wrapped(to: width).map { "  \($0)" }
            if let advice = reason.advice { lines += terminal.advice(advice.escapingControls) }
        }
        return lines
    }
}

/// When a decision was made, and by whom.
enum DecisionAuthor {
    static func text(_ by: String, uid: UInt32?, at time: Double?) -> String {
        let user = uid.map { UserName.text(Int64($0)) }
        let who =
            switch by {
            case "person": user ?? "the person"
            case "operator": user.map { "operator \($0)" } ?? "an operator"
            case "rule": "a rule"
            default: by
            }
        let time = time.flatMap { ZonedTime($0, in: .local) }.map { "\($0.date) \($0.timeOfDay.dropLast(3))" }
        return (time.map { "\($0) " } ?? "") + "by \(who)"
    }
}

/// The strength of an app's proof, in words.
enum AssuranceText {
    static func words(_ assurance: String) -> String {
        switch assurance {
        case "socket": "socket: it came through a socket of its own"
        case "unit": "unit: the system service it runs in"
        case "user": "user: a unit of its user, which other programs of that user could imitate"
        case "program": "program: the path of its executable, the weakest proof"
        default: assurance
        }
    }
}

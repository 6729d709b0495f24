import CommandLineKit
import Interfaces
import Varlink

/// `waymark apps`: the apps, their decisions and their present use.
enum AppsCommand {
    static let command = Command(
        "apps", "show the apps, what they may have and what they have",
        discussion: [
            "An app is a program with a manifest. With APP it shows all details of that app: why it has no position"
                + " now, and what to do.",
            "STATUS is the status in force, with the decision where that differs. PROOF is the proof of its processes'"
                + " identity, weakest first: program, user, unit, socket. TRACKING is shown where something was decided or"
                + " forbidden about it.",
            "Mistakes in manifests and restrictions are reported on standard error. Needs an operator.",
        ],
        options: [AppOptions.user, CommonOptions.json],
        arguments: [
            Command.Argument(Value("APP", .named("apps")), "only this app, with all details", isOptional: true)
        ],
        examples: [
            Command.Example("waymark apps", "All of them, as a table."),
            Command.Example("waymark apps org.example.TrailMap", "Why does it get no position?"),
            Command.Example(
                "waymark apps --json | jq -r 'select(.status == \"authorizedAlways\") | .id'", "In a script."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let name = session.invocation.argument("APP")
        let link = ManageLink(session)
        let (list, objects) = try link.apps(ManageInterface.ListApps(app: name, uid: try AppOptions.user(session)))
        if let name, list.apps.isEmpty {
            let names = try link.apps().list.apps.map(\.id)
            throw .failed(
                name: ErrorName.manageNoSuchApp.rawValue, message: AppSuggestion.noSuchApp(name, among: names), .failure
            )
        }
        if session.isJSON {
            for object in objects { try session.print(json: object.bytes) }
        } else {
            let text = AppListText(list: list, terminal: session.terminal)
            try session.print(name == nil ? text.table : text.details)
        }
        for problem in list.problems { session.remarks.say(problem) }
        if !list.problems.isEmpty {
            session.remarks.say(
                "These files are not in force: see `waymark manifest check`, `waymark restrictions`.")
        }
    }
}

/// Apps for a person.
struct AppListText {
    let list: ManageInterface.ListApps.Reply
    let terminal: Terminal

    private func text(_ app: KnownApp) -> AppText { AppText(app: app, areServicesEnabled: list.servicesEnabled) }

    /// One line for each app.
    var table: [String] {
        var lines: [String] = []
        if !list.servicesEnabled {
            let sentence = terminal.wrapped("Location services are off: no app gets a position.")
            lines += sentence.map { terminal.styled($0, .yellow) }
        }
        if list.apps.isEmpty { return lines + terminal.wrapped("There are no apps: no manifest is installed.") }
        // Most machines have no app that tracks.
        let showsTracking = list.apps.contains { $0.tracking != nil }
        let titles = ["APP", "USER", "STATUS", "ACCURACY", "IN USE", "PROOF", "DECIDED"]
        var table = Table((titles + (showsTracking ? ["TRACKING"] : [])).map { .init($0) })
        for app in list.apps {
            let text = text(app)
            let mayHave = app.status == .authorizedAlways || app.status == .authorizedWhenInUse
            let tracking = TrackingText(app: app)
            table.add(
                [
                    Table.Cell(app.id), Table.Cell(app.uid.map { UserName.text(Int64($0)) } ?? "-"),
                    Table.Cell(text.status, text.statusStyle), Table.Cell(mayHave ? app.accuracy.rawValue : "-"),
                    Table.Cell(text.use), Table.Cell(app.assurance ?? "-"), Table.Cell(text.decided ?? "-"),
                ] + (showsTracking ? [Table.Cell(tracking.status ?? "-", tracking.style)] : []))
        }
        return lines + table.lines(for: terminal)
    }

    /// All details of each app.
    var details: [String] {
        let blocks = list.apps.map { text($0).lines(for: terminal) }
        return Array(blocks.joined(separator: [""]))
    }
}

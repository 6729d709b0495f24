import CommandLineKit
import SyncInterface

/// `waymark sync alerts`: whose alerts the person is shown.
enum SyncAlertsCommand {
    static let command = Command(
        "alerts", "list and set which apps may show alerts about their records",
        discussion: [
            "An app can have an alert shown when its records are changed on another machine, for example that there is a new"
                + " note. `waymark agent` shows it on the desktop, whether or not the app runs. Alerts of all apps are shown, except"
                + " where `off` was set."
        ],
        options: [SyncLink.socket, CommonOptions.json],
        arguments: [
            Command.Argument(Value("APP"), "the app, such as org.example.notes", isOptional: true),
            Command.Argument(
                Value("SETTING", .choice(["on", "off"])), "whether its alerts are shown", isOptional: true),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let link = SyncLink(session)
        guard let app = session.invocation.argument("APP") else { return try list(nil, link, session) }
        guard let setting = session.invocation.argument("SETTING") else { return try list(app, link, session) }
        let reply = try link.call(SyncInterface.AllowAlerts(app: app, allowed: setting == "on"))
        if session.isJSON { return try session.print(json: reply.bytes) }
        let name = app.escapingControls
        try session.print(
            sentence: setting == "on" ? "Alerts of \(name) are shown." : "Alerts of \(name) are not shown any more.")
    }

    private static func list(_ app: String?, _ link: SyncLink, _ session: Session) throws(CommandFailure) {
        let reply = try link.call(SyncInterface.ListAlertApps())
        if session.isJSON { return try session.print(json: reply.bytes) }
        let apps = reply.apps.filter { app == nil || $0.app == app }
        guard !apps.isEmpty else {
            return try session.print(
                sentence: "No app of this \(app == nil ? "machine" : "name") uses containers here.")
        }
        var table = Table(["APP", "ALERTS", "CONTAINERS"].map { .init($0) })
        for app in apps {
            table.add([
                Table.Cell(app.app), Table.Cell(app.allowed ? "on" : "off"),
                Table.Cell(app.containers.joined(separator: " ")),
            ])
        }
        try session.print(table.lines(for: session.terminal))
    }
}

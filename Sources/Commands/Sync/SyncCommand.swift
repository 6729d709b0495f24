import CommandLineKit
import JSONText
import Location
import SyncInterface
import Varlink

/// `waymark sync`: the records that are the same on all machines of an account.
enum SyncCommand {
    private static let container = Command.Argument(Value("CONTAINER"), "the container, such as org.example.notes")
    private static let zone = Command.Argument(Value("ZONE"), "the zone (default _defaultZone)", isOptional: true)
    private static let owner = Option("owner", Value("ACCOUNT"), "the account that shares the zone")
    private static let environment = Option(
        "environment", Value("NAME", .choice(["production", "development"]), default: "production"),
        "which of the container's data")
    private static let common = [environment, SyncLink.socket, CommonOptions.json]

    static let command = Command(
        "sync", "show and synchronize the records of one's apps",
        discussion: [
            "`waymark join` joins an account. Apps then share their records with the same apps on the account's other"
                + " machines, over a hub that one runs (`waymark-hub`)."
        ],
        examples: [
            Command.Example("waymark sync", "Is everything sent and fetched?"),
            Command.Example("waymark sync records org.example.notes notes", "Print the records of a zone."),
            Command.Example(
                "waymark sync refused org.example.notes", "Which changes has the hub refused, and why?"),
        ],
        subcommands: [
            Command(
                "status", "show the account, its hub, and what is not sent yet",
                options: [SyncLink.socket, CommonOptions.json]),
            Command(
                "now", "send and fetch everything at once",
                discussion: ["Ends with 1 and the reason if that is not possible at present."],
                options: [SyncLink.socket, CommonOptions.json]),
            Command(
                "zones", "list the zones of a container",
                discussion: [
                    "A container is copied to this machine from the time when an app uses it here. With --add it is copied"
                        + " from now on."
                ],
                options: [Option("add", "begin with a container that no app has used here")] + common,
                arguments: [container]),
            Command(
                "records", "print the records of a zone, one JSON object a line", options: [owner] + common,
                arguments: [container, zone]),
            Command(
                "delete-zone", "delete a zone and its records on all machines",
                discussion: ["Every machine of the account removes the zone, also those that it is shared with."],
                options: common, arguments: [container, Command.Argument(Value("ZONE"), "the zone")]),
            Command(
                "refused", "list the changes that the hub has refused",
                discussion: [
                    "Such a change is not sent again. The app has to save or delete the record again; `waymark sync discard`"
                        + " forgets it."
                ], options: common, arguments: [container]),
            Command(
                "discard", "forget changes that are not sent yet or were refused", options: [owner] + common,
                arguments: [
                    container, Command.Argument(Value("ZONE"), "the zone"),
                    Command.Argument(Value("RECORD"), "the records", repeats: true),
                ]),
            SyncAlertsCommand.command, SyncTeamCommand.command, SyncSchemaCommand.command,
        ] + SyncKeysCommand.commands, usual: "status")

    static func run(_ session: Session) throws(CommandFailure) {
        let name = session.invocation.path.dropFirst(2).first
        guard try !SyncKeysCommand.run(name, session) else { return }
        switch name {
        case "now": try synchronize(session)
        case "zones": try zones(session)
        case "records": try records(session)
        case "delete-zone": try deleteZone(session)
        case "refused": try refused(session)
        case "discard": try discard(session)
        case "alerts": try SyncAlertsCommand.run(session)
        case "team": try SyncTeamCommand.run(session)
        case "schema": try SyncSchemaCommand.run(session)
        default: try status(session)
        }
    }

    private static func status(_ session: Session) throws(CommandFailure) {
        let reply = try SyncLink(session).call(SyncInterface.GetStatus())
        if session.isJSON { return try session.print(json: reply.bytes) }
        let text = SyncStatusText(status: reply.value, now: session.clock.utcMicroseconds)
        try session.print(text.lines.flatMap { session.terminal.wrapped($0) })
        guard !reply.containers.isEmpty else { return }
        var table = Table(
            [
                .init("CONTAINER"), .init("ENVIRONMENT"), .init("ZONES", isNumeric: true),
                .init("RECORDS", isNumeric: true), .init("NOT SENT", isNumeric: true),
                .init("REFUSED", isNumeric: true),
            ])
        for container in reply.containers {
            table.add([
                Table.Cell(container.name), Table.Cell(container.environment), Table.Cell("\(container.zones)"),
                Table.Cell("\(container.records)"), Table.Cell("\(container.pending)"),
                Table.Cell("\(container.refused)"),
            ])
        }
        try session.print([""] + table.lines(for: session.terminal))
    }

    private static func synchronize(_ session: Session) throws(CommandFailure) {
        let reply = try SyncLink(session).call(SyncInterface.Synchronize(), seconds: 3_600)
        if session.isJSON { return try session.print(json: reply.bytes) }
        try session.print(sentence: "Everything is sent and fetched.")
    }

    /// Refuses a container that the copy does not have, because a call that names it would add it.
    private static func requireContainer(_ session: Session) throws(CommandFailure) {
        let status = try SyncLink(session).call(SyncInterface.GetStatus())
        // A copy that is closed, or without an account, refuses the call itself.
        guard status.state != .noAccount, status.copyForm != .closed else { return }
        let name = session.invocation.argument("CONTAINER") ?? ""
        let environment = session.invocation.text("environment") ?? "production"
        guard !status.containers.contains(where: { $0.name == name && $0.environment == environment }) else { return }
        throw .failed(
            "UnknownContainer",
            "This machine has no copy of \(name.escapingControls) in \(environment). `waymark sync` lists the containers that it"
                + " has, and `waymark sync zones --add` begins with another one.")
    }

    private static func zones(_ session: Session) throws(CommandFailure) {
        if !session.invocation.has("add") { try requireContainer(session) }
        let reply = try SyncLink(session).call(
            SyncInterface.ListZones(
                container: session.invocation.argument("CONTAINER"),
                environment: session.invocation.text("environment")))
        if session.isJSON { return try session.print(json: reply.bytes) }
        guard !reply.zones.isEmpty else { return try session.print(sentence: "The container has no zone here.") }
        var table = Table(["ZONE", "OWNER", "STATE"].map { .init($0) })
        for zone in reply.zones {
            table.add([
                Table.Cell(zone.name), Table.Cell(zone.owner ?? "this account"),
                Table.Cell(zone.pending ? "not sent yet" : "at the hub"),
            ])
        }
        try session.print(table.lines(for: session.terminal))
    }

    private static func records(_ session: Session) throws(CommandFailure) {
        try requireContainer(session)
        var last: String?
        repeat {
            let reply = try SyncLink(session).call(
                SyncInterface.ListRecords(
                    container: session.invocation.argument("CONTAINER"),
                    environment: session.invocation.text("environment"), owner: session.invocation.text("owner"),
                    zone: session.invocation.argument("ZONE"), after: last))
            for record in reply.records { try session.print(json: record.bytes) }
            last = reply.next
        } while last != nil
    }

    private static func deleteZone(_ session: Session) throws(CommandFailure) {
        try requireContainer(session)
        let name = session.invocation.argument("ZONE") ?? ""
        let reply = try SyncLink(session).call(
            SyncInterface.ModifyZones(
                container: session.invocation.argument("CONTAINER"),
                environment: session.invocation.text("environment"), delete: [name]))
        if session.isJSON { return try session.print(json: reply.bytes) }
        try session.print(
            sentence: "The zone \(name.escapingControls) is deleted here, and on the other machines soon.")
    }

    private static func refused(_ session: Session) throws(CommandFailure) {
        let reply = try SyncLink(session).call(
            SyncInterface.ListRefusedChanges(
                container: session.invocation.argument("CONTAINER"),
                environment: session.invocation.text("environment")))
        if session.isJSON { return try session.print(json: reply.bytes) }
        guard !reply.refused.isEmpty else { return try session.print(sentence: "The hub has refused no change.") }
        var table = Table(["ZONE", "RECORD", "WHY"].map { .init($0) })
        for change in reply.refused {
            table.add([
                Table.Cell(change.zone), Table.Cell(change.name),
                Table.Cell(SyncStatusText.reason(change.outcome["error"]?.stringValue)),
            ])
        }
        try session.print(table.lines(for: session.terminal))
    }

    private static func discard(_ session: Session) throws(CommandFailure) {
        let reply = try SyncLink(session).call(
            SyncInterface.DiscardChanges(
                container: session.invocation.argument("CONTAINER"),
                environment: session.invocation.text("environment"), owner: session.invocation.text("owner"),
                zone: session.invocation.argument("ZONE"), names: session.invocation.arguments("RECORD")))
        if session.isJSON { return try session.print(json: reply.bytes) }
        try session.print(sentence: "The changes are forgotten.")
    }
}

import CommandLineKit
import SyncInterface

/// `waymark sync team`: who may change a container, for a member of its team.
enum SyncTeamCommand {
    private static let container = Command.Argument(Value("CONTAINER"), "the container, such as org.example.notes")
    private static let account = Command.Argument(Value("ACCOUNT"), "the name of the account")
    private static let common = [SyncLink.socket, CommonOptions.json]
    /// The options for rights, and what each permits.
    private static let rights = [
        ("manage-team", "manageTeam", "it may change the team"),
        ("edit-development", "editDevelopment", "it may change the schema of development"),
        ("edit-production", "editProduction", "it may read the schema of production and deploy to it"),
    ]

    static let command = Command(
        "team", "list and change who may change a container",
        discussion: [
            "For members of a team, with the account of this machine: every member sees the team, and one with the right"
                + " manageTeam changes it. The administrator of the hub makes a team with `waymark-hub team add`."
        ],
        subcommands: [
            Command("list", "list the team of a container", options: common, arguments: [container]),
            Command(
                "add", "add an account to the team, or replace its rights",
                options: rights.map { Option($0.0, $0.2) } + [
                    Option("agent", "it becomes the agent; the agent before it stays a member with all rights")
                ] + common, arguments: [container, account],
                examples: [
                    Command.Example(
                        "waymark sync team add org.example.notes bob --edit-development",
                        "Let bob change the schema of development.")
                ]),
            Command(
                "remove", "remove an account from the team, also one's own",
                discussion: ["The agent is removed last, and the container has no team from then on."],
                options: common, arguments: [container, account]),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let invocation = session.invocation
        let container = invocation.argument("CONTAINER") ?? ""
        let account = invocation.argument("ACCOUNT") ?? ""
        let link = SyncLink(session)
        switch invocation.path.last {
        case "add":
            let call = SyncInterface.SetTeamMember(
                container: container, account: account,
                rights: rights.filter { invocation.has($0.0) }.map(\.1), agent: invocation.has("agent"))
            let reply = try link.call(call)
            if session.isJSON { return try session.print(json: reply.bytes) }
            try list(reply.members, session)
        case "remove":
            let reply = try link.call(SyncInterface.RemoveTeamMember(container: container, account: account))
            if session.isJSON { return try session.print(json: reply.bytes) }
            try list(reply.members, session)
        default:
            let reply = try link.call(SyncInterface.GetTeam(container: container))
            if session.isJSON { return try session.print(json: reply.bytes) }
            try list(reply.members, session)
        }
    }

    private static func list(_ members: [SyncInterface.TeamMember], _ session: Session) throws(CommandFailure) {
        guard !members.isEmpty else {
            return try session.print(
                sentence:
                    "The container has no team: every account changes its schema of development by saving records.")
        }
        var table = Table(["ACCOUNT", "RIGHTS"].map { .init($0) })
        for member in members {
            let rights = member.agent ? "agent, all rights" : member.rights.joined(separator: ", ")
            table.add([Table.Cell(member.account), Table.Cell(rights.isEmpty ? "none" : rights)])
        }
        try session.print(table.lines(for: session.terminal))
    }
}

import CommandLineKit
import Records

/// The command line of `waymark-hub`.
enum HubCommand {
    private static let folder = Option(
        "folder", Value("DIRECTORY", .directory),
        "the hub's folder (default /var/lib/waymark-hub for root, ~/.local/share/waymark-hub for others)")
    private static let database = Option(
        "database", Value("ADDRESS"),
        "store the records in a database of PostgreSQL: a connection string of libpq, without a password")
    private static let databaseFile = Option(
        "database-file", Value("FILE", .file), "a file with the connection string, which may have a password")
    private static let account = Option(
        "account", Value("ACCOUNT"), "the account (default the hub's only one; at first your user name)")
    private static let json = Option("json", "print JSON")
    private static let device = Command.Argument(Value("DEVICE"), "the name of the device")

    private static let container = Command.Argument(Value("CONTAINER"), "the container, for example org.example.notes")
    private static let environment = Option(
        "environment", Value("NAME", .choice(["development", "production"]), default: "development"),
        "development or production")

    private static let schema = Command(
        "schema", "the types of records, from development to production",
        discussion: [
            "In development an app makes types and fields by saving records. Before the first deployment, production accepts"
                + " every record; from then on only what was deployed. Queries need indexes, which are added to an exported"
                + " schema: queryable to compare values, sortable to order them, searchable for words. A new index is filled"
                + " with the records from before while the hub goes on answering.",
            "Production only ever gets more: what would take something from an app that is installed is refused.",
        ],
        subcommands: [
            Command(
                "show", "show the types of a container", options: [folder, environment], arguments: [container]),
            Command(
                "export", "print a schema as JSON", options: [folder, environment], arguments: [container],
                examples: [
                    Command.Example("waymark-hub schema export org.example.notes > notes.json", "Save it, to edit it.")
                ]),
            Command(
                "import", "replace the schema of development",
                discussion: [
                    "Reads what export has printed. Records stay as they are. What production has must remain."
                ], options: [folder],
                arguments: [container, Command.Argument(Value("FILE", .file), "the schema; - reads standard input")],
                examples: [Command.Example("waymark-hub schema import org.example.notes notes.json", "Add an index.")]),
            Command(
                "diff", "show what a deployment would change", options: [folder, json], arguments: [container]),
            Command(
                "deploy", "deploy the schema of development to production",
                discussion: [
                    "Deploys types, fields and indexes that production lacks. Nothing is removed or changed there; other roles of"
                        + " a type are deployed with --change-roles only, because they may take rights from people."
                ],
                options: [folder, Option("change-roles", "deploy other roles, too")], arguments: [container]),
        ])

    private static let team = Command(
        "team", "the accounts that may change a container",
        discussion: [
            "Without a team, every account changes the schema of development by saving records, and only the administrator of"
                + " the hub deploys it. That is enough for one person or a family.",
            "With a team, only its members with the right editDevelopment change the schema of development, also over HTTP;"
                + " those with editProduction read the schema of production and deploy to it, and those with manageTeam change"
                + " the team. The first member is the agent, who owns the container: it has all rights, and is removed last.",
            "The hub's log has each change, and each request that was refused.",
        ],
        subcommands: [
            Command("list", "list the team of a container", options: [folder, json], arguments: [container]),
            Command(
                "add", "add an account to a team, or replace its rights",
                options: [
                    folder, Option("manage-team", "it may change the team"),
                    Option("edit-development", "it may change the schema of development"),
                    Option("edit-production", "it may read the schema of production and deploy to it"),
                    Option("agent", "it becomes the agent; the agent before it stays a member with all rights"),
                ], arguments: [container, member],
                examples: [
                    Command.Example(
                        "waymark-hub team add org.example.notes alice", "Make a team, whose agent is alice."),
                    Command.Example(
                        "waymark-hub team add org.example.notes bob --edit-development",
                        "Let bob change the schema of development."),
                ]),
            Command(
                "remove", "remove an account from a team",
                discussion: ["The agent is removed last, and the container has no team from then on."],
                options: [folder], arguments: [container, member]),
        ])
    private static let member = Command.Argument(Value("ACCOUNT"), "the name of the account")

    static let command = Command(
        "waymark-hub", "the server of records that are synchronized between one's machines",
        discussion: [
            "A hub stores the records of apps and passes changes on to the other machines of an account. It needs nothing but"
                + " a folder. `waymark-hub serve` runs it, and the other commands administrate a hub that runs."
        ],
        subcommands: [
            Command(
                "serve", "run the hub",
                discussion: [
                    "Serves HTTPS until SIGINT or SIGTERM. Without --certificate the hub makes a certificate of its own,"
                        + " whose digest is part of the codes of waymark-hub invite, so that no authority is needed.",
                    "With --without-tls it serves HTTP, on loopback unless --listen names an address, for a proxy that"
                        + " terminates TLS. Invitations then need --url, the address of the proxy. A hub with a"
                        + " certificate of its own needs a proxy that passes TLS on unchanged, because the codes have the"
                        + " digest of that certificate.",
                    "With --database several hubs can use one database of PostgreSQL, each with a folder of its own for its"
                        + " certificate.",
                ],
                options: [
                    folder, database, databaseFile,
                    Option(
                        "listen",
                        Value(
                            "[ADDRESS:]PORT",
                            .checked(expected: "a port, perhaps after an address and a colon") {
                                ListenPlace($0) != nil
                            }),
                        "where to listen (default 8743 on all addresses)"),
                    Option(
                        "certificate", Value("FILE", .file),
                        "a PEM file with the certificate, those of its authorities, and the key"),
                    Option("without-tls", "serve HTTP, for a proxy that terminates TLS"),
                    Option(
                        "name", Value("HOST"),
                        "the name under which clients reach the hub, also in its own certificate (default this machine's)"
                    ),
                    Option(
                        "url",
                        Value(
                            "URL",
                            .checked(expected: "an address such as https://hub.example.org") {
                                (try? HubURL($0)) != nil
                            }),
                        "the address that invitations have, where clients reach the hub through a proxy"),
                    Option(
                        "connections", Value("N", .integer(16...1_000_000), default: "12000"),
                        "the most connections at a time"),
                ],
                examples: [
                    Command.Example("waymark-hub serve", "Run a hub for one's own machines."),
                    Command.Example(
                        "waymark-hub serve --without-tls --url https://hub.example.org",
                        "Run a hub behind nginx."),
                    Command.Example(
                        "waymark-hub serve --database postgres://waymark@db.example.org/waymark",
                        "Run one of several hubs with one database."),
                ]),
            Command(
                "invite", "invite a device to an account",
                discussion: [
                    "Prints a code with which the device joins, once, before it expires. The account begins to exist with its"
                        + " first device. Whoever has the code joins instead of the device: pass it on as a password."
                ],
                options: [
                    folder, account,
                    Option(
                        "minutes", Value("N", .integer(1...10_080), default: "15"), "how long the code is accepted"),
                    json,
                ], arguments: [device],
                examples: [
                    Command.Example("waymark-hub invite laptop --account alice", "Invite the first device of alice."),
                    Command.Example("waymark-hub invite phone", "Invite another one."),
                ]),
            Command("devices", "list devices and invitations", options: [folder, json]),
            Command(
                "remove", "remove a device or its invitation",
                discussion: [
                    "The device gets nothing from the hub from then on. What it has received remains on it."
                ],
                options: [folder, account], arguments: [device],
                examples: [Command.Example("waymark-hub remove phone --account alice", "Remove a lost phone.")]),
            Command(
                "stats", "show what the hub does",
                options: [folder, json, Option("openmetrics", "print OpenMetrics, for Prometheus")]),
            Command(
                "doctor", "look for problems of the hub and its folder",
                discussion: [
                    "Examines the folder, the space on its disk, the certificate and the hub that runs. Ends with 1 if there is"
                        + " a problem."
                ], options: [folder]),
            Command(
                "restored", "prepare a folder that was restored from a backup",
                discussion: [
                    "A restored hub has forgotten changes that clients have seen, and counts on from an earlier number. This"
                        + " makes a new key for change tokens, so that each client fetches everything again and sends what the"
                        + " hub does not have. The hub must not run meanwhile. Nothing is lost by it, and devices stay joined."
                        + " The identifiers of accounts are computed from this key too: machines that join afterwards have other"
                        + " ones than the machines that have joined before."
                ], options: [folder, database, databaseFile]),
            schema, team,
        ],
        groups: [
            Command.Group(
                "Hub", manual: "waymark-hub",
                ["serve", "invite", "devices", "remove", "schema", "team", "stats", "doctor", "restored"])
        ])
}

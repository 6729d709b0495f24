import CommandLineKit
import JSONText
import Platform
import SyncInterface

/// `waymark sync schema`: the schema of a container, for a member of its team.
enum SyncSchemaCommand {
    private static let container = Command.Argument(Value("CONTAINER"), "the container, such as org.example.notes")
    private static let common = [SyncLink.socket, CommonOptions.json]

    static let command = Command(
        "schema", "show, replace and deploy the schema of a container",
        discussion: [
            "For members of the container's team, with the account of this machine: every member reads the schema of"
                + " development, editDevelopment replaces it, and editProduction reads that of production, compares and deploys."
        ],
        subcommands: [
            Command(
                "export", "print the schema as JSON",
                options: [
                    Option(
                        "environment", Value("NAME", .choice(["development", "production"]), default: "development"),
                        "which of the two")
                ] + common, arguments: [container]),
            Command(
                "import", "replace the schema of development",
                discussion: [
                    "Types and fields that production has must remain. Records stay as they are."
                ], options: common,
                arguments: [
                    container,
                    Command.Argument(
                        Value("FILE", .file), "a schema as `export` prints it (default standard input)",
                        isOptional: true),
                ]),
            Command("diff", "list what a deployment would change", options: common, arguments: [container]),
            Command(
                "deploy", "add to production what development has and it lacks",
                options: [Option("change-roles", "deploy other roles of types that production has too")] + common,
                arguments: [container]),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let invocation = session.invocation
        let container = invocation.argument("CONTAINER") ?? ""
        let link = SyncLink(session)
        switch invocation.path.last {
        case "export":
            let environment = invocation.text("environment") ?? "development"
            let reply = try link.call(SyncInterface.GetSchema(container: container, environment: environment))
            try session.print(json: reply.schema.bytes)
        case "import":
            let reply = try link.call(
                SyncInterface.ReplaceSchema(container: container, schema: read(invocation.argument("FILE") ?? "-")))
            if session.isJSON { return try session.print(json: reply.bytes) }
            try report(
                reply.differences, none: "The schema of development is like that already.", "Development has changed:",
                session)
        case "deploy":
            let reply = try link.call(
                SyncInterface.DeploySchema(container: container, changeRoles: invocation.has("change-roles")))
            if session.isJSON { return try session.print(json: reply.bytes) }
            try report(
                reply.differences, none: "Production has the schema of development.", "Production has changed:", session
            )
        default:
            let reply = try link.call(SyncInterface.CompareSchemas(container: container))
            if session.isJSON { return try session.print(json: reply.bytes) }
            try report(
                reply.differences, none: "Production has the schema of development.",
                "A deployment would change production:", session)
        }
    }

    private static func read(_ path: String) throws(CommandFailure) -> JSON {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try InputFile.bytes(of: path, limit: 8 << 20)
        } catch {
            throw .failed("Unreadable", "Could not \(error). Nothing was changed.")
        }
        do throws(JSONError) {
            return try JSON.parse(bytes, maximumDepth: 10, maximumValues: 1 << 19)
        } catch {
            throw .failed(
                "InvalidSchema", "\(InputFile.name(path).escapingControls) is not JSON: \(error). Nothing was changed.")
        }
    }

    private static func report(
        _ differences: [SyncInterface.SchemaDifference], none: String, _ title: String, _ session: Session
    ) throws(CommandFailure) {
        guard !differences.isEmpty else { return try session.print(sentence: none) }
        try session.print(
            [title]
                + differences.map { "    \($0.text.escapingControls)\($0.addition ? "" : " (no addition)")" })
    }
}

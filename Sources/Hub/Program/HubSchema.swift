import CommandLineKit
import Glibc
import Interfaces
import JSONText
import Platform
import Records
import Varlink

/// `waymark-hub schema`.
struct HubSchema {
    let console: HubConsole

    func perform() throws {
        switch console.word {
        case "show": try show()
        case "export": try console.output.line(try read().json)
        case "import": try replace()
        case "diff": try compare()
        default: try deploy()
        }
        try console.output.flush()
    }

    private func read() throws -> Schema {
        let environment: HubInterface.Environment =
            console.invocation.text("environment") == "production" ? .production : .development
        let reply = try console.client.call(
            HubInterface.GetSchema(container: console.container, environment: environment))
        var writer = JSONWriter()
        reply.schema.write(to: &writer)
        return try Schema(json: writer.bytes)
    }

    private func show() throws {
        let schema = try read()
        guard !schema.types.isEmpty else {
            let isProduction = console.invocation.text("environment") == "production"
            return try console.output.line(
                isProduction
                    ? "Nothing was deployed to production yet: it accepts every record."
                    : "Development has no types yet. An app makes them by saving records there.")
        }
        for type in schema.types.values.sorted(by: { $0.name < $1.name }) {
            try console.output.line(type.name.text)
            for (name, field) in type.fields.sorted(by: { $0.key < $1.key }) {
                let indexes = field.indexes.sorted().map { ", \($0.rawValue)" }.joined()
                try console.output.line("    \(name): \(field.shape)\(indexes)")
            }
            if type.roles != RecordRoles() { try console.output.line("    roles: \(type.roles)") }
        }
    }

    private func replace() throws {
        let path = console.invocation.argument("FILE") ?? "-"
        let bytes = try InputFile.bytes(of: path, limit: 8 << 20)
        let schema: JSON
        do throws(JSONError) {
            schema = try JSON.parse(bytes, maximumDepth: 10, maximumValues: 1 << 19)
        } catch {
            throw HubStartError("\(InputFile.name(path)) is not JSON: \(error). Nothing was changed")
        }
        let reply = try console.client.call(HubInterface.ReplaceSchema(container: console.container, schema: schema))
        try report(
            reply.differences, none: "The schema of development is like that already.", "Development has changed:")
    }

    private func compare() throws {
        let reply = try console.client.call(HubInterface.CompareSchemas(container: console.container))
        if console.isJSON { return try console.output.json(reply) }
        try report(
            reply.differences, none: "Production has the schema of development.",
            "A deployment would change production:")
    }

    private func deploy() throws {
        let changesRoles = console.invocation.has("change-roles")
        let reply = try console.client.call(
            HubInterface.DeploySchema(container: console.container, changeRoles: changesRoles))
        try report(reply.differences, none: "Production has the schema of development.", "Production has changed:")
    }

    private func report(_ differences: [HubInterface.SchemaDifference], none: String, _ title: String) throws {
        guard !differences.isEmpty else { return try console.output.line(none) }
        try console.output.line(title)
        for difference in differences {
            try console.output.line("    \(difference.text)\(difference.addition ? "" : " (no addition)")")
        }
    }
}

import CommandLineKit
import Configuration
import JSONText
import Varlink

/// `waymark config`: the daemon's settings.
enum ConfigCommand {
    static let command = Command(
        "config", "check the daemon's settings, or show all settings",
        subcommands: [
            Command(
                "check", "find mistakes in the configuration, with their places and the allowed values",
                discussion: [
                    "Reads the file and its drop-ins (FILE.d/*.conf) as the daemon does, and needs no daemon. It ends"
                        + " with 1 where something is wrong."
                ],
                options: [CommonOptions.json],
                arguments: [
                    Command.Argument(
                        Value("FILE", .file), "the main file (default \(Configuration.defaultFile))", isOptional: true)
                ]),
            Command(
                "example", "print a file with every setting and its default",
                examples: [Command.Example("waymark config example >waymark.conf", "As a starting point.")]),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        if session.invocation.path.last == "example" {
            session.output.text(Configuration.exampleFile)
            return try session.flush()
        }
        let file = session.invocation.argument("FILE")
        let configuration = Configuration.load(
            mainFile: file ?? Configuration.defaultFile, isExplicit: file != nil)
        if session.isJSON {
            for problem in configuration.problems { try session.print(json: json(problem)) }
        } else {
            try session.print(configuration.problems.map(\.description))
            session.remarks.say(
                summary(files: configuration.files, problems: configuration.problems.count))
        }
        if !configuration.problems.isEmpty { throw .ended(.failure) }
    }

    static func summary(files: [String], problems: Int) -> String {
        let read =
            files.isEmpty ? "No configuration file: all defaults apply" : "Read " + files.joined(separator: ", ")
        return "\(read). \(problems == 0 ? "No problems." : Measure.count(problems, "problem") + ".")"
    }

    /// The object for programs.
    static func json(_ problem: ConfigurationProblem) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("file", problem.file)
            writer.member("line", problem.line)
            writer.member("section", problem.section)
            writer.member("key", problem.key)
            writer.member("message", problem.message)
        }
        return writer.bytes
    }
}

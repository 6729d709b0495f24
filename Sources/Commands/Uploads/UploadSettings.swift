import CommandLineKit
import Configuration
import Destinations
import Varlink

/// `waymark uploads check`: the settings of destinations.
enum UploadSettings {
    static func check(_ session: Session) throws(CommandFailure) {
        let named = session.invocation.arguments("NAME|FILE")
        let files = try named.isEmpty ? installed() : named.map(file)
        var problems: [ConfigurationProblem] = []
        for file in files { problems += DestinationFile(reading: file).problems }
        if session.isJSON {
            for problem in problems { try session.print(json: ConfigCommand.json(problem)) }
        } else {
            try session.print(problems.map { $0.description.escapingControls })
            let subject =
                files.isEmpty
                ? "No destination is set up in \(DestinationFile.folder)" : Measure.count(files.count, "file")
            session.remarks.say(
                "\(subject): \(problems.isEmpty ? "no problems" : Measure.count(problems.count, "problem")).")
        }
        if !problems.isEmpty { throw .ended(.failure) }
    }

    /// The file of an argument.
    static func file(_ text: String) -> String {
        text.contains("/") || text.hasSuffix(".conf") ? text : DestinationFile.path(of: text) ?? text
    }

    /// The files of all destinations, in order.
    private static func installed() throws(CommandFailure) -> [String] {
        do throws(ConfigurationProblem) { return try ConfigurationFolder(path: DestinationFile.folder).files() } catch {
            throw .failed("NotReadable", error.description)
        }
    }
}

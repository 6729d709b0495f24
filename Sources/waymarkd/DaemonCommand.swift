import CommandLineKit
import Configuration
import Glibc
import Platform

/// The daemon's command line.
enum DaemonCommand {
    static let command = Command(
        "waymarkd", "the location service",
        discussion: [
            "Reads positions from gpsd and gives them to the programs of this machine over a Unix socket. It runs in the"
                + " foreground, and says on standard error, or to the systemd journal, what happens.",
            "Flags win over the configuration files. With a socket and a state directory of its own, a second daemon"
                + " runs beside the system's, as any user.",
        ],
        options: [
            Option("config", Value("FILE", .file, default: Configuration.defaultFile), "the main configuration file"),
            Option("state-directory", Value("DIR", .directory), "where the journal is kept"),
            Option("socket", Value("PATH", .file), "the Unix socket to listen on"),
            Option(
                "gpsd", Value("ADDRESS", .checked(expected: "HOST:PORT, unix:PATH or none", accepts: isAddress)),
                "where gpsd listens: HOST:PORT, unix:PATH or none"),
            Option(
                "log-level", Value("LEVEL", .choice(Log.Level.allCases.map(\.name))), "the least important lines told"),
            Option("simulated", "mark every position as simulated"),
        ],
        examples: [
            Command.Example("waymarkd", "as systemd runs it"),
            Command.Example(
                "waymarkd --socket /tmp/w/waymark.sock --state-directory /tmp/w --gpsd localhost:2947",
                "beside the system's, as any user"),
        ])

    /// What the command line says of the configuration.
    struct Options: Sendable {
        private let file: String
        private let isExplicit: Bool
        private let overrides: Overrides

        init(_ invocation: Invocation) {
            file = invocation.text("config") ?? Configuration.defaultFile
            isExplicit = invocation.isGiven("config")
            overrides = Overrides(
                gpsd: invocation.text("gpsd").flatMap(Self.address), socketPath: invocation.text("socket"),
                stateDirectory: invocation.text("state-directory"),
                logLevel: invocation.text("log-level").flatMap(Log.Level.init(name:)),
                isSimulated: invocation.has("simulated") ? true : nil)
        }

        /// The configuration as files and command line have it now.
        func load() -> Configuration {
            let configuration = Configuration.load(mainFile: file, isExplicit: isExplicit, overrides: overrides)
            // systemd's StateDirectory= wins over the default, and nothing else.
            guard configuration.source(of: \.journal.stateDirectory) == .builtIn,
                let directory = getenv("STATE_DIRECTORY").map({ String(cString: $0) }), !directory.isEmpty,
                !directory.contains(":")
            else { return configuration }
            var overrides = overrides
            overrides.stateDirectory = directory
            return Configuration.load(mainFile: file, isExplicit: isExplicit, overrides: overrides)
        }

        private static func address(_ text: String) -> GPSDAddress? {
            do throws(ValueError) { return try GPSDAddress(parsing: text) } catch { return nil }
        }
    }

    private static func isAddress(_ text: String) -> Bool {
        do throws(ValueError) {
            _ = try GPSDAddress(parsing: text)
            return true
        } catch {
            return false
        }
    }
}

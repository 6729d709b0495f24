import CommandLineKit
import Configuration
import Daemon
import Platform

/// The daemon's command line.
enum DaemonCommand {
    static let command = Command(
        "waymarkd", "the location service",
        discussion: [
            "Reads positions from gpsd and delivers them to the programs of this machine over a Unix socket. It runs in"
                + " the foreground, and logs to standard error or to the systemd journal.",
            "Options override the configuration files. With a socket and a state directory of its own, a second daemon"
                + " runs beside the system's, as any user.",
        ],
        options: [
            Option("config", Value("FILE", .file, default: Configuration.defaultFile), "the main configuration file"),
            Option("state-directory", Value("DIR", .directory), "the directory of the journal"),
            Option("socket", Value("PATH", .file), "the Unix socket to listen on"),
            Option(
                "gpsd", Value("ADDRESS", .checked(expected: "HOST:PORT, unix:PATH or none", accepts: isAddress)),
                "where gpsd listens: HOST:PORT, unix:PATH or none"),
            Option(
                "log-level", Value("LEVEL", .choice(Log.Level.allCases.map(\.name))), "the lowest level to log"),
            Option("simulated", "mark every position as simulated"),
        ],
        examples: [
            Command.Example("waymarkd", "as systemd runs it"),
            Command.Example(
                "waymarkd --socket /tmp/w/waymark.sock --state-directory /tmp/w --gpsd localhost:2947",
                "beside the system's, as any user"),
        ])

    /// The configuration of the command line.
    struct Options: ConfigurationSource {
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

        /// The configuration from the files and the command line, as they are now.
        func load() -> Configuration {
            let configuration = Configuration.load(mainFile: file, isExplicit: isExplicit, overrides: overrides)
            let completed = completed(overrides, for: configuration)
            guard completed != overrides else { return configuration }
            return Configuration.load(mainFile: file, isExplicit: isExplicit, overrides: completed)
        }

        /// Adds the settings from the unit's environment, which override the defaults only.
        private func completed(_ overrides: Overrides, for configuration: Configuration) -> Overrides {
            var overrides = overrides
            if configuration.source(of: \.journal.stateDirectory) == .builtIn,
                let directory = ProcessEnvironment.value("STATE_DIRECTORY"), !directory.contains(":")
            {
                overrides.stateDirectory = directory
            }
            if configuration.source(of: \.receiver.gpsd) == .builtIn,
                let text = ProcessEnvironment.value("WAYMARK_GPSD")
            {
                overrides.gpsd = Self.address(text)
            }
            if configuration.source(of: \.reachability.resolver) == .builtIn,
                let path = ProcessEnvironment.value("WAYMARK_RESOLVER"), path.hasPrefix("/")
            {
                overrides.resolver = .program(path: path)
            }
            return overrides
        }

        /// The socket of `waymark-inspector`; nil where the daemon reads for itself.
        static var inspector: String? { ProcessEnvironment.value("WAYMARK_INSPECTOR") }

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

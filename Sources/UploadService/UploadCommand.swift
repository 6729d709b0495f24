import CommandLineKit
import Destinations
import Interfaces
import Platform

/// The uploader's command line.
public enum UploadCommand {
    /// The command, its arguments and its options.
    public static let command = Command(
        "waymark-upload", "carries a recording to its destination",
        discussion: [
            "Records positions under NAME, reads them from the daemon and sends them to its destination. What"
                + " the destination has acknowledged is acknowledged to the daemon, and nothing else is. It runs in the"
                + " foreground, one process for each destination, and is an app like any other: `waymark authorize` says"
                + " whether it may have positions.",
            "It is best run as waymark-upload@NAME.service, with secrets in its credentials. SIGHUP reads the file again;"
                + " credentials that systemd handed over are read again at a restart.",
        ],
        options: [
            Option(
                "config", Value("FILE", .file), "the destination's file, instead of \(DestinationFile.folder)/NAME.conf"
            ),
            Option(
                "socket", Value("PATH", .file),
                "the daemon's socket, instead of WAYMARK_SOCKET or \(WaymarkSocket.defaultPath)"),
            Option("check", "show what would be done and all problems, then exit"),
            Option(
                "log-level", Value("LEVEL", .choice(Log.Level.allCases.map(\.name)), default: Log.Level.info.name),
                "the lowest level to log"),
        ],
        arguments: [
            Command.Argument(
                Value(
                    "NAME",
                    .checked(
                        expected: "a name of letters, digits and . _ -, at most 128, that does not begin with a dot",
                        accepts: { DestinationFile.path(of: $0) != nil })),
                "the name of the destination and of its recording")
        ],
        examples: [
            Command.Example("waymark-upload home", "as systemd runs it"),
            Command.Example("waymark-upload --check home", "check the file and the credentials"),
            Command.Example(
                "waymark-upload demo --config ./demo.conf --socket /tmp/w/waymark.sock",
                "by hand, with a second daemon"),
        ])

    /// The parsed command line.
    public struct Options: Sendable {
        /// The destination's name.
        public let name: String
        /// Its file.
        public let file: String
        /// The daemon's socket.
        public let socketPath: String
        /// The least important lines that are logged.
        public let logLevel: Log.Level
        /// Whether to show only what would be done.
        public let isCheck: Bool
        /// The folder of the secrets.
        public let credentials: CredentialFolder

        /// The options of a valid command line.
        public init(_ invocation: Invocation, credentials: CredentialFolder = .ofThisProcess) {
            name = invocation.argument("NAME") ?? ""
            file = invocation.text("config") ?? DestinationFile.path(of: name) ?? ""
            socketPath =
                invocation.text("socket") ?? ProcessEnvironment.value(WaymarkSocket.environmentVariable)
                ?? WaymarkSocket.defaultPath
            logLevel = invocation.text("log-level").flatMap(Log.Level.init(name:)) ?? .info
            isCheck = invocation.has("check")
            self.credentials = credentials
        }
    }
}

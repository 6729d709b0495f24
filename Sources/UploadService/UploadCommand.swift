import CommandLineKit
import Destinations
import Glibc
import Interfaces
import Platform

/// The uploader's command line.
public enum UploadCommand {
    /// What may be typed.
    public static let command = Command(
        "waymark-upload", "carries a recording to its destination",
        discussion: [
            "Records positions under NAME, reads them from the daemon and sends them where the destination's file says. What"
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
            Option("check", "say what would be done, and what is wrong, and end"),
            Option(
                "log-level", Value("LEVEL", .choice(Log.Level.allCases.map(\.name)), default: Log.Level.info.name),
                "the least important lines told"),
        ],
        arguments: [
            Command.Argument(
                Value(
                    "NAME",
                    .checked(
                        expected: "a name of letters, digits and . _ -, at most 128, that does not begin with a dot",
                        accepts: { DestinationFile.path(of: $0) != nil })),
                "the destination's name, which the recording gets too")
        ],
        examples: [
            Command.Example("waymark-upload home", "as systemd runs it"),
            Command.Example("waymark-upload --check home", "whether the file and the credentials are right"),
            Command.Example(
                "waymark-upload demo --config ./demo.conf --socket /tmp/w/waymark.sock",
                "by hand, with a daemon beside the system's"),
        ])

    /// What the command line says.
    public struct Options: Sendable {
        /// The destination's name.
        public let name: String
        /// Its file.
        public let file: String
        /// The daemon's socket.
        public let socketPath: String
        /// The least important lines that are told.
        public let logLevel: Log.Level
        /// Whether only to say what would be done.
        public let isCheck: Bool
        /// Where the secrets are.
        public let credentials: CredentialFolder

        /// What a command line says that was understood.
        public init(_ invocation: Invocation, credentials: CredentialFolder = .ofThisProcess) {
            name = invocation.argument("NAME") ?? ""
            file = invocation.text("config") ?? DestinationFile.path(of: name) ?? ""
            socketPath =
                invocation.text("socket") ?? Self.variable(WaymarkSocket.environmentVariable)
                ?? WaymarkSocket.defaultPath
            logLevel = invocation.text("log-level").flatMap(Log.Level.init(name:)) ?? .info
            isCheck = invocation.has("check")
            self.credentials = credentials
        }

        private static func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}

import CommandLineKit
import Configuration
import Interfaces
import Waker

/// The command line of `waymark-waker`.
enum WakerCommand {
    static let command = Command(
        "waymark-waker", "starts the services of sleeping apps, for the daemon",
        discussion: [
            "The daemon orders that an app is started when something happens for which its manifest permits it, and this"
                + " program asks the machine's service manager to do so. It starts nothing but the service that a manifest of"
                + " root's names. waymark-waker.service runs it."
        ],
        options: [
            Option("config", Value("FILE", .file, default: Configuration.defaultFile), "the main configuration file"),
            Option(
                "socket", Value("PATH", .file), "where the daemon listens (default \(WaymarkSocket.defaultPath))"),
            Option(
                "manager", Value("PATH", .file, default: WakerRun.machineManager),
                "the socket of the service manager"),
        ])
}

import Interfaces
import TestClients
import TestSupport

/// A daemon without a receiver, and an app of another user that uploads. The test makes the calls of its uploader.
struct UploaderScene {
    let apps: TestApps
    let daemon: DaemonProcess
    /// The path of the uploader's program.
    private let program: String

    init() throws {
        apps = try TestApps()
        program = try apps.program("uploader")
        try apps.add("uploader", name: "Uploader", program: program, "Record=yes")
        daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration())
    }

    /// A process of the uploader, connected to the daemon.
    func uploader() throws -> AppClient { try AppClient(program, to: daemon.socketPath) }
}

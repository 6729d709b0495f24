import Glibc
import Platform

/// A message bus of the test's own: a real dbus-daemon, with a private socket.
public final class PrivateBus {
    /// It did not come up.
    public struct NotReady: Error {}

    private let directory: TemporaryDirectory
    private let configuration: String
    private var process: ChildProcess
    /// The value for DBUS_SESSION_BUS_ADDRESS or DBUS_SYSTEM_BUS_ADDRESS.
    public let address: String

    /// Starts one and waits until it replies; with `isAbstract` its socket has a name but no file, unix(7).
    public init(isAbstract: Bool = false) throws {
        directory = try TemporaryDirectory()
        let socket = directory.file("bus")
        address = "unix:\(isAbstract ? "abstract" : "path")=\(socket)"
        // Everybody may do everything, and nothing is started on demand.
        configuration = try directory.write(
            "bus.conf",
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>\(address)</listen>
              <policy context="default">
                <allow send_destination="*"/>
                <allow receive_sender="*"/>
                <allow own="*"/>
              </policy>
            </busconfig>
            """)
        process = try Self.launch(configuration)
        try awaitReady(process)
    }

    /// Ends it, and with it every connection.
    public func stop() throws {
        try process.terminate()
        _ = unlink(directory.file("bus"))
    }

    /// Starts it again at the same address.
    public func start() throws {
        process = try Self.launch(configuration)
        try awaitReady(process)
    }

    private static func launch(_ configuration: String) throws -> ChildProcess {
        try ChildProcess(
            ChildProcess.Launch(
                "/usr/bin/dbus-daemon",
                ["--nofork", "--nopidfile", "--config-file=\(configuration)", "--print-address=1"],
                output: .pipe, isGuarded: true))
    }

    /// It prints its address once it listens.
    private func awaitReady(_ process: ChildProcess) throws {
        guard try PollDeadline(seconds: 60).poll(process.outputPipe, for: POLLIN) else { throw NotReady() }
    }
}

import Glibc
import Platform

/// Runs a waker until a signal ends the process.
public enum WakerRun {
    /// The socket of the machine's service manager.
    public static let machineManager = "/run/systemd/private"

    /// The socket of a user's service manager. The environment is not queried: a program could name another one.
    public static func manager(of user: UInt32) -> String { "/run/user/\(user)/systemd/private" }

    /// Runs the waker; returns when SIGTERM or SIGINT was received.
    public static func run(socketPath: String, managerPath: String, manifests: WakeManifests) throws {
        EventLoop.main.adoptCurrentThread()
        try DaemonActor.assumeIsolated {
            let signals = try [SIGTERM, SIGINT].map { try SignalSource($0) { EventLoop.main.stop(code: 0) } }
            let waker = try Waker(socketPath: socketPath, managerPath: managerPath, manifests: manifests)
            try EventLoop.main.feedWatchdog()
            waker.start()
            ServiceManager.notify(.ready(status: "Ready."))
            try EventLoop.main.serve()
            withExtendedLifetime((signals, waker)) {}
        }
    }
}

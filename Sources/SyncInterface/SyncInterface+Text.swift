import Glibc
import Platform

extension SyncInterface {
    /// The interface's text, identical to its file. `waymark-sync` serves it at a socket of its own, and not the daemon.
    public static var text: String { String(decoding: PackageResources.io_waymark_Sync_varlink, as: UTF8.self) }

    /// The environment variable with the path of the socket.
    public static let socketVariable = "WAYMARK_SYNC_SOCKET"
    /// The socket of the account of the machine.
    public static let machineSocket = "/run/waymark-sync/sync.sock"
    /// The socket of the account of a person below XDG_RUNTIME_DIR.
    public static let personalSocket = "/waymark/sync.sock"

    /// The file that says that there are alerts to show, in the folder of a socket. It has no content.
    public static func alertMark(of socket: String) -> String {
        String(socket[..<(socket.lastIndex(of: "/") ?? socket.startIndex)]) + "/alerts"
    }

    /// The path of the socket: that of the environment, for root that of the machine, and otherwise the person's own.
    public static var defaultSocket: String {
        if let path = ProcessEnvironment.value(socketVariable) { return path }
        if getuid() == 0 { return machineSocket }
        return (ProcessEnvironment.value("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())") + personalSocket
    }
}

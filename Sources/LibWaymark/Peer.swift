import SyncInterface

/// The program that answers a call, each at a socket of its own.
enum Peer: Equatable {
    /// The daemon, at the socket of the client.
    case daemon
    /// `waymark-sync` at a socket.
    case sync(String)

    /// `waymark-sync` at a socket; for nil at that of the environment, and otherwise the one of the person, or for root that of
    /// the machine.
    static func sync(at path: String?) -> Peer { .sync(path ?? SyncInterface.defaultSocket) }

    /// The peer in a sentence, at its beginning.
    var subject: String {
        switch self {
        case .daemon: "The Waymark daemon"
        case .sync: "waymark-sync"
        }
    }

    /// The peer within a sentence.
    var noun: String { self == .daemon ? "the Waymark daemon" : subject }

    /// The command that starts it.
    var startCommand: String {
        switch self {
        case .daemon: "systemctl start waymark"
        case .sync(let path):
            path == SyncInterface.machineSocket
                ? "systemctl start waymark-sync.socket" : "systemctl --user start waymark-sync.socket"
        }
    }

    /// The environment variable with its socket.
    var socketVariable: String {
        switch self {
        case .daemon: "WAYMARK_SOCKET"
        case .sync: SyncInterface.socketVariable
        }
    }
}
